"""Where and how the data of an older dataset lies."""

import re

from lumos_snap.canonical.migrations.left import Left
from lumos_snap.canonical.migrations.say import Say
from lumos_snap.canonical.migrations.upgraded import Document
from lumos_snap.canonical.migrations.urns import Named
from lumos_snap.canonical.migrations.values import filled, string, text

PARTITION_TYPE = "the type of a partition column is not said: taken as its pattern reads"

_SCHEMES = {"s3": "s3", "gcs": "gs", "gs": "gs", "hdfs": "hdfs"}
_STEP = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_]*)=)?\{([A-Za-z][A-Za-z0-9_-]*)\}")
# What engines read from folders named so: numbers, though zeros stand before them.
_CLOCK = {
    "yyyy": ("year", "yyyy"), "mm": ("month", "MM"), "dd": ("day", "dd"), "hh": ("hour", "HH"),
}  # fmt: skip
_DAY = {"yyyy-mm-dd": "yyyy-MM-dd", "yyyymmdd": "yyyyMMdd"}


def storage(left: Left, named: Named, columns: frozenset[str], say: Say) -> Document:
    """What the older dataset says of its storage."""
    partitioning = left.at("location", "partitioning")
    if not partitioning.is_present:
        partitioning = left.at("partitioning")
    for key in ("database", "catalog"):
        left.take(key, as_=lambda said: said if said in named.parts[:-1] else None)
    return filled(
        {
            "format": left.take("format", as_=_format),
            "location": left.take("location", as_=text) or _location(left, named.platform),
            "partitioning": _partitioning(partitioning, columns, say),
        }
    )


def _format(value: object) -> str | None:
    said = text(value)
    return said.lower() if said else None


def _location(left: Left, platform: str) -> str | None:
    """The address that a bucket and a prefix make."""
    scheme = _SCHEMES.get(platform)
    bucket = left.take("location", "bucket", as_=text) if scheme else None
    if bucket is None:
        return None
    prefix = left.take("location", "prefix", as_=string)
    return f"{scheme}://{bucket}" + (f"/{prefix.removeprefix('/')}" if prefix else "")


def _partitioning(node: Left, columns: frozenset[str], say: Say) -> list[Document]:
    """The columns of a pattern such as `year={yyyy}/month={mm}`; all of them, or none."""
    pattern = text(node.value)
    steps = [_STEP.fullmatch(step) for step in (pattern or "").strip("/").split("/")]
    if not all(steps):
        return []
    found = [_partition(match[1], match[2], columns) for match in steps if match]
    node.take(as_=text)
    for one in found:
        name = one["name"]
        say("location.partitioning", f"storage.partitioning: {name}: type", PARTITION_TYPE)
    return found


def _partition(name: str | None, token: str, columns: frozenset[str]) -> Document:
    unit, written = _CLOCK.get(token.lower(), ("", ""))
    day = _DAY.get(token.lower(), "")
    kind = "INT32" if unit else "DATE" if day else "STRING"
    shown = name or unit or token
    # A column that is a field as well is not a second one.
    source = {"source": shown, "transform": "identity"} if shown in columns else {}
    style = "hive" if name else "path"
    more = {"format": written or day, "style": style, **source, "inferred": True}
    return filled({"name": shown, "type": kind, **more})

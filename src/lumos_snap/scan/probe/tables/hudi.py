"""Apache Hudi: the table's properties, and the schema that its last completed write states.

Which files are live is not worked out: Hudi spreads that over its timeline and an index of its own.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lumos_snap.scan.probe import avro, reasons
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.probed import Probed, written
from lumos_snap.scan.probe.store import Reader
from lumos_snap.scan.probe.tables import names, text
from lumos_snap.scan.probe.tables.hudi_commit import commit

_ALLOWED = (
    "hoodie.table.name", "hoodie.table.type", "hoodie.table.version",
    "hoodie.table.recordkey.fields", "hoodie.table.precombine.field",
    "hoodie.table.ordering.fields", "hoodie.table.partition.fields",
    "hoodie.table.base.file.format", "hoodie.table.log.file.format",
    "hoodie.table.keygenerator.", "hoodie.table.cdc.enabled",
    "hoodie.table.cdc.supplemental.logging.mode", "hoodie.table.multiple.base.file.formats.enable",
    "hoodie.populate.meta.fields", "hoodie.record.merge.mode",
    "hoodie.record.merge.strategy.id", "hoodie.compaction.payload.class",
    "hoodie.allow.operation.metadata.field", "hoodie.datasource.write.hive_style_partitioning",
    "hoodie.datasource.write.partitionpath.urlencode",
    "hoodie.datasource.write.drop.partition.columns", "hoodie.bootstrap.",
)  # fmt: skip
_NOT = ("hoodie.bootstrap.base.path",)
_CREATED = "hoodie.table.create.schema"
_SCHEMA = "schema"
_KEEPS_SCHEMA = frozenset(("CLUSTER", "COMPACT", "INDEX", "LOG_COMPACT", "LOGCOMPACT"))
"""Operations that rearrange data: the schema that they state may be an older one."""

_ENTRY = re.compile(r"\s*((?:\\.|[^\\=:\s])+)[ \t\f]*[=:\s][ \t\f]*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def probe(reader: Reader, _root: str, parts: Sequence[str]) -> Probed:
    """What the properties and the newest completed write say."""
    properties = _properties(reader, [one for one in parts if one.endswith(names.PROPERTIES)])
    instants = [one for one in parts if names.hudi(one.rpartition("/")[2])]
    schema = _schema(reader, instants) or _created(properties)
    last = names.hudi(instants[0].rpartition("/")[2]) if instants else None
    evidence = {
        "schema": _checked(schema),
        "properties": text.kept(properties, _ALLOWED, _NOT),
        "instant": last.began if last else None,
    }
    version = properties.get("hoodie.table.version", "")
    said = f"hudi {version}" if version.isascii() and version.isdigit() else "hudi"
    return Probed("hudi", written(evidence), None, said)


def _properties(reader: Reader, paths: Sequence[str]) -> dict[str, str]:
    """The first of the files that can be read: Hudi keeps a copy while it replaces one."""
    first: BadFileError | None = None
    for path in paths:
        try:
            with text.opened(reader, path) as file:
                return entries(text.whole(file).decode("utf-8", "replace"))
        except BadFileError as exc:
            if not text.is_damage(exc):
                raise
            first = first or exc
    raise first or BadFileError(reasons.VANISHED, f"{names.PROPERTIES[0]}: is missing")


def entries(held: str) -> dict[str, str]:
    """Properties as Java writes them."""
    joined = re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*", r"\1", held)
    found = {}
    for line in joined.splitlines():
        if not line.lstrip().startswith(("#", "!")) and (entry := _ENTRY.match(line)):
            found[_unescaped(entry[1])] = _unescaped(entry[2])
    return found


def _unescaped(held: str) -> str:
    def plain(found: "re.Match[str]") -> str:
        sign = found[1]
        if len(sign) > 1:
            return chr(int(sign[1:], 16))
        return _ESCAPES.get(sign, sign)

    joined = _ESCAPE.sub(plain, held)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _schema(reader: Reader, instants: Sequence[str]) -> str | None:
    """What the last write states; a rearrangement only where nothing else does."""
    rearranged: str | None = None
    for path in instants:
        with text.opened(reader, path) as file:
            operation, extra = commit(text.whole(file))
        schema = extra.get(_SCHEMA)
        if not schema:
            continue
        if operation not in _KEEPS_SCHEMA:
            return schema
        rearranged = rearranged or schema
    return rearranged


def _created(properties: Mapping[str, str]) -> str:
    """The schema that a table was created with: nothing was written since."""
    schema = properties.get(_CREATED)
    if not schema:
        detail = f"{names.PROPERTIES[0]}: no write was completed, and it has no {_CREATED}"
        raise BadFileError(reasons.EMPTY, detail)
    return schema


def _checked(schema: str) -> Any:
    """An Avro schema of a record, checked as one in a file is."""
    held = text.parsed(schema)
    text.check_depth(held)
    avro.check(held)
    return held

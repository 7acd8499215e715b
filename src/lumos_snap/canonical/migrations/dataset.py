"""One older dataset as a snapshot and an observation.

The older shapes differ in words, not in meaning, and no word means two things in them; so one
reading serves all, and documents that mix the shapes are understood as well.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from lumos_snap.canonical.migrations.curated import documentation, governance, ownership
from lumos_snap.canonical.migrations.fields import Columns
from lumos_snap.canonical.migrations.left import Kept, Left, grafted, written
from lumos_snap.canonical.migrations.lineage import downstream, upstream
from lumos_snap.canonical.migrations.measured import measurements
from lumos_snap.canonical.migrations.say import Say
from lumos_snap.canonical.migrations.storage import storage
from lumos_snap.canonical.migrations.upgraded import FORMAT, Document, Note
from lumos_snap.canonical.migrations.urns import Named, named
from lumos_snap.canonical.migrations.values import filled, moment, text
from lumos_snap.canonical.migrations.versions import versioning

KEPT = "has no place of its own: kept as it was"
MEASURED = "changes with the data: kept with the observation"
RENAMED = "the urn is written in today's form"
MOVED = "properties of the user stay properties of the user"

IMPORTED = "imported"
"""The property under which what has no place of its own is kept."""

FIXED_AT = ("properties",)
VOLATILE_AT = ("observation", "properties")

_VOLATILE = frozenset({"statistics", "quality", "cost", "timestamps", "usage", "profile"})
_RULES = frozenset({"rules", "checks", "assertions", "expectations"})


@dataclass(frozen=True, slots=True)
class Dataset:
    """One upgraded dataset, and the datasets of its document that are made from it."""

    snapshot: Document
    observation: Document
    leads_to: tuple[str, ...]
    notes: tuple[Note, ...]


def dataset(item: Mapping[str, Any], own: Named, known: frozenset[str]) -> Dataset:
    """Upgrade one dataset; `known` are the urns of its document."""
    left = Left(item)
    notes: list[Note] = []

    def say(source: str, target: str, message: LiteralString) -> None:
        notes.append(Note(own.urn, source, target, message))

    environment = left.take("environment", as_=text) or own.environment
    _identity(left, own, environment, say)
    snapshot = _snapshot(left, own, environment, say)
    observation = measurements(left)
    leads_to = tuple(downstream(left, own.urn, environment, known))
    fixed, volatile = _properties(left, say)
    return Dataset(
        filled({**snapshot, "properties": fixed}),
        filled({**observation, "properties": volatile}),
        leads_to,
        tuple(notes),
    )


def _identity(left: Left, own: Named, environment: str | None, say: Say) -> None:
    """Take what the new urn, platform and environment say as well as the older ones did."""
    if own.is_exact and own.environment in (None, environment):
        said = left.take("urn", as_=text)
        if said != own.urn:
            say("urn", "urn", RENAMED)
    left.take(
        "platform", as_=lambda said: own.platform if _platform(said) == own.platform else None
    )


def _platform(said: object) -> str:
    return (text(said) or "").removeprefix("urn:li:dataPlatform:")


def _snapshot(left: Left, own: Named, environment: str | None, say: Say) -> Document:
    columns = Columns(own.platform, say)
    fields = columns.read(left.at("schema", "fields").items())
    names = frozenset(one["name"] for one in fields)
    stored = storage(left, own, names, say)
    partitions = {one["name"] for one in stored.get("partitioning", ())}
    schema = {"fields": fields, "primary_key": _key(left, names | partitions)}
    sections = {
        "storage": stored,
        "schema": filled(schema),
        "lineage": filled({"upstream": upstream(left, own.urn, environment)}),
        "ownership": ownership(left),
        "governance": governance(left, columns.governance),
        "documentation": documentation(left, own.name, columns.documentation),
        "versioning": versioning(left),
    }
    identity = {"lumos_version": FORMAT, "urn": own.urn, "name": own.name}
    return {**identity, "platform": own.platform, "environment": environment, **sections}


def _key(left: Left, names: frozenset[str]) -> list[str]:
    """A primary key, if all of its columns are there."""

    def columns(value: object) -> list[str] | None:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return None
        return value if names.issuperset(value) else None

    return left.take("schema", "primary_key", as_=columns) or []


def _properties(left: Left, say: Say) -> tuple[Document, Document]:
    """What belongs to the user, and what nobody took; points in time are for the observation."""
    fixed, volatile = _own_properties(left, say)
    kept = list(left.kept())
    for piece in kept:
        is_volatile = _is_volatile(piece)
        where = (*(VOLATILE_AT if is_volatile else FIXED_AT), IMPORTED, *piece.target)
        say(written(piece.source), written(where), MEASURED if is_volatile else KEPT)
    fixed[IMPORTED] = _grafted(piece for piece in kept if not _is_volatile(piece))
    volatile[IMPORTED] = _grafted(piece for piece in kept if _is_volatile(piece))
    return filled(fixed), filled(volatile)


def _own_properties(left: Left, say: Say) -> tuple[Document, Document]:
    fixed: Document = {}
    volatile: Document = {}
    for source in (("properties", "custom_properties"), ("custom_properties",)):
        for key, node in left.at(*source).entries():
            if key == IMPORTED or key in fixed or key in volatile or node.value in (None, {}, []):
                continue
            is_moment = moment(node.value) is not None
            (volatile if is_moment else fixed)[key] = node.take(as_=lambda said: said)
            target = written((*(VOLATILE_AT if is_moment else FIXED_AT), key))
            say(written((*source, key)), target, MEASURED if is_moment else MOVED)
    return fixed, volatile


def _grafted(pieces: Iterable[Kept]) -> Document:
    return grafted((piece.target, piece.value) for piece in pieces)


def _is_volatile(piece: Kept) -> bool:
    root, *more = piece.source
    is_rule = root == "quality" and bool(more) and more[0] in _RULES
    return piece.is_moment or (root in _VOLATILE and not is_rule)


def named_of(item: object) -> Named | None:
    """The dataset that an item of an older document is about."""
    return named(item.get("urn")) if isinstance(item, dict) else None

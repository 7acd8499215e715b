"""Laws: what must hold across the keys of a document, beyond the structure of each.

Each is a row with an id that never changes its meaning. Structure and form have ids too, so that
every problem of a file is named alike.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lumos_snap.canonical.nesting import Found, too_deep_types, undefined_references
from lumos_snap.documents.jsontext import REPEATED_KEY, UNREADABLE
from lumos_snap.documents.problem import Pointer
from lumos_snap.errors import LumosError
from lumos_snap.model.fieldpath import parse_path
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.types import MAX_LEVELS
from lumos_snap.model.urn import Urn, parse_urn
from lumos_snap.shape import Holds, Value, document_of, keys_of, sortable

STRUCTURE = "structure"
MISPLACED = "misplaced"
NOT_CANONICAL = "not-canonical"
ENVIRONMENT = "environment"
NEWER_FORMAT = "newer-format"
OLDER_FORMAT = "older-format"
NOT_A_DOCUMENT = "not-a-document"


@dataclass(frozen=True, slots=True)
class Law:
    """One law: where it is broken, and what to do then."""

    id: str
    says: str
    why: str
    fix: str
    check: Callable[[Snapshot], Found] | None = None


@dataclass(frozen=True, slots=True)
class Breach:
    """A law that a document breaks, at one place."""

    law: Law
    pointer: Pointer
    message: str


def breaches(value: Value) -> tuple[Breach, ...]:
    """Every breach of every law in a document whose structure is right."""
    found = [Breach(REPEATED_ITEM, pointer, said) for pointer, said in _repeated(value)]
    if isinstance(value, Snapshot):
        found += [
            Breach(law, pointer, message)
            for law in SNAPSHOT_LAWS
            if law.check is not None
            for pointer, message in law.check(value)
        ]
    elif isinstance(value, Observation):
        found += [Breach(URN, pointer, message) for pointer, message in _urn_text(value.urn)]
    return tuple(found)


def _repeated(value: Value, at: Pointer = ()) -> Found:
    """Items of a set that say the same thing twice, at any depth."""
    for key in keys_of(type(value)).values():
        held = getattr(value, key.attribute)
        if not held or key.item is None:
            continue
        if key.holds is Holds.OBJECT:
            yield from _repeated(held, (*at, key.name))
            continue
        if key.set_by:
            yield from _twice(held, key.set_by, (*at, key.name))
        if any(inner.set_by for inner in keys_of(key.item).values()):
            for index, item in enumerate(held):
                yield from _repeated(item, (*at, key.name, index))


def _twice(items: Iterable[Value], by: tuple[str, ...], at: Pointer) -> Found:
    seen: set[object] = set()
    for index, item in enumerate(items):
        document = document_of(item)
        identity = tuple(sortable(document.get(name)) for name in by)
        if identity in seen:
            shown = ", ".join(f"{n} `{document[n]}`" for n in by if n in document)
            yield (*at, index), f"{shown} stands in `{at[-1]}` more than once"
        seen.add(identity)


def _urn(snapshot: Snapshot) -> Found:
    problems = list(_urn_text(snapshot.urn))
    yield from problems
    if problems:
        return
    urn = parse_urn(snapshot.urn)
    if snapshot.platform != urn.platform:
        yield ("platform",), f"the urn says platform `{urn.platform}`, not `{snapshot.platform}`"
    if snapshot.name != shown_name(urn):
        yield ("name",), f"the urn says name `{shown_name(urn)}`, not `{snapshot.name}`"


def shown_name(urn: Urn) -> str:
    """The name of a dataset as JSON can hold it: single bytes stay escaped."""
    return str(urn).rpartition("/")[2] if _has_bytes(urn.name) else urn.name


def _has_bytes(name: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in name)


def _urn_text(text: str, at: Pointer = ("urn",)) -> Found:
    try:
        parse_urn(text)
    except LumosError as exc:
        yield at, f"{exc.message}; {exc.hint}" if exc.hint else exc.message


def _references(snapshot: Snapshot) -> Found:
    for index, edge in enumerate(snapshot.lineage.upstream):
        at: Pointer = ("lineage", "upstream", index)
        yield from _urn_text(edge.urn, (*at, "urn"))
        if edge.urn == snapshot.urn:
            yield at, "the dataset is made from itself"


def _paths(snapshot: Snapshot) -> Found:
    for pointer, text in _written_paths(snapshot):
        try:
            parse_path(text)
        except ValueError as exc:
            yield pointer, str(exc)


def _written_paths(snapshot: Snapshot) -> Iterator[tuple[Pointer, str]]:
    for section in ("contract", "governance", "documentation"):
        for index, entry in enumerate(getattr(snapshot, section).fields):
            yield (section, "fields", index, "path"), entry.path
    for number, edge in enumerate(snapshot.lineage.upstream):
        for index, column in enumerate(edge.columns):
            at = ("lineage", "upstream", number, "columns", index)
            yield (*at, "to"), column.to
            if column.from_ is not None:
                yield (*at, "from"), column.from_


def _keys(snapshot: Snapshot) -> Found:
    schema = snapshot.schema
    if not schema.fields or not (schema.primary_key or schema.unique or schema.foreign_keys):
        return
    names = {field.name for field in schema.fields}
    names |= {partition.name for partition in snapshot.storage.partitioning}
    groups: list[tuple[Pointer, tuple[str, ...]]] = [
        (("schema", "primary_key"), schema.primary_key),
        *((("schema", "unique", n), key.columns) for n, key in enumerate(schema.unique)),
        *((("schema", "foreign_keys", n), k.columns) for n, k in enumerate(schema.foreign_keys)),
    ]
    for pointer, columns in groups:
        for column in columns:
            if column not in names and not _names_nested(column, names):
                yield pointer, f"there is no column `{column}`"


def _names_nested(path: str, names: set[str]) -> bool:
    try:
        return parse_path(path)[0].name in names
    except ValueError:
        return False


def _partitions(snapshot: Snapshot) -> Found:
    counts = Counter(field.name for field in snapshot.schema.fields)
    for index, partition in enumerate(snapshot.storage.partitioning):
        if partition.source is None and partition.name in counts:
            message = f"`{partition.name}` is a field as well"
            yield ("storage", "partitioning", index), message


REPEATED_ITEM = Law(
    "repeated-item",
    "an item of a set stands there once",
    "Two entries for one field or owner cannot both be right, and no order decides between them.",
    "keep one of them",
)
URN = Law(
    "urn",
    "the urn is well written, and `platform` and `name` agree with it",
    "Identity stands in one place: all else is derived from it.",
    "change the urn, or what contradicts it",
    _urn,
)
SNAPSHOT_LAWS = (
    URN,
    Law(
        "reference",
        "an upstream dataset is named by a well-written urn, and is not the dataset itself",
        "A lineage graph is built from these urns by comparing them letter by letter.",
        "write the urn as the other dataset's snapshot has it",
        _references,
    ),
    Law(
        "field-path",
        "a field path can be read",
        "Words about a field find it by its path.",
        "write paths like `a.b`, `items[]`, `attrs{}`; odd names in backticks",
        _paths,
    ),
    Law(
        "key-column",
        "the columns of a key exist",
        "A key that names a column which is not there promises nothing.",
        "name columns of `schema.fields` or of `storage.partitioning`",
        _keys,
    ),
    Law(
        "partition-column",
        "a partition column that comes from the path is not a field as well",
        "Readers would meet one name twice, with two types.",
        "remove it from `schema.fields`, or name the field as its `source`",
        _partitions,
    ),
    Law(
        "definition",
        "what `REF` refers to is defined",
        "A recursive type can only be read when its name leads somewhere.",
        "add it to `schema.definitions`",
        undefined_references,
    ),
    Law(
        "depth",
        f"types nest at most {MAX_LEVELS} levels deep",
        "No engine reads deeper types, and every tool must come to an end.",
        "describe the deepest part as UNKNOWN",
        too_deep_types,
    ),
)
FILE_LAWS = (
    Law(
        UNREADABLE,
        "a document is JSON in UTF-8",
        "What cannot be parsed cannot be reviewed or compared.",
        "mend the file, or restore it from git",
    ),
    Law(
        REPEATED_KEY,
        "a key stands in an object once",
        "Parsers keep one of the two and say nothing.",
        "keep one of them",
    ),
    Law(
        STRUCTURE,
        "a document has the structure of the published schema",
        "Every tool that reads the tree relies on it.",
        "follow the message; the schema is in `snapshot-schema/`",
    ),
    Law(
        NEWER_FORMAT,
        "a document's format is known to this version",
        "Reading a newer format with older rules would lose what is new in it.",
        "install a newer lumos-snap",
    ),
    Law(
        OLDER_FORMAT,
        "a document's format is the present one",
        "Every other part of the tool knows one format only.",
        "run `lumos snap migrate-format`",
    ),
    Law(
        MISPLACED,
        "a document lies where its urn or id says",
        "One dataset has one file, found without a search.",
        "move it with `git mv`, or mend its urn or id",
    ),
    Law(
        NOT_A_DOCUMENT,
        "the tree holds documents only, as plain files",
        "Links and stray files would be read on one machine and not on another.",
        "remove it from the tree",
    ),
    Law(
        ENVIRONMENT,
        "a snapshot's environment is that of the tree",
        "One tree is one environment.",
        "change the snapshot, or `environment` in lumos.yaml",
    ),
    Law(
        NOT_CANONICAL,
        "a document has its canonical bytes",
        "One layout for each document makes every diff show what changed, and nothing else.",
        "run `lumos snap fmt`",
    ),
)
ALL_LAWS = (*FILE_LAWS, REPEATED_ITEM, *SNAPSHOT_LAWS)

"""Validation rules: conditions across the keys of a document, beyond the structure of each.

Each is a row with an id that never changes its meaning. Structure and form have ids too, so that
every problem of a file has an id.
"""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lumos_snap.canonical import rule_checks
from lumos_snap.documents.json_text import REPEATED_KEY, UNREADABLE
from lumos_snap.documents.position import Pointer
from lumos_snap.json_object import JsonObject
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.types import MAX_LEVELS
from lumos_snap.schema import NameKind, keys_of

STRUCTURE = "structure"
MISPLACED = "misplaced"
NOT_CANONICAL = "not-canonical"
ENVIRONMENT = "environment"
NEWER_FORMAT = "newer-format"
OLDER_FORMAT = "older-format"
NOT_A_DOCUMENT = "not-a-document"
EXISTS = "exists"
NOT_ADOPTED = "not-adopted"
CHANGED_MEANWHILE = "changed-meanwhile"
UNRESOLVED_CONFLICT = "unresolved-conflict"
CONFLICTS = "conflicts"
"""The section with unresolved conflicts that a merge adds to a document."""
DECIDE = f"choose a value for each, then delete the section `{CONFLICTS}`"


@dataclass(frozen=True, slots=True)
class ValidationRule:
    """A validation rule: what it requires, and how to fix a violation."""

    id: str
    says: str
    why: str
    fix: str
    check: Callable[[JsonObject], rule_checks.Violations] | None = None


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A violation of a validation rule, at one place."""

    law: ValidationRule
    pointer: Pointer
    message: str


def find_violations(document: JsonObject, cls: type) -> tuple[RuleViolation, ...]:
    """Find all rule violations in a document of class `cls` with a valid structure."""
    repeats = [
        RuleViolation(REPEATED_ITEM, *one) for one in rule_checks.find_repeated_items(document, cls)
    ]
    return (*repeats, *find_violations_in_order(document, cls))


def find_violations_in_order(document: JsonObject, cls: type) -> tuple[RuleViolation, ...]:
    """The same for a document whose sets are sorted and therefore without repeated items."""
    found: list[RuleViolation] = []
    for pointer, names, message in rule_checks.find_bad_names(document, cls):
        found.append(RuleViolation(_NAMING[names], pointer, message))
    for law in _rules_of(cls):
        if law.check is not None:
            found += [RuleViolation(law, *one) for one in law.check(document)]
    return (*found, *_in_export_documents(document, cls))


def _in_export_documents(document: JsonObject, cls: type) -> Iterator[RuleViolation]:
    """Violations in the documents of an export."""
    for name, carried in _export_lists(cls):
        for index, one in enumerate(document.get(name, ())):
            for law in _rules_of(carried):
                if law.check is not None:
                    for pointer, message in law.check(one):
                        yield RuleViolation(law, (name, index, *pointer), message)


@functools.cache
def _export_lists(cls: type) -> tuple[tuple[str, type], ...]:
    """The lists of an export whose documents have validation rules of their own."""
    lists = ((key.name, key.item) for key in keys_of(cls).values() if key.item is not None)
    return tuple((name, item) for name, item in lists if _rules_of(item))


@functools.cache
def _rules_of(cls: type) -> tuple[ValidationRule, ...]:
    """The rules for documents of one class, besides those for all documents."""
    if issubclass(cls, Snapshot):
        return (URN, *SNAPSHOT_RULES)
    return (URN,) if issubclass(cls, Observation) else ()


REPEATED_ITEM = ValidationRule(
    "repeated-item",
    "an item of a set stands there once",
    "Two entries for one field or owner cannot both be right, and no order decides between them.",
    "keep one of them",
)
URN = ValidationRule(
    "urn",
    "the urn is well written, and `platform` and `name` agree with it",
    "Identity stands in one place: all else is derived from it.",
    "change the urn, or what contradicts it",
    rule_checks.check_urn,
)
REFERENCE = ValidationRule(
    "reference",
    "another dataset is named by a well-written urn",
    "Datasets are found, and lineage is drawn, by comparing urns letter by letter.",
    "write the urn as the other dataset's snapshot has it",
)
FIELD_PATH = ValidationRule(
    "field-path",
    "a field path can be read",
    "Words about a field find it by its path.",
    "write paths like `a.b`, `items[]`, `attrs{}`; odd names in backticks",
)
_NAMING = {NameKind.DATASET: REFERENCE, NameKind.FIELD: FIELD_PATH}
DEPTH = ValidationRule(
    "depth",
    f"types nest at most {MAX_LEVELS} levels deep",
    "No engine reads deeper types, and every tool must come to an end.",
    "describe the deepest part as UNKNOWN",
    rule_checks.find_deep_types,
)
SNAPSHOT_RULES = (
    ValidationRule(
        "key-column",
        "the columns of keys, partitions, buckets and sort orders exist",
        "A key that names a column which is not there promises nothing.",
        "write the paths of columns in `schema.fields` or `storage.partitioning`",
        rule_checks.check_key_columns,
    ),
    ValidationRule(
        "repeated-column",
        "two columns of a table have different names",
        "A query that says the name means both, so engines refuse it. Files such as CSV and "
        "Parquet can hold such columns; tables, topics and table formats cannot.",
        "give one of the two another name, or remove it",
        rule_checks.find_repeated_columns,
    ),
    ValidationRule(
        "partition-column",
        "a partition column that comes from the path is not a field as well",
        "Readers would meet one name twice, with two types.",
        "remove it from `schema.fields`, or name the field as its `source`",
        rule_checks.check_partitions,
    ),
    ValidationRule(
        "definition",
        "what `REF` refers to is defined",
        "A recursive type can only be read when its name leads somewhere.",
        "add it to `schema.definitions`",
        rule_checks.find_undefined_refs,
    ),
    DEPTH,
)
FILE_RULES = (
    ValidationRule(
        UNREADABLE,
        "a document is JSON in UTF-8",
        "What cannot be parsed cannot be reviewed or compared.",
        "mend the file, or restore it from git",
    ),
    ValidationRule(
        UNRESOLVED_CONFLICT,
        "what a merge left open is decided",
        "Two branches say different things: what stands in the document until somebody decides "
        "is only what one of them says.",
        DECIDE,
    ),
    ValidationRule(
        REPEATED_KEY,
        "a key stands in an object once",
        "Parsers keep one of the two and say nothing.",
        "keep one of them",
    ),
    ValidationRule(
        STRUCTURE,
        "a document has the structure of the published schema",
        "Every tool that reads the tree relies on it.",
        "follow the message; the schema is in `snapshot-schema/`",
    ),
    ValidationRule(
        NEWER_FORMAT,
        "a document's format is known to this version",
        "Reading a newer format with older rules would lose what is new in it.",
        "install a newer lumos-snap",
    ),
    ValidationRule(
        OLDER_FORMAT,
        "a document's format is the present one",
        "Every other part of the tool knows one format only.",
        "run `lumos snap migrate-format`",
    ),
    ValidationRule(
        MISPLACED,
        "a document lies where its urn or id says",
        "One dataset has one file, found without a search.",
        "move it with `git mv`, or mend its urn or id",
    ),
    ValidationRule(
        NOT_A_DOCUMENT,
        "the tree holds documents only, as plain files",
        "Links and stray files would be read on one machine and not on another.",
        "remove it from the tree",
    ),
    ValidationRule(
        EXISTS,
        "nothing that is there is replaced unasked",
        "What differs may be somebody's work.",
        "use `--overwrite`, or remove one of the two",
    ),
    ValidationRule(
        NOT_ADOPTED,
        "what is brought in from a catalog is sound here, and goes back there as it is",
        "Else the first sync after it would change the catalog, and nobody has asked for that.",
        "mend it in the catalog, and import again",
    ),
    ValidationRule(
        CHANGED_MEANWHILE,
        "a file that changed while a command worked on it is left alone",
        "Somebody saved it between reading and writing: their edit is the newer one.",
        "run the command again",
    ),
    ValidationRule(
        ENVIRONMENT,
        "a snapshot's environment is that of the tree",
        "One tree is one environment.",
        "change the snapshot, or `environment` in lumos.yaml",
    ),
    ValidationRule(
        NOT_CANONICAL,
        "a document has its canonical bytes",
        "One layout for each document makes every diff show what changed, and nothing else.",
        "run `lumos snap fmt`",
    ),
)
COMMON_RULES = (REPEATED_ITEM, REFERENCE, FIELD_PATH)
ALL_RULES = (*FILE_RULES, *COMMON_RULES, URN, *SNAPSHOT_RULES)

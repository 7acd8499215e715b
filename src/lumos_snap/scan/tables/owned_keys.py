"""What a table's log decides in a snapshot: all of it is replaced, nothing else is.

Each format has its own names for properties. So what somebody else has said of a table stays, and
a property that was unset goes.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

Stored = Mapping[str, Any]


class Owned(NamedTuple):
    """What a format decides beside the columns."""

    schema: frozenset[str]
    """Keys of `schema`."""
    properties: tuple[str, ...]
    """Names in `storage.properties`; those that end with a point are beginnings."""
    storage: frozenset[str] = frozenset()
    """Keys of `storage` that no other format decides."""
    all_properties: bool = False


OWNED: Mapping[str, Owned] = {
    "delta": Owned(frozenset(("constraints",)), ("delta.", "name", "clustering")),
    "iceberg": Owned(
        frozenset(("primary_key",)),
        (
            "write.", "read.", "history.expire.", "commit.", "compatibility.", "gc.enabled",
        ),
        frozenset(("compression",)),
    ),
    "hudi": Owned(frozenset(("primary_key",)), ("hoodie.",)),
    "spark": Owned(frozenset(), (), frozenset(("bucketing", "definition")), all_properties=True),
}  # fmt: skip
STORAGE = frozenset(
    (
        "file_format", "id", "reader_version", "writer_version", "column_mapping", "features",
        "sorting",
    )
)  # fmt: skip
"""Keys of `storage` that every format decides."""


def others_of_storage(storage: Stored, formats: Collection[str | None]) -> dict[str, Any]:
    """Of a section `storage`, what none of some formats has said."""
    owned = [OWNED[one] for one in formats if one and one in OWNED]
    if not owned:
        return dict(storage)
    keys = STORAGE.union(*(one.storage for one in owned))
    left = {name: held for name, held in storage.items() if name not in keys}
    names = [name for one in owned for name in one.properties]
    known = left.pop("properties", {})
    properties = {
        name: held
        for name, held in ({} if any(one.all_properties for one in owned) else known).items()
        if not any(name.startswith(one) if one.endswith(".") else name == one for one in names)
    }
    return {**left, "properties": properties} if properties else left


def others_of_schema(schema: Stored, formats: Collection[str | None]) -> dict[str, Any]:
    """Of a section `schema`, what none of some formats has said."""
    keys = {key for one in formats if one and one in OWNED for key in OWNED[one].schema}
    return {name: held for name, held in schema.items() if name not in keys}

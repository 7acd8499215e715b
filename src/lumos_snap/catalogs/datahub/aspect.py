"""The parts of an aspect mapping: its codec, the key homes and the scope of a document."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lumos_snap.catalogs.datahub.field_paths import ROOT, Column, members, read, to_v1
from lumos_snap.catalogs.datahub.settings import PathStyle
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import format_path, parse_path

Document = JsonObject
Aspect = JsonObject

NO_STAMP = {"time": 0, "actor": "urn:li:corpuser:unknown"}
"""The stamp that DataHub's own clients write if time and person are required but unknown."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The context in which one document is mapped: the urn mapping and the column paths."""

    identity: UrnMapper
    urn: str
    """The DataHub urn of the document."""
    to_field: Mapping[str, str] = field(default_factory=dict)
    of_field: Mapping[str, str] = field(default_factory=dict)

    def field(self, path: str) -> str:
        """The DataHub field path of one of our paths."""
        return self.to_field.get(path) or _there(path)

    def our_field(self, theirs: str) -> str:
        """Our path of a DataHub field path."""
        return self.of_field.get(theirs) or _here(theirs)

    def can_say(self, path: str) -> bool:
        """Whether a path survives the round trip."""
        return self.our_field(self.field(path)) == path

    def attribution(self, detail: Mapping[str, str] | None = None) -> Aspect:
        """The attribution of an item that we add."""
        naming = self.identity.naming
        return {
            "time": 0,
            "actor": naming.actor,
            "source": naming.source,
            "sourceDetail": dict(detail or {}),
        }

    def with_columns(self, columns: Sequence[Column]) -> "Scope":
        """The scope of a document with these columns, if version 2 paths name them."""
        pairs = [(format_path(path), v2) for path, v2, _ in members(columns, ROOT)]
        there = {v2: ours for ours, v2 in pairs}
        here = dict(pairs) if self.identity.naming.field_paths is PathStyle.V2 else {}
        return Scope(self.identity, self.urn, here, there)


@functools.lru_cache(maxsize=65536)
def _there(path: str) -> str:
    return to_v1(parse_path(path))


@functools.lru_cache(maxsize=65536)
def _here(theirs: str) -> str:
    return format_path(read(theirs))


@dataclass(frozen=True, slots=True)
class Home:
    """Where one of our keys is stored in a DataHub aspect."""

    ours: str
    theirs: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Codec:
    """Writes and reads one aspect. What `write` leaves out is stored elsewhere as text."""

    aspect: str
    homes: tuple[Home, ...]
    write: Callable[[Document, Scope], Aspect | None]
    read: Callable[[Aspect, Scope], Document]


def drop_none(**given: Any) -> dict[str, Any]:
    """Build an object without the keys that are None."""
    return {name: one for name, one in given.items() if one is not None}


def within(*path: str, value: object) -> Document:
    """Build a document with one nested value; empty if the value is empty."""
    if value in (None, [], {}, ""):
        return {}
    for name in reversed(path):
        value = {name: value}
    assert isinstance(value, dict)  # noqa: S101 - a path has a name
    return value


def get_list(aspect: JsonObject, name: str) -> list[Any]:
    """A list of an aspect, which may be missing."""
    return aspect.get(name) or []

"""What every mapping of an aspect consists of, and what it is given."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lumos_snap.catalogs.datahub.field_paths import ROOT, Column, members, read, to_v1
from lumos_snap.catalogs.datahub.settings import PathStyle
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.model.field_path import format_path, parse_path

Document = dict[str, Any]
Aspect = dict[str, Any]

NO_STAMP = {"time": 0, "actor": "urn:li:corpuser:unknown"}
"""What DataHub's own clients write where a time and a person must be named and none is known."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one document is mapped with: who is who, and what its columns are called there."""

    identity: UrnMapper
    urn: str
    """Their urn of the document."""
    to_field: Mapping[str, str] = field(default_factory=dict)
    of_field: Mapping[str, str] = field(default_factory=dict)

    def field(self, path: str) -> str:
        """What a path of ours is there."""
        return self.to_field.get(path) or _there(path)

    def our_field(self, theirs: str) -> str:
        """What a path of theirs is here."""
        return self.of_field.get(theirs) or _here(theirs)

    def can_say(self, path: str) -> bool:
        """Whether a path comes back as it was written."""
        return self.our_field(self.field(path)) == path

    def attribution(self, detail: Mapping[str, str] | None = None) -> Aspect:
        """The mark of what we add."""
        naming = self.identity.naming
        return {
            "time": 0,
            "actor": naming.actor,
            "source": naming.source,
            "sourceDetail": dict(detail or {}),
        }

    def with_columns(self, columns: Sequence[Column]) -> "Scope":
        """The scope of a document with these columns, where paths of version 2 name them."""
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
    """Where one key of ours stands in an aspect of theirs."""

    ours: str
    theirs: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Codec:
    """How one aspect is written and read. What `write` leaves out is kept elsewhere as text."""

    aspect: str
    homes: tuple[Home, ...]
    write: Callable[[Document, Scope], Aspect | None]
    read: Callable[[Aspect, Scope], Document]


def drop_none(**given: Any) -> Aspect:
    """An object without what is not there."""
    return {name: one for name, one in given.items() if one is not None}


def within(*path: str, value: object) -> Document:
    """A document that holds one thing, or nothing where that is empty."""
    if value in (None, [], {}, ""):
        return {}
    for name in reversed(path):
        value = {name: value}
    assert isinstance(value, dict)  # noqa: S101 - a path has a name
    return value


def get_list(aspect: Mapping[str, Any], name: str) -> list[Any]:
    """A list of theirs, which may be left out."""
    return aspect.get(name) or []

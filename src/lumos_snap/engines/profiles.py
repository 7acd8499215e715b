"""The profile of an engine: rows that answer pairs of types, and how they are matched."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import orjson

from lumos_snap.engines.conditions import CONDITIONS, Type
from lumos_snap.engines.query import Outcome, Traits
from lumos_snap.errors import LumosError
from lumos_snap.model.type_kinds import Kind


@dataclass(frozen=True, slots=True)
class Row:
    """What is read where the kinds and the condition are met; the first such row counts."""

    old: frozenset[str]
    new: frozenset[str]
    reads: Outcome
    why: str
    source: str
    when: tuple[str, ...] = ()
    shows: str = ""
    readers: tuple[str, ...] = ()

    def matches(self, old: Type, new: Type) -> bool:
        """Whether this row speaks of the pair."""
        if old["type"] not in self.old or new["type"] not in self.new:
            return False
        return all(CONDITIONS[name](old, new) for name in self.when)


@dataclass(frozen=True)
class Profile:
    """An engine: what it is, how it finds columns, and what it does with each pair of types."""

    name: str
    says: str
    version: str
    sources: Mapping[str, str]
    traits: Traits
    trait_sources: Mapping[str, str]
    readers: tuple[str, ...]
    rows: tuple[Row, ...]
    stores: Mapping[str, Type] = field(default_factory=dict)
    asks: Mapping[str, Type] = field(default_factory=dict)
    most_digits: int | None = None
    """How many digits a decimal may have; None where nothing limits them."""
    digits_why: str = ""
    digits_source: str = ""

    def refuses(self, given: Type) -> bool:
        """Whether the engine has no such type: it cannot read a schema in which it stands."""
        precision, scale = given.get("precision"), given.get("scale") or 0
        if given["type"] != "DECIMAL" or precision is None or self.most_digits is None:
            return False
        return bool(precision > self.most_digits or scale > precision)

    def stored(self, given: Type) -> Type:
        """The type that the engine has in its files for a type it has none of its own for."""
        return self.stores.get(given["type"], given)

    def asked(self, given: Type) -> Type:
        """The type that the engine is told for a type it has none of its own for."""
        return self.asks.get(given["type"], given)

    def answers(self, old: Type, new: Type) -> Iterator[tuple[str, Row]]:
        """The row of each reader inside the engine."""
        pair = self.stored(old), self.asked(new)
        for reader in self.readers or ("",):
            rows = self._by_reader[reader]
            yield reader, next((row for row in rows if row.matches(*pair)), rows[-1])

    @cached_property
    def _by_reader(self) -> Mapping[str, tuple[Row, ...]]:
        return {
            reader: tuple(row for row in self.rows if not row.readers or reader in row.readers)
            for reader in self.readers or ("",)
        }


def same(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether two types hold the same values in the same form, as far as a column goes.

    Members, elements, branches and symbols have rules of their own, and so have collations.
    """
    return _form(old) == _form(new)


def _form(given: Mapping[str, Any]) -> tuple[object, ...]:
    kind = given["type"]
    length = None if kind == "ARRAY" else given.get("length")
    zoned = given.get("timezone") is not None
    native = given.get("native") if kind == "UNKNOWN" else None
    sizes = (given.get(name) for name in ("precision", "scale", "unit", "ref"))
    return (kind, length, zoned, native, *sizes)


_NAMES = ("spark-4", "pyarrow", "fastavro", "avro", "iceberg", "delta", "generic")
_PROFILES = Path(__file__).with_name("profiles")  # importlib.resources takes longer than the file
_EVERY = frozenset(kind.value for kind in Kind)


def engine_names() -> tuple[str, ...]:
    """Every engine that has a profile."""
    return _NAMES


@cache
def profile(engine: str) -> Profile:
    """The profile of an engine."""
    if engine not in _NAMES:
        raise LumosError(f"unknown reader {engine!r}", hint=f"known are {', '.join(_NAMES)}")
    raw = (_PROFILES / f"{engine}.json").read_bytes()
    return _profile(engine, orjson.loads(raw))


def _profile(name: str, given: Mapping[str, Any]) -> Profile:
    groups = {group: frozenset(kinds.split()) for group, kinds in given["groups"].items()}
    traits: Mapping[str, Any] = given["traits"]
    holds = given.get("holds", {})
    digits = given.get("most_digits", {})
    return Profile(
        name=name,
        says=given["says"],
        version=given["version"],
        sources=given["sources"],
        traits=Traits(**{trait: said["is"] for trait, said in traits.items()}),
        trait_sources={trait: said["source"] for trait, said in traits.items()},
        readers=tuple(given.get("readers", ())),
        rows=tuple(_row(row, groups, given["sources"]) for row in given["rows"]),
        stores={**holds, **given.get("stores", {})},
        asks={**holds, **given.get("asks", {})},
        most_digits=digits.get("is"),
        digits_why=digits.get("why", ""),
        digits_source=digits.get("source", ""),
    )


def _row(
    given: Mapping[str, str], groups: Mapping[str, frozenset[str]], sources: Mapping[str, str]
) -> Row:
    return Row(
        old=frozenset(_kinds(given["from"], groups)),
        new=frozenset(_kinds(given["to"], groups)),
        reads=Outcome(given["reads"]),
        why=given["why"],
        source=sources[given["source"]],
        when=tuple(given.get("when", "").split()),
        shows=given.get("shows", ""),
        readers=tuple(given.get("reader", "").split()),
    )


def _kinds(text: str, groups: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Names of kinds and of groups of kinds; a star is every kind."""
    known = {"*": _EVERY, **groups}
    for word in text.split():
        yield from known.get(word) or (Kind(word).value,)

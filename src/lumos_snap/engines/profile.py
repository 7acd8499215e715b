"""Engine profiles: rows of type changes, their named conditions, and loading them.

Conditions are pure. An unspecified parameter, as in a decimal without precision, fits only into an
unspecified one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import orjson

from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import Kind


class ReadOutcome(StrEnum):
    """What happens to stored values."""

    EXACT = "exact"
    REFUSED = "refused"
    CHANGED = "changed"


HARM = (ReadOutcome.EXACT, ReadOutcome.REFUSED, ReadOutcome.CHANGED)
"""In ascending order of harm: an error is noticed, a silent data change is not."""


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The outcome of one pair of types in one engine, and its source."""

    engine: str
    outcome: ReadOutcome
    shows: str = ""
    why: str = ""
    source: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True)
class Traits:
    """How an engine finds and fills columns."""

    finds_fields: Literal["name", "id", "position"]
    ignores_case: bool
    fills_defaults: bool
    follows_aliases: bool
    fills_nulls: bool


Type = JsonObject
Condition = Callable[[Type, Type], bool]

DIGITS = {
    "INT8": 3, "INT16": 5, "INT32": 10, "INT64": 19,
    "UINT8": 3, "UINT16": 5, "UINT32": 10, "UINT64": 20,
}  # fmt: skip
"""The maximum number of digits of an integer type."""

_UNITS = ("s", "ms", "us", "ns")
_IN_32_BITS = frozenset({"INT8", "INT16", "INT32", "UINT8", "UINT16", "UINT32", "DATE"})
_ENDLESS = float("inf")


def _whole(decimal: Type) -> float:
    """The number of digits before the point."""
    precision = decimal.get("precision")
    return _ENDLESS if precision is None else precision - decimal.get("scale", 0)


def _scale(decimal: Type) -> float:
    return _ENDLESS if decimal.get("precision") is None else decimal.get("scale", 0)


def _precision(decimal: Type) -> float:
    precision = decimal.get("precision")
    return _ENDLESS if precision is None else precision


def _digits_fit(old: Type, new: Type) -> bool:
    return _whole(new) >= _whole(old) and _scale(new) >= _scale(old)


def _integer_fits(old: Type, new: Type) -> bool:
    return old["type"] in DIGITS and _whole(new) >= DIGITS[old["type"]] and _scale(new) >= 0


def _whole_fits(old: Type, new: Type) -> bool:
    """A decimal without fraction has fewer digits than the new number type."""
    most = {"FLOAT32": 8, "FLOAT64": 16, **DIGITS}.get(new["type"], 0)
    return _scale(old) == 0 and _precision(old) < most


def _word_fits(old: Type, new: Type) -> bool:
    """The digits of the machine word that stores an integer, whatever its own size."""
    return _whole(new) >= (10 if _in_32_bits(old, new) else 20)


def _in_32_bits(old: Type, _: Type) -> bool:
    """Whether Parquet stores it as an INT32."""
    match old["type"]:
        case "DECIMAL":
            return _precision(old) <= 9  # noqa: PLR2004 - the digits that fit
        case "TIME":
            return old.get("unit") in ("s", "ms")
        case "INTERVAL":
            return old.get("unit") == "year-month"
        case kind:
            return kind in _IN_32_BITS


def _in_64_bits(old: Type, new: Type) -> bool:
    """Whether Parquet stores it as an INT64."""
    match old["type"]:
        case "DECIMAL":
            return 9 < _precision(old) <= 18  # noqa: PLR2004 - the digits that fit
        case "TIME":
            return not _in_32_bits(old, new)
        case "INTERVAL":
            return old.get("unit") in ("day-time", *_UNITS)
        case kind:
            return kind in ("INT64", "UINT64", "TIMESTAMP")


def _zone_same(old: Type, new: Type) -> bool:
    return (old.get("timezone") is None) == (new.get("timezone") is None)


def _unit_same(old: Type, new: Type) -> bool:
    return bool(old.get("unit") == new.get("unit"))


def _unit_finer(old: Type, new: Type) -> bool:
    """The new unit is the same or finer."""
    known = old.get("unit") in _UNITS and new.get("unit") in _UNITS
    return known and _UNITS.index(old["unit"]) <= _UNITS.index(new["unit"])


def _length_fits(old: Type, new: Type) -> bool:
    there, here = old.get("length"), new.get("length")
    return here is None or (there is not None and there <= here)


def _one_branch(old: Type, new: Type) -> bool:
    """One alternative of the new union is the old type."""
    return any(_plain(branch) == _plain(old) for branch in new.get("branches") or ())


def _plain(one: Type) -> tuple[object, ...]:
    names = ("type", "precision", "scale", "length", "unit")
    return (*(one.get(name) for name in names), one.get("timezone") is None)


def _element_alike(old: Type, new: Type) -> bool:
    """The elements of the new array have the physical type of the old values."""
    element = new.get("element") or {"type": "UNKNOWN"}
    words = _in_32_bits(old, old) or old["type"] == "NULL"
    return bool(old["type"] == element["type"]) or (words and _in_32_bits(element, old))


def _unit(side: int, *units: str) -> Condition:
    return lambda *pair: pair[side].get("unit") in units


CONDITIONS: Mapping[str, Condition] = {
    "digits-fit": _digits_fit,
    "whole-digits-fit": lambda old, new: _whole(new) >= _whole(old),
    "scale-same": lambda old, new: _scale(old) == _scale(new) < _ENDLESS,
    "integer-fits": _integer_fits,
    "word-fits": _word_fits,
    "decimal-20-0": lambda _, new: (_precision(new), _scale(new)) == (20, 0),
    "precision-open": lambda old, new: (
        _ENDLESS in [_precision(one) for one in (old, new) if one["type"] == "DECIMAL"]
    ),
    "whole-fits": _whole_fits,
    "in-32-bits": _in_32_bits,
    "in-64-bits": _in_64_bits,
    "zone-same": _zone_same,
    "zone-none-before": lambda old, _: old.get("timezone") is None,
    "zone-none": lambda _, new: new.get("timezone") is None,
    "unit-same": _unit_same,
    "unit-finer": _unit_finer,
    "from-nanoseconds": _unit(0, "ns"),
    "to-nanoseconds": _unit(1, "ns"),
    "from-microseconds": _unit(0, "us"),
    "from-year-month": _unit(0, "year-month"),
    "to-year-month": _unit(1, "year-month"),
    "from-day-time": _unit(0, "day-time"),
    "to-day-time": _unit(1, "day-time"),
    "from-clock-unit": _unit(0, *_UNITS),
    "to-clock-unit": _unit(1, *_UNITS),
    "to-coarse-unit": _unit(1, "s", "ms", "us"),
    "to-microseconds": _unit(1, "us"),
    "to-32-bit-time": _unit(1, "s", "ms"),
    "to-64-bit-time": _unit(1, "us", "ns"),
    "calendar-fits": lambda old, new: (
        _whole(new) >= {"year-month": 10, "day-time": 19}.get(old.get("unit", ""), _ENDLESS)
    ),
    "length-fits": _length_fits,
    "to-length-16": lambda _, new: new.get("length") == 16,  # noqa: PLR2004 - of a UUID
    "from-length-16": lambda old, _: old.get("length") == 16,  # noqa: PLR2004 - of a UUID
    "one-branch": _one_branch,
    "element-alike": _element_alike,
}


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A row: the outcome for matching kinds and conditions; the first matching row applies."""

    old: frozenset[str]
    new: frozenset[str]
    reads: ReadOutcome
    why: str
    source: str
    when: tuple[str, ...] = ()
    shows: str = ""
    readers: tuple[str, ...] = ()

    def matches(self, old: Type, new: Type) -> bool:
        """Whether this row matches the pair."""
        if old["type"] not in self.old or new["type"] not in self.new:
            return False
        return all(CONDITIONS[name](old, new) for name in self.when)


_OLDER_FORMS = frozenset({"INT96"})
"""Physical types of nanoseconds that engines read although they have only microseconds."""


@dataclass(frozen=True)
class Profile:
    """An engine: its description, how it finds columns, and what it does with pairs of types."""

    name: str
    says: str
    version: str
    sources: Mapping[str, str]
    traits: Traits
    trait_sources: Mapping[str, str]
    readers: tuple[str, ...]
    rows: tuple[ProfileRow, ...]
    stores: Mapping[str, Type] = field(default_factory=dict)
    asks: Mapping[str, Type] = field(default_factory=dict)
    most_digits: int | None = None
    """The maximum digits of a decimal; None if unlimited."""
    digits_why: str = ""
    digits_source: str = ""
    unreadable: tuple[Type, ...] = ()
    """Types, as far as they are stated, that the engine does not read from its own format."""
    unreadable_why: str = ""
    unreadable_source: str = ""

    def cannot_read(self, given: Type) -> bool:
        """Whether the engine refuses columns of a type even where they are declared as that."""
        if given.get("physical") in _OLDER_FORMS:
            return False
        return any(
            all(given.get(name) == said for name, said in one.items()) for one in self.unreadable
        )

    def refuses(self, given: Type) -> bool:
        """Whether the engine does not support a type, and so cannot read a schema that has it."""
        precision, scale = given.get("precision"), given.get("scale") or 0
        if given["type"] != "DECIMAL" or precision is None or self.most_digits is None:
            return False
        return bool(precision > self.most_digits or scale > precision)

    def stored(self, given: Type) -> Type:
        """The type that the engine stores in place of a type that it lacks."""
        return self.stores.get(given["type"], given)

    def asked(self, given: Type) -> Type:
        """The type that the engine is given in place of a type that it lacks."""
        return self.asks.get(given["type"], given)

    def answers(self, old: Type, new: Type) -> Iterator[tuple[str, ProfileRow]]:
        """The matching row of each reader inside the engine."""
        pair = self.stored(old), self.asked(new)
        for reader in self.readers or ("",):
            rows = self._by_reader[reader]
            yield reader, next((row for row in rows if row.matches(*pair)), rows[-1])

    @cached_property
    def _by_reader(self) -> Mapping[str, tuple[ProfileRow, ...]]:
        return {
            reader: tuple(row for row in self.rows if not row.readers or reader in row.readers)
            for reader in self.readers or ("",)
        }


def same(old: JsonObject, new: JsonObject) -> bool:
    """Whether two types store the same values in the same form, as one column.

    Members, elements, branches and symbols have rules of their own, and so have collations.
    """
    return _type_key(old) == _type_key(new)


def _type_key(given: JsonObject) -> tuple[object, ...]:
    kind = given["type"]
    length = None if kind == "ARRAY" else given.get("length")
    zoned = given.get("timezone") is not None
    native = given.get("native") if kind == "UNKNOWN" else None
    sizes = (given.get(name) for name in ("precision", "scale", "unit", "ref"))
    return (kind, length, zoned, native, *sizes)


_NAMES = ("spark-4", "pyarrow", "fastavro", "avro", "iceberg", "delta", "generic")
_PROFILES = Path(__file__).with_name("profiles")  # faster than importlib.resources
_EVERY = frozenset(kind.value for kind in Kind)


def engine_names() -> tuple[str, ...]:
    """All engines with a profile."""
    return _NAMES


@cache
def profile(engine: str) -> Profile:
    """Load the profile of an engine."""
    if engine not in _NAMES:
        raise LumosError(f"unknown reader {engine!r}", hint=f"known are {', '.join(_NAMES)}")
    raw = (_PROFILES / f"{engine}.json").read_bytes()
    return _profile(engine, orjson.loads(raw))


def _profile(name: str, given: JsonObject) -> Profile:
    groups = {group: frozenset(kinds.split()) for group, kinds in given["groups"].items()}
    traits: Mapping[str, Any] = given["traits"]
    holds = given.get("holds", {})
    digits, unreadable = given.get("most_digits", {}), given.get("unreadable", {})
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
        unreadable=tuple(unreadable.get("types", ())),
        unreadable_why=unreadable.get("why", ""),
        unreadable_source=unreadable.get("source", ""),
    )


def _row(
    given: Mapping[str, str], groups: Mapping[str, frozenset[str]], sources: Mapping[str, str]
) -> ProfileRow:
    return ProfileRow(
        old=frozenset(_kinds(given["from"], groups)),
        new=frozenset(_kinds(given["to"], groups)),
        reads=ReadOutcome(given["reads"]),
        why=given["why"],
        source=sources[given["source"]],
        when=tuple(given.get("when", "").split()),
        shows=given.get("shows", ""),
        readers=tuple(given.get("reader", "").split()),
    )


def _kinds(text: str, groups: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Expand names of kinds and of groups of kinds; `*` means every kind."""
    known = {"*": _EVERY, **groups}
    for word in text.split():
        yield from known.get(word) or (Kind(word).value,)


# Asks an engine's profile what happens to stored values that are read as another type.


_READERS = {
    "parquet": ("spark-4",),
    "iceberg": ("iceberg",),
    "delta": ("delta",),
    "avro": ("avro",),
}
_BY_DEFINITION = "by definition"


def readers_of(format: str | None) -> tuple[str, ...]:  # noqa: A002 - the snapshot's own word
    """The engines that read a format, for a dataset that declares none."""
    return _READERS.get((format or "").lower(), ("generic",))


def ask(engine: str, old: JsonObject, new: JsonObject) -> EngineAnswer:
    """Find what an engine does with values that were stored as one type and are read as another.

    Every pair of types has an answer; of several readers inside an engine the worst applies.
    """
    about = profile(engine)
    if same(old, new):
        return EngineAnswer(
            engine, ReadOutcome.EXACT, why="The type is the same.", source=_BY_DEFINITION
        )
    if about.refuses(old) or about.refuses(new):
        why, source = about.digits_why, about.digits_source
        return EngineAnswer(engine, ReadOutcome.REFUSED, why=why, source=source)
    if "UNKNOWN" in (old["type"], new["type"]):
        why = "Nothing is known of the type but its name, and that is another one."
        return EngineAnswer(engine, ReadOutcome.REFUSED, why=why, source=_BY_DEFINITION)
    if same(about.stored(old), about.asked(new)):
        why = f"To {engine} both are the same type."
        return EngineAnswer(engine, ReadOutcome.EXACT, why=why, source=about.sources["types"])
    told = tuple(about.answers(old, new))
    reader, row = max(told, key=_harm)
    return EngineAnswer(
        engine=engine,
        outcome=row.reads,
        shows=row.shows,
        why=row.why,
        source=row.source,
        reader=reader if len({one.reads for _, one in told}) > 1 else "",
    )


def _harm(told: tuple[str, ProfileRow]) -> int:
    return HARM.index(told[1].reads)

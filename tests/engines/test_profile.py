"""Every question has an answer, and answers obey the laws of reading."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.engines import ReadOutcome, ask, engine_names, readers_of
from lumos_snap.engines.profile import HARM
from lumos_snap.model.types import DataType
from tests.engines.samples import SAMPLES
from tests.engines.type_values import can_hold
from tests.strategies.types import types

ENGINES = pytest.mark.parametrize("engine", engine_names())

Type = Mapping[str, Any]


def document(one: DataType) -> Type:
    """A type as it is stored: what is not said is left out."""
    said: dict[str, Any] = {"type": one.type.value}
    for name in ("precision", "scale", "length", "unit", "timezone", "native", "ref", "collation"):
        if getattr(one, name) is not None:
            said[name] = getattr(one, name)
    if one.symbols:
        said["symbols"] = list(one.symbols)
    if one.element is not None:
        said["element"] = document(one.element)
    if one.branches:
        said["branches"] = [document(branch) for branch in one.branches]
    return said


any_type = types(DataType, 1, ("node", "leaf")).map(document)


@ENGINES
@given(old=any_type, new=any_type)
def test_any_two_types_have_an_answer(engine: str, old: Type, new: Type) -> None:
    answer = ask(engine, old, new)
    assert answer.engine == engine
    assert answer.outcome in HARM
    assert answer.why
    assert answer.source
    assert answer == ask(engine, old, new)


@ENGINES
@given(one=any_type)
def test_the_same_type_is_exact(engine: str, one: Type) -> None:
    assert ask(engine, one, {**one, "name": "a", "nullable": False}).outcome is ReadOutcome.EXACT


@ENGINES
@given(one=any_type, zone=st.sampled_from(["UTC", "Europe/Rome"]))
def test_the_name_of_a_zone_changes_nothing(engine: str, one: Type, zone: str) -> None:
    if "timezone" in one:
        assert ask(engine, one, {**one, "timezone": zone}).outcome is ReadOutcome.EXACT


@ENGINES
def test_symbols_and_collations_have_rules_of_their_own(engine: str) -> None:
    red, blue = {"type": "ENUM", "symbols": ["red"]}, {"type": "ENUM", "symbols": ["blue"]}
    assert ask(engine, red, blue).outcome is ReadOutcome.EXACT
    plain, german = {"type": "STRING"}, {"type": "STRING", "collation": "de_DE"}
    assert ask(engine, plain, german).outcome is ReadOutcome.EXACT


@ENGINES
def test_what_is_nested_is_judged_by_its_kind_alone(engine: str) -> None:
    ints, texts = (
        {"type": "ARRAY", "element": {"type": kind, "nullable": True}} for kind in ("INT32", "DATE")
    )
    assert ask(engine, ints, texts).outcome is ReadOutcome.EXACT
    assert ask(engine, ints, {"type": "INT32"}).outcome is not ReadOutcome.EXACT


@ENGINES
def test_an_unknown_type_is_compared_by_its_name(engine: str) -> None:
    one, other = ({"type": "UNKNOWN", "native": name} for name in ("geometry", "hstore"))
    assert ask(engine, one, dict(one)).outcome is ReadOutcome.EXACT
    assert ask(engine, one, other).outcome is ReadOutcome.REFUSED
    assert ask(engine, one, {"type": "STRING"}).outcome is ReadOutcome.REFUSED
    assert ask(engine, {"type": "STRING"}, one).outcome is ReadOutcome.REFUSED


def test_generic_says_exact_only_where_every_value_survives() -> None:
    for old, new in product(SAMPLES.values(), SAMPLES.values()):
        if ask("generic", old.type, new.type).outcome is ReadOutcome.EXACT:
            lost = [one.text for one in old.values if not can_hold(new.type, one)]
            assert lost == [], f"{old.name} → {new.name}"


@given(old=any_type, new=any_type)
def test_generic_calls_nothing_changed(old: Type, new: Type) -> None:
    assert ask("generic", old, new).outcome is not ReadOutcome.CHANGED


# Not so for Spark and fastavro, which go by what is stored: Spark reads a column of NULL as INT16
# and INT16 as DECIMAL, but not NULL as DECIMAL.
@pytest.mark.parametrize("engine", ["pyarrow", "avro", "iceberg", "delta", "generic"])
def test_exact_widenings_compose(engine: str) -> None:
    exact = {
        (old.name, new.name)
        for old, new in product(SAMPLES.values(), SAMPLES.values())
        if ask(engine, old.type, new.type).outcome is ReadOutcome.EXACT
    }
    chains = ((a, c) for (a, b), (same, c) in product(exact, exact) if b == same)
    assert sorted(set(chains) - exact) == []


@pytest.mark.parametrize(
    ("engine", "old", "new", "outcome", "reader"),
    [
        ("spark-4", {"type": "INT32"}, {"type": "INT64"}, ReadOutcome.EXACT, ""),
        ("spark-4", {"type": "STRING"}, {"type": "INT64"}, ReadOutcome.REFUSED, ""),
        ("spark-4", {"type": "INT32"}, {"type": "INT8"}, ReadOutcome.CHANGED, ""),
        (
            "spark-4",
            {"type": "DECIMAL", "precision": 10, "scale": 2},
            {"type": "DECIMAL", "precision": 9, "scale": 2},
            ReadOutcome.CHANGED,
            "row",
        ),
        ("spark-4", {"type": "NULL"}, {"type": "STRING"}, ReadOutcome.REFUSED, "vectorised"),
    ],
)
def test_the_worst_reader_inside_an_engine_decides(
    engine: str, old: Type, new: Type, outcome: ReadOutcome, reader: str
) -> None:
    answer = ask(engine, old, new)
    assert (answer.outcome, answer.reader) == (outcome, reader)


@pytest.mark.parametrize(
    ("format_", "readers"),
    [
        ("parquet", ("spark-4",)),
        ("Parquet", ("spark-4",)),
        ("iceberg", ("iceberg",)),
        ("delta", ("delta",)),
        ("avro", ("avro",)),
        ("orc", ("generic",)),
        ("csv", ("generic",)),
        ("json", ("generic",)),
        ("something new", ("generic",)),
        (None, ("generic",)),
    ],
)
def test_a_format_has_readers_by_default(format_: str | None, readers: tuple[str, ...]) -> None:
    assert readers_of(format_) == readers

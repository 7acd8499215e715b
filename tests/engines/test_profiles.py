"""Profiles are sound: each row can answer, has a source, and names conditions that exist."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import orjson
import pytest

from lumos_snap.engines import Profile, ProfileRow, ReadOutcome, Traits, engine_names, profile
from lumos_snap.engines.profile import CONDITIONS, same
from lumos_snap.errors import LumosError
from lumos_snap.model.types import PARAMETERS, Kind
from tests.engines.avro import AVRO
from tests.engines.proof import first_pairs
from tests.engines.samples import SAMPLES, without

ENGINES = pytest.mark.parametrize("engine", engine_names())

MEASURED = {
    "spark-4": tuple(SAMPLES.values()),
    "pyarrow": without("CHAR(5)", "CHAR(8)"),
    "fastavro": AVRO,
    "avro": AVRO,
}

Type = Mapping[str, Any]


def raw(engine: str) -> Any:
    return orjson.loads((files("lumos_snap.engines") / f"profiles/{engine}.json").read_bytes())


@cache
def types() -> tuple[Type, ...]:
    """The samples, each kind as it is, and each unit, length and branch that rows speak of."""
    int32 = {"type": "INT32"}
    return (
        *(sample.type for sample in SAMPLES.values()),
        *({"type": kind.value} for kind in Kind if not PARAMETERS[kind].must),
        *(
            {"type": kind.value, "unit": unit.value, **zone}
            for kind in (Kind.TIME, Kind.TIMESTAMP, Kind.INTERVAL)
            for unit in PARAMETERS[kind].units
            for zone in ({}, {"timezone": "UTC"})
        ),
        {"type": "BINARY", "length": 4},
        {"type": "UNION", "branches": [{"type": "NULL"}, int32, {"type": "BOOLEAN"}]},
    )


def answering(about: Profile) -> Iterator[ProfileRow]:
    for old, new in product(types(), types()):
        if not same(old, new) and not same(about.stored(old), about.asked(new)):
            yield from (row for _, row in about.answers(old, new))


@ENGINES
def test_each_row_answers_some_pair(engine: str) -> None:
    about = profile(engine)
    silent = set(about.rows) - set(answering(about))
    assert [about.rows.index(row) for row in silent] == []


@pytest.mark.parametrize("engine", MEASURED)
def test_what_is_called_measured_is_measured(engine: str) -> None:
    met = first_pairs(engine, MEASURED[engine])
    unmet = [
        (sorted(row.old)[0], sorted(row.new)[0])
        for row in profile(engine).rows
        if row.source == profile(engine).sources["measured"] and row not in met
    ]
    # A union is not one column's type in these files: the tests of traits read one.
    assert unmet == ([("ARRAY", "UNION")] if "avro" in engine else [])


@ENGINES
def test_each_row_says_why_and_from_where(engine: str) -> None:
    for row in profile(engine).rows:
        assert row.source
        assert row.why.endswith(".")
        assert set(row.when) <= set(CONDITIONS)
        assert set(row.readers) <= set(profile(engine).readers)
        assert row.old
        assert row.new


@ENGINES
def test_what_is_changed_has_a_witness_and_what_is_exact_has_none(engine: str) -> None:
    for row in profile(engine).rows:
        assert (row.reads is ReadOutcome.CHANGED) <= ("→" in row.shows)
        assert (row.reads is ReadOutcome.EXACT) <= (not row.shows)


@ENGINES
def test_the_last_row_of_each_reader_refuses_every_pair(engine: str) -> None:
    about = profile(engine)
    for reader in about.readers or ("",):
        last = [row for row in about.rows if not row.readers or reader in row.readers][-1]
        assert (last.reads, last.when) == (ReadOutcome.REFUSED, ())
        assert last.old == last.new == {kind.value for kind in Kind}


@ENGINES
def test_every_trait_has_a_source(engine: str) -> None:
    about = profile(engine)
    assert set(about.trait_sources) == {trait.name for trait in fields(Traits)}
    assert all(about.trait_sources.values())
    assert about.says


@ENGINES
def test_a_file_has_nothing_that_nobody_uses(engine: str) -> None:
    given = raw(engine)
    rows = given["rows"]
    words = {word for row in rows for word in (*row["from"].split(), *row["to"].split())}
    assert set(given["groups"]) <= words
    mapped = {"types"} if {"holds", "stores", "asks"} & set(given) else set()
    assert set(given["sources"]) == {row["source"] for row in rows} | mapped


def test_every_condition_is_used() -> None:
    used = {name for engine in engine_names() for row in profile(engine).rows for name in row.when}
    assert set(CONDITIONS) - used == set()


def test_an_unknown_reader_is_named_with_those_that_are_known() -> None:
    with pytest.raises(LumosError) as refusal:
        profile("spark-1")
    assert "spark-1" in refusal.value.message
    assert all(name in refusal.value.hint for name in engine_names())


def test_profiles_are_read_when_they_are_asked_for() -> None:
    program = (
        "import sys; from lumos_snap.engines.profile import profile;"
        "heavy = {'pydantic_core', 'pyarrow', 'pyspark', 'fastavro'} & set(sys.modules);"
        "print(profile.cache_info().currsize, heavy)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0 set()"

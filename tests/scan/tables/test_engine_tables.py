"""Tables that Delta, Iceberg and Hudi wrote are described as these engines describe them.

`python -m tests.components.lakehouse` writes the tables with the engines, and rewrites the logs
and the words of the engines in `engine_tables/`.
"""

import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.scan.tables.engine_differences import (
    DIFFERENCES,
    Compared,
    Difference,
    compared,
    reasons,
    tables,
)

ROOT = Path(__file__).parents[3]
FIXTURES = Path(__file__).parent / "engine_tables"
KINDS = ("delta", "hudi", "iceberg")
SAID = {kind: json.loads((FIXTURES / f"{kind}.json").read_text()) for kind in KINDS}
TABLES = [(kind, name) for kind in KINDS for name, _ in tables(SAID[kind]["tables"])]

Facts = Mapping[tuple[str, str], tuple[Compared, ...]]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """Every fact of every table, by format and name."""
    found = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp(kind)
        _unpack(FIXTURES / f"{kind}.tar.xz", folder)
        for name, said in tables(SAID[kind]["tables"]):
            found[kind, name] = tuple(compared(kind, name, folder / name, said))
    return found


def _unpack(path: Path, folder: Path) -> None:
    with tarfile.open(path) as archive:
        for one in archive:
            held = archive.extractfile(one)
            assert held is not None
            target = folder / one.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(held.read())


@pytest.mark.parametrize(("kind", "name"), TABLES, ids=map("-".join, TABLES))
def test_a_table_is_described_as_its_engine_describes_it(
    kind: str, name: str, facts: Facts
) -> None:
    differ = [one for one in facts[kind, name] if not one.is_same]
    assert [one for one in differ if not reasons(one)] == []


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: f"{row.kind} {row.fact}")
def test_a_listed_difference_exists(row: Difference, facts: Facts) -> None:
    found = [one for held in facts.values() for one in held if not one.is_same]
    assert any(row.covers(one.kind, one.table, one.fact) for one in found)


def test_totals_are_those_of_the_guide(facts: Facts) -> None:
    held = [one for of_table in facts.values() for one in of_table]
    columns = {(one.kind, one.table, one.column) for one in held if one.column}
    differ = {(one.kind, one.table, one.column) for one in held if one.column and not one.is_same}
    engines = ", ".join(SAID[kind]["engine"].partition(" on ")[0] for kind in KINDS)
    said = (
        f"{len(facts)} tables that {engines} wrote: {len(columns - differ):,} of {len(columns):,}"
        " columns, nested ones included, have the type, nullability and id that the engine states"
    )
    guide = " ".join((ROOT / "docs/guides/tables.md").read_text().split())
    assert said in guide

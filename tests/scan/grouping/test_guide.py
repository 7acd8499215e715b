"""Every line of every table in the guide is true."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.scan.grouping.assign import FilePlacement, Layout, place_file
from lumos_snap.scan.grouping.folders import PartitionValue
from lumos_snap.scan.grouping.include_exclude import compile_glob, ignore_reason
from lumos_snap.scan.grouping.partitions import Partitions
from lumos_snap.scan.grouping.templates import parse_template

PAGE = Path(__file__).parents[3] / "docs/guides/grouping.md"
SOURCE = "the source"


def _rows() -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each line of each table, with the head of its table."""
    rows = []
    for table in re.findall(r"(?:^\|.*\|\n)+", PAGE.read_text(), re.MULTILINE):
        head, _, *lines = [
            tuple(cell.strip() for cell in line[1:-1].split("|")) for line in table.splitlines()
        ]
        rows += [(head, line) for line in lines]
    return rows


def _code(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


def _dataset(placed: FilePlacement) -> str:
    return f"`{'/'.join(placed.names)}`" if placed.names else SOURCE


def _partitions(placed: FilePlacement) -> str:
    return ", ".join(f"`{_shown(value)}`" for value in placed.partitions)


def _shown(value: PartitionValue) -> str:
    text = "null" if value.kind == "null" else value.value
    return f"{value.name} = {text}" + (f" ({value.format})" if value.format else "")


def _by_partitions(file: str, dataset: str, partitions: str) -> None:
    placed = place_file(_code(file)[0], Layout())
    assert (_dataset(placed), _partitions(placed)) == (dataset, partitions)


def _by_rule(file: str, dataset: str, rule: str) -> None:
    placed = place_file(_code(file)[0], Layout())
    assert (_dataset(placed), placed.rule) == (dataset, rule)


def _by_grouping(grouping, file: str, dataset: str, partitions: str) -> None:
    placed = place_file(_code(file)[0], Layout(grouping=grouping))
    assert (_dataset(placed), _partitions(placed)) == (dataset, partitions)


def _by_template(template: str, file: str, dataset: str, partitions: str) -> None:
    placed = place_file(_code(file)[0], Layout(templates=(parse_template(_code(template)[0]),)))
    assert (_dataset(placed), _partitions(placed)) == (dataset, partitions)


def _typed(column: str, values: str, kind: str, form: str) -> None:
    gathered = Partitions()
    for value in _code(values):
        path = f"{_code(column)[0]}={value}/part-0"
        gathered.add(place_file(path, Layout()).partitions)
    (partition,) = gathered.partitioning()
    assert [partition.type, f"`{partition.format}`" if partition.format else ""] == [kind, form]


def _ignored(file: str, why: str) -> None:
    assert (ignore_reason(_code(file)[0]) or "") == why


def _matched(glob: str, yes: str, no: str) -> None:
    matches = compile_glob(_code(glob)[0])
    assert [path for path in _code(yes) if not matches(path)] == []
    assert [path for path in _code(no) if matches(path)] == []


CHECKS: dict[tuple[str, ...], Callable[..., None]] = {
    ("file", "dataset", "partitions"): _by_partitions,
    ("file", "dataset", "rule"): _by_rule,
    ("grouping", "file", "dataset", "partitions"): _by_grouping,
    ("template", "file", "dataset", "partitions"): _by_template,
    ("column", "values", "type", "format"): _typed,
    ("file", "why"): _ignored,
    ("glob", "matches", "does not match"): _matched,
}


def test_every_kind_of_table_is_on_the_page() -> None:
    assert {head for head, _ in _rows()} == set(CHECKS)


@pytest.mark.parametrize(("head", "line"), _rows(), ids=lambda cells: cells[0])
def test_a_line_of_the_guide_is_true(head, line) -> None:
    CHECKS[head](*line)

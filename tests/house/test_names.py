"""Names and sizes of modules: what `make figures` prints has limits."""

import statistics

import pytest

from tests.house.figures import (
    SOURCES,
    Module,
    figures,
    importers,
    is_gerund_or_participle,
    is_participle,
    modules_of,
)

MODULES = modules_of(SOURCES)
PLAIN = [one for one in MODULES if not one.is_package]
LONGEST = 500
CRUMB = 60
REGISTRIES = (
    "cli.snap.",  # rows of the table of commands
    "commands.",  # one module for each verb
    "render.",  # one module for each output format
    "scan.tables.",  # one module for each table format
)
"""Families whose members are found by their name: a small one stays a module of its own."""
ALONE = {
    "canonical.api": "the public names of the package load it late",
}


def is_registered(module: Module) -> bool:
    return module.name.startswith(REGISTRIES) or module.name in ALONE


def test_modules_are_named_by_nouns() -> None:
    assert [one.name for one in MODULES if is_gerund_or_participle(one.stem)] == []


@pytest.mark.parametrize("name", ["looking", "met", "asked", "scan_cached", "unreached", "told"])
def test_gerunds_and_participles_are_noticed(name: str) -> None:
    assert is_gerund_or_participle(name)


@pytest.mark.parametrize("name", ["listing", "prefix_listing", "merging", "seed", "feed", "read"])
def test_established_nouns_are_no_gerunds(name: str) -> None:
    assert not is_gerund_or_participle(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("said", True), ("_told", True), ("looked_at", True), ("read_footer", False), ("feed", False)],
)
def test_participles_of_functions_are_noticed(name: str, *, expected: bool) -> None:
    assert is_participle(name) == expected


def test_modules_are_neither_crumbs_nor_monsters() -> None:
    lengths = [one.lines for one in PLAIN]
    assert {one.name: one.lines for one in PLAIN if one.lines > LONGEST} == {}
    assert 110 <= statistics.median(lengths) <= 170


def test_a_crumb_lives_in_its_importer() -> None:
    imported = importers(MODULES)
    crumbs = [
        one.name
        for one in PLAIN
        if one.lines < CRUMB and len(imported.get(one.name, ())) == 1 and not is_registered(one)
    ]
    assert crumbs == []


def test_exceptions_are_needed() -> None:
    names = {one.name for one in PLAIN}
    assert set(ALONE) <= names
    assert all(any(name.startswith(one) for name in names) for one in REGISTRIES)


def test_every_figure_has_a_value() -> None:
    found = figures(SOURCES)
    assert all(found.values())
    assert found["modules named by a gerund or participle"] == "0"


def test_few_signatures_hide_their_types() -> None:
    found = figures(SOURCES)["signatures with `Any` or an alias of it"]
    assert float(found.rstrip("%")) <= 5

"""Tests stand where the code stands, and their files are named by nouns."""

from pathlib import Path

import pytest

from tests.house.figures import ROOT, SOURCES, is_gerund_or_participle

TESTS = ROOT / "tests"
FILES = sorted(path.relative_to(TESTS) for path in TESTS.rglob("*.py"))
OF_THE_PRODUCT = {
    *(
        "corpus",
        "components",
        "components_runner",
        "datahub",
        "docs",
        "forge",
        "gms",
        "hostile",
        "house",
    ),
    *("mutation", "published", "strategies", "world"),
}
"""Folders that test the product as a whole, or tools of the tests."""
NO_PACKAGE = {"catalogs/contract": "every catalog is held to it"}


def is_mirrored(folder: Path) -> bool:
    """Whether a folder must have the name of a package."""
    return not OF_THE_PRODUCT & {*folder.parts[:1]} and folder.as_posix() not in NO_PACKAGE


def test_folders_have_the_names_of_packages() -> None:
    folders = {file.parent for file in FILES if is_mirrored(file.parent)}
    assert len(folders) > 30
    assert [one for one in sorted(folders) if not (SOURCES / one / "__init__.py").is_file()] == []


def test_files_are_named_by_nouns() -> None:
    assert [one for one in FILES if is_gerund_or_participle(one.stem)] == []


@pytest.mark.parametrize("folder", sorted(OF_THE_PRODUCT | NO_PACKAGE.keys()))
def test_exceptions_are_needed(folder: str) -> None:
    assert (TESTS / folder).is_dir()
    assert not (SOURCES / folder).exists()

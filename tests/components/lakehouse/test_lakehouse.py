"""Real engines write tables today: scans describe them as they do, and the fixtures still hold."""

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.components.lakehouse.engines import ENGINES, failures
from tests.components.lakehouse.fixtures import FIXTURES
from tests.scan.tables.engine_differences import compared, reasons, tables
from tests.scan.tables.engine_facts import Said, of_engine

_OF_A_RUN = (
    "id", "version", "bytes", "* physical name", "property delta.inCommitTimestamp*",
    "property delta.rowTracking.*",
)  # fmt: skip
"""Facts that are other ones each time: names by chance, times, and what depends on them."""


class Written(NamedTuple):
    """What an engine wrote, and how it ended."""

    kind: str
    folder: Path
    failed: str
    said: Mapping[str, Said]


@pytest.fixture(scope="module", params=ENGINES)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """All tables of an engine."""
    folder = tmp_path_factory.mktemp(request.param)
    done = ENGINES[request.param].write(folder)
    path = folder / "said.json"
    said = json.loads(path.read_text())["tables"] if path.exists() else {}
    failed = (failures(folder) or done.stderr[-2000:]) if done.returncode else ""
    return Written(request.param, folder, failed, said)


def test_every_table_can_be_made(written: Written) -> None:
    assert written.failed == ""
    assert len(written.said) > 20


def test_tables_are_described_as_the_engine_describes_them(written: Written) -> None:
    found = [
        one
        for name, said in tables(written.said)
        for one in compared(written.kind, name, written.folder / name, said)
    ]
    assert [one for one in found if not one.is_same and not reasons(one)] == []


def test_the_fixtures_are_what_the_engine_writes_today(written: Written) -> None:
    kept = json.loads((FIXTURES / f"{written.kind}.json").read_text())
    assert kept["engine"] == ENGINES[written.kind].title
    assert [*kept["tables"]] == [*written.said]
    today, then = (
        {name: _lasting(written.kind, one) for name, one in tables(said)}
        for said in (written.said, kept["tables"])
    )
    assert today == then


def _lasting(kind: str, said: Said) -> dict[str, object]:
    facts = of_engine(kind, said)
    return {
        name: value
        for name, value in facts.items()
        if not any(fnmatchcase(name, pattern) for pattern in _OF_A_RUN)
    }

"""Which groups of component tests run for a change."""

from datetime import date, timedelta
from typing import NamedTuple

import pytest

from tests.components.plan import selected, touches

TODAY = date(2026, 11, 19)


class Some(NamedTuple):
    name: str
    paths: tuple[str, ...]


SCAN, SYNC, GATE = (
    Some("scan", ("src/scan", "tests/components/scan")),
    Some("sync", ("src/catalogs", "tests/components/sync")),
    Some("gate", ("src/ci", "src/rules/judging.py")),
)
ALL = (SCAN, SYNC, GATE)
NOTHING: dict[str, tuple[str, ...]] = {one.name: () for one in ALL}


@pytest.mark.parametrize(
    ("changed", "is_touched"),
    [
        ("src/ci/gate.py", True),
        ("src/rules/judging.py", True),
        ("src/rules/waiving.py", False),
        ("src/circle.py", False),
        ("src/ci", True),
        ("docs/src/ci/a.md", False),
        ("", False),
    ],
)
def test_paths_are_files_and_folders(changed: str, is_touched: bool) -> None:
    assert touches(GATE.paths, [changed]) is is_touched


def test_the_groups_whose_paths_changed_come_first() -> None:
    changed = {**NOTHING, "sync": ("README.md", "src/catalogs/a.py"), "gate": ("src/ci/b.py",)}
    assert selected(ALL, changed, TODAY) == (SYNC, GATE, SCAN)


def test_where_nothing_changed_each_group_gets_its_day() -> None:
    days = [selected(ALL, NOTHING, TODAY + timedelta(day)) for day in range(6)]
    assert {len(one) for one in days} == {1}
    assert set(days[:3]) == {(one,) for one in ALL}
    assert days[:3] == days[3:]


def test_the_order_of_the_registry_does_not_matter_to_the_rotation() -> None:
    assert selected(ALL, NOTHING, TODAY) == selected(ALL[::-1], NOTHING, TODAY)


def test_what_was_never_verified_or_whose_commit_is_not_known_counts_as_changed() -> None:
    assert selected(ALL, {"scan": (), "sync": None}, TODAY)[:2] == (SYNC, GATE)


def test_no_group_runs_twice() -> None:
    changed = {one.name: one.paths for one in ALL}
    assert selected(ALL, changed, TODAY) == ALL
    assert selected((SCAN,), NOTHING, TODAY) == (SCAN,)

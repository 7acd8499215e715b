"""Each folder is a merge: what both sides made of the base, and what must come of it."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.canonical.read import read
from lumos_snap.merging import MergeResult, encode_conflicts, merge
from lumos_snap.schema import Value, keys_of

CASES = sorted((Path(__file__).parent / "cases").iterdir())
SIDES = {"base": "base", "ours": "theirs", "theirs": "ours"}


def merged(case: Path, *sides: str) -> tuple[MergeResult, type[Value]]:
    found = [_document(case / f"{side}.json") for side in sides]
    cls = next(kind.cls for kind in KINDS if keys_of(kind.cls).keys() >= found[1].keys())
    return merge(found[0], found[1], found[2], cls), cls


def _document(path: Path) -> Any:
    return orjson.loads(path.read_bytes()) if path.exists() else None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_two_sides_become_one(case: Path, request: pytest.FixtureRequest) -> None:
    found, cls = merged(case, "base", "ours", "theirs")
    written = encode_conflicts(found, cls)
    golden = case / ("conflict.json" if found.conflicts else "merged.json")
    if request.config.getoption("--rewrite-golden"):
        golden.write_bytes(written)
    assert written == golden.read_bytes()
    assert len(list(case.glob("[cm]*.json"))) == 1
    assert bool(read(written, cls).problems) == bool(found.conflicts)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_sides_may_change_places(case: Path) -> None:
    found, cls = merged(case, "base", "ours", "theirs")
    swapped, _ = merged(case, "base", "theirs", "ours")
    assert len(swapped.conflicts) == len(found.conflicts)
    if not found.conflicts:
        assert encode_conflicts(swapped, cls) == (case / "merged.json").read_bytes()
    for one, other in zip(found.conflicts, swapped.conflicts, strict=True):
        assert (one.base, one.ours, one.theirs) == (other.base, other.theirs, other.ours)


def test_every_case_has_what_it_needs() -> None:
    assert len(CASES) > 30
    for case in CASES:
        names = {path.stem for path in case.iterdir()}
        assert names - {"base"} in ({"ours", "theirs", "merged"}, {"ours", "theirs", "conflict"})

"""A folder of hostile files and a few good ones: the good are described, the bad are named."""

import time
from pathlib import Path

import pytest

from tests.scan.flow.conftest import Scan
from tests.scan.flow.hostile import good, hostile
from tests.scan.flow.place import Place

pytestmark = pytest.mark.slow
LONGEST = 60  # seconds: it takes 3, and machines differ


def test_the_good_are_described_and_the_bad_are_named(place: Place, scanned: Scan) -> None:
    bad = dict(hostile(seed=1))
    fine = dict(good())
    assert (len(bad), len(fine)) == (500, 50)
    for name, content in {**bad, **fine}.items():
        place.text(f"all/{name}", content)
    began = time.monotonic()
    report = scanned()
    assert time.monotonic() - began < LONGEST
    named = {one.path.removeprefix("all/"): one.reason for one in report.bad_files}
    assert sorted(set(bad) - set(named)) == []
    assert sorted(set(named) - set(bad)) == []
    described = set(place.snapshots())
    assert described == {f"file/lake/all/{Path(name).stem}.json" for name in fine}
    assert report.counts["added"] == 50

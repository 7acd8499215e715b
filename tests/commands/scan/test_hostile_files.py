"""A folder of hostile files and a few good ones: the good are described, the bad are named."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.scan.conftest import Scan
from tests.commands.scan.hostile_files import good, hostile
from tests.commands.scan.place import Place

pytestmark = pytest.mark.slow
LONGEST = 60  # seconds: it takes 3, and machines differ
LARGEST = 1 << 20  # KiB of a worker at its height: it takes a quarter of that


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
    heights = list(_heights())
    assert heights
    assert max(heights) < LARGEST


def _heights() -> Iterator[int]:
    """How much memory each worker of Spark has held at most, in KiB."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"pyspark.daemon" in (folder / "cmdline").read_bytes():
                found = re.search(r"VmHWM:\s+(\d+)", (folder / "status").read_text())
                yield int(found[1]) if found else 0
        except OSError:
            continue  # it has ended meanwhile

"""A wide listing, in the tasks of a real Spark that counts as one that runs elsewhere."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lumos_snap.config.settings import parse_config
from lumos_snap.errors import OutsideError
from lumos_snap.scan.dataset import ScanFilter
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.engine import Engine, SparkOptions
from lumos_snap.scan.listing import entry_of, list_source
from lumos_snap.scan.sources.source import open_source
from lumos_snap.scan.spark import listing
from lumos_snap.scan.stores import prefix_listing, s3
from lumos_snap.scan.stores.distributed_listing import parse_page
from lumos_snap.scan.stores.object_store import Answer, Elsewhere, ListingPage, PageRequest, Pages
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.scan.stores.store import FileEntry, StoreRefusedError, Trouble
from tests.scan.stores.conftest import bucket
from tests.scan.stores.contract import anything
from tests.scan.stores.s3_server import Bucket

__all__ = ["bucket"]

TABLES, DAYS, FILES = 36, 4, 25


pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def soon_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a bucket of tests holds is very much."""
    monkeypatch.setattr(prefix_listing, "WIDE", 1_000)
    monkeypatch.setattr(prefix_listing, "PARTS", 40)
    monkeypatch.setattr(listing, "runs_elsewhere", lambda _: True)


@pytest.fixture
def store(bucket: Bucket) -> S3Store:
    """Workers that run already know no credentials of ours."""
    return S3Store("lake", endpoint=bucket.endpoint, anonymous=True)


@pytest.fixture
def engine(spark: SparkSession) -> Iterator[Engine]:
    with ExitStack() as stack:
        yield Engine("spark", SparkOptions(session=spark, why_not=lambda: None), stack)


class Counted:
    """Lists elsewhere, and counts how much."""

    def __init__(self, engine: Engine, store: S3Store) -> None:
        self.remarks: list[str] = []
        self.jobs: list[int] = []
        self.files = 0
        found = listing.list_on_workers(engine, store, self.remarks.append)
        assert found is not None
        self._elsewhere: Elsewhere = found

    def __call__(self, asks: Sequence[PageRequest]) -> Iterator[Answer]:
        self.jobs.append(len(asks))
        for ask, page in self._elsewhere(asks):
            self.files += len(getattr(page, "found", ()))
            yield ask, page


def fill(bucket: Bucket) -> None:
    bucket.page = 100
    for table in range(TABLES):
        for file in range(DAYS * FILES):
            bucket.put(f"t{table:02}/day={file % DAYS}/f{file:04}.csv", b"12")
        bucket.put(f"t{table:02}/beside.csv", b"1")
        bucket.put(f"t{table:02}/day=0", b"a file, called like a folder")
    for n in range(700):
        bucket.put(f"t00/flat{n:05}.csv", b"1")
    for key in ("top.csv", "t03/ü/ß +%20&.csv", "t04/\U0010ffff/last.csv", "t05/day=0/\\n\n.csv"):
        bucket.put(key, b"odd")
    for key in ("t06//1.csv", "t06//2.csv", "t07/../c.csv", "t07/day=9/", "t08/day=1_$folder$"):
        bucket.put(key, b"" if key.endswith(("/", "$")) else b"1")
    bucket.put("t09/day=1/cold.csv", b"1", "GLACIER")


def ordered(found: Iterator[FileEntry | Trouble]) -> list[FileEntry | Trouble]:
    return sorted(found, key=lambda one: (one.path, str(one)))


def test_it_finds_what_one_machine_finds(bucket: Bucket, store: S3Store, engine: Engine) -> None:
    fill(bucket)
    here = ordered(store.entries("", anything))
    alone = bucket.asked["LIST"]
    counted = Counted(engine, store)
    answers = list[int]()
    found = ordered(store.entries("", anything, lambda: answers.append(1), counted))
    assert found == here
    assert {one.path for one in here if isinstance(one, Trouble)} == {
        "t06/", "t07/..", "t09/day=1/cold.csv",
    }  # fmt: skip
    assert not counted.remarks
    assert counted.files > len(here) / 2
    assert max(counted.jobs) <= prefix_listing.AT_ONCE
    assert len(answers) > len(counted.jobs)
    assert bucket.asked["LIST"] < 5 * alone  # here a folder is less than a page


def test_a_long_folder_is_listed_in_several_jobs(
    bucket: Bucket, store: S3Store, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "A_JOB", 2_000)
    monkeypatch.setattr(prefix_listing, "DEEPEST", 1)
    bucket.page = 100
    for n in range(6_000):
        bucket.put(f"a/b/c/f{n:05}.csv", b"1")
    counted = Counted(engine, store)
    found = [one.path for one in store.entries("", anything, elsewhere=counted)]
    assert len(found) == len(set(found)) == 6_000
    assert counted.jobs == [1, 1, 1]


def test_folders_that_nobody_wants_are_left_out(
    bucket: Bucket, store: S3Store, engine: Engine
) -> None:
    fill(bucket)

    def may_hold(folder: str) -> bool:
        return folder not in {"t01", "t02/day=3"} and not folder.endswith("day=5")

    here = ordered(store.entries("", may_hold))
    bucket.listed.clear()
    counted = Counted(engine, store)
    assert ordered(store.entries("", may_hold, elsewhere=counted)) == here
    assert counted.files
    assert not [prefix for prefix in bucket.listed if prefix.startswith("t01")]


def test_folders_with_few_but_long_folders_are_left_to_others(
    bucket: Bucket, store: S3Store, engine: Engine
) -> None:
    bucket.page = 50
    for n in range(4_000):
        bucket.put(f"t{n % 4}/p{n % 3}/f{n:05}.csv", b"1")
        bucket.put(f"ids/id={n % 200:03}/f{n:05}.csv", b"1")
    here = ordered(store.entries("", anything))
    counted = Counted(engine, store)
    assert ordered(store.entries("", anything, elsewhere=counted)) == here
    assert counted.files > 4_000


def test_what_is_not_wide_needs_no_spark(bucket: Bucket, store: S3Store) -> None:
    def nobody(_: Sequence[PageRequest]) -> Iterator[Answer]:
        raise AssertionError

    bucket.page = 100
    for n in range(900):
        bucket.put(f"t{n % 40}/f{n}.csv", b"1")
    assert len(list(store.entries("", anything, elsewhere=nobody))) == 900


def test_a_prefix_that_fails_hides_itself_alone(
    bucket: Bucket, store: S3Store, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "ATTEMPTS", 1)
    fill(bucket)
    for n in range(300):
        bucket.put(f"t35/long/f{n:05}.csv", b"1")
    every = {one.path for one in store.entries("", anything)}
    bucket.broken = "t35/"
    counted = Counted(engine, store)
    found = list(store.entries("", anything, elsewhere=counted))
    troubles = [one for one in found if isinstance(one, Trouble) and one.hides]
    assert [one.path for one in troubles] == ["t35/long"]
    assert troubles[0].reason == error_codes.UNREACHABLE
    assert "InternalError" in troubles[0].detail
    paths = [one.path for one in found if one not in troubles]
    assert len(set(paths)) == len(paths)
    assert every.difference(paths) == {f"t35/long/f{n:05}.csv" for n in range(100, 300)}
    assert len(counted.remarks) == 1


def test_what_workers_may_not_see_is_listed_here(
    bucket: Bucket, store: S3Store, engine: Engine
) -> None:
    fill(bucket)
    private = store._replace(anonymous=False)  # and only this process has a key
    here = ordered(private.entries("", anything))
    counted = Counted(engine, private)
    assert ordered(private.entries("", anything, elsewhere=counted)) == here
    assert len(counted.jobs) == 1
    (remark,) = counted.remarks
    assert remark.startswith("s3://lake: workers cannot list all of it: has no access")
    assert "topsecret" not in remark


def test_workers_without_a_client_are_not_needed(
    bucket: Bucket, store: S3Store, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bucket)
    here = ordered(store.entries("", anything))
    counted = Counted(engine, store)
    monkeypatch.setattr(S3Store, "pages", _without_boto3(S3Store.pages))
    assert ordered(store.entries("", anything, elsewhere=counted)) == here
    assert "needs boto3, which is not installed" in counted.remarks[0]
    assert "pip install 'lumos-snap[s3]'" in counted.remarks[0]


def _without_boto3(pages: Callable[[S3Store], Pages]) -> Callable[[S3Store], Pages]:
    here = os.getpid()

    def asked(store: S3Store) -> Pages:
        if os.getpid() == here:
            return pages(store)
        held = sys.modules.get("boto3")
        sys.modules["boto3"] = None  # type: ignore[assignment]
        try:
            return pages(store)
        finally:
            sys.modules.pop("boto3")
            sys.modules.update({"boto3": held} if held else {})

    return asked


def test_a_job_that_fails_ends_the_source(
    bucket: Bucket, store: S3Store, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bucket)
    monkeypatch.setattr(listing, "PAGE_SCHEMA", "line int")
    with pytest.raises(OutsideError, match="the job failed"):
        list(store.entries("", anything, elsewhere=Counted(engine, store)))


def test_a_source_is_put_on_the_roll_as_ever(
    bucket: Bucket, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bucket)
    lines = list[str]()

    def told(line: str) -> tuple[int, ListingPage | StoreRefusedError]:
        lines.append(line)
        return parse_page(line)

    monkeypatch.setattr(listing, "parse_page", told)
    text = (
        "version: 1\nsources: [{name: lake, path: s3://lake, exclude: ['t01/**'],"
        f" store: {{endpoint: '{bucket.endpoint}', anonymous: true}}}}]"
    )
    (settings,) = parse_config(text.encode(), "lumos.yaml").sources
    source = open_source(settings, tmp_path)
    bucket.delete("t07/../c.csv")  # told of or passed over, as its folder is met
    rolls = []
    for name, helping in (("here", None), ("there", engine)):
        scratch = tmp_path / name
        scratch.mkdir()
        found = list_source(source, ScanFilter.of(source, ()), scratch, lambda *_: None, helping)
        rolls.append(([entry_of(line) for line in found.roll.sorted()], sorted(found.troubles)))
        assert not found.remarks
    assert rolls[0] == rolls[1]
    assert len(lines) > TABLES
    assert len(rolls[0][0]) > TABLES * DAYS * FILES * 0.9


@pytest.mark.parametrize(
    ("master", "elsewhere"),
    [(None, False), ("local[2]", False), ("spark://host:7077", True), ("yarn", True),
     ("sc://host", True)],
)  # fmt: skip
def test_only_spark_that_runs_elsewhere_is_asked(
    master: str | None, elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(listing, "_active_session", lambda: None)
    asked = SparkOptions(master=master, why_not=lambda: None)
    assert listing.runs_elsewhere(asked) is elsewhere


def test_a_session_says_by_itself_where_it_runs(
    spark: SparkSession, store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    asked = SparkOptions(session=spark, why_not=lambda: None)
    assert not listing.runs_elsewhere(asked)
    with ExitStack() as stack:
        assert listing.list_on_workers(Engine("spark", asked, stack), store, print) is None

"""A listing costs few requests, however many folders there are; a file costs two."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.detect import probe_file
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.scan.stores.store import FileEntry
from tests.scan.stores.contract import anything, paths
from tests.scan.stores.s3_server import Bucket


def test_what_fits_a_page_is_one_request(bucket: Bucket, store: S3Store) -> None:
    for n in range(900):
        bucket.put(f"t{n % 300}/f{n}.csv", b"1")
    assert len(paths(store.entries("", anything))) == 900
    assert bucket.listed == [""]


def test_deep_partitions_are_not_asked_for_one_by_one(bucket: Bucket, store: S3Store) -> None:
    for table in ("a", "b", "c"):
        for month in range(60):
            for day in range(30):
                bucket.put(f"{table}/month={month:02}/day={day:02}/part-0.csv", b"1")
    answers = list[int]()
    found = paths(store.entries("", anything, lambda: answers.append(1)))
    assert len(found) == 5_400
    assert bucket.asked["LIST"] == len(answers) < 150
    assert len(set(bucket.listed)) == len(bucket.listed) - bucket.listed.count("") + 1


def test_a_folder_of_very_many_folders_is_not_asked_for_one_by_one(
    bucket: Bucket, store: S3Store
) -> None:
    for n in range(5_000):
        bucket.put(f"users/id={n:05}/data.csv", b"1")
    assert len(paths(store.entries("", anything))) == 5_000
    assert bucket.asked["LIST"] < 200


def test_many_files_of_one_folder_are_listed_page_by_page(bucket: Bucket, store: S3Store) -> None:
    for n in range(3_500):
        bucket.put(f"f{n:05}.csv", b"1")
    assert len(paths(store.entries("", anything))) == 3_500
    assert bucket.asked["LIST"] == 1 + 4


def test_what_is_not_wanted_is_not_asked_for(bucket: Bucket, store: S3Store) -> None:
    for n in range(4_000):
        bucket.put(f"archive/old/f{n:05}.csv", b"1")
        bucket.put(f"raw/f{n % 40:02}/{n:05}.csv", b"1")
    found = paths(store.entries("", lambda folder: folder != "archive"))
    assert len(found) == 4_000
    assert not [prefix for prefix in bucket.listed if prefix.startswith("archive")]


def test_names_that_share_a_beginning_with_unwanted_ones_are_asked_for_alone(
    bucket: Bucket, store: S3Store
) -> None:
    for n in range(3_000):
        bucket.put(f"p={n % 100:03}/{n}.csv", b"1")
    found = paths(store.entries("", lambda folder: int(folder[2:5]) % 2 == 0))
    assert len(found) == 1_500
    asked = [prefix for prefix in bucket.listed if prefix.startswith("p=")]
    assert not [prefix for prefix in asked if int(prefix[2:5]) % 2]


@pytest.mark.parametrize(("rows", "most"), [(10_000, 1), (200_000, 1)])
def test_a_footer_takes_few_requests(bucket: Bucket, store: S3Store, rows: int, most: int) -> None:
    """The size, and each end of the file; a small file is read whole."""
    target = io.BytesIO()
    pq.write_table(pa.table({"n": range(rows)}), target)
    bucket.put("t/f.parquet", target.getvalue())
    for reading in (store, store._replace(requester_pays=True)):
        bucket.asked.clear()
        with reading.reader().opened("t/f.parquet") as file:
            found = probe_file(file, "parquet", "")
        assert isinstance(found, ProbeResult)
        assert found.rows == rows
        assert bucket.asked == {"HEAD": 1, "GET": most}


def test_nothing_is_asked_for_what_a_file_cannot_hold(bucket: Bucket, store: S3Store) -> None:
    bucket.put("empty.csv", b"")
    with store.reader().opened("empty.csv") as file:
        assert file.head() == file.tail() == file.read(5, 5) == b""
    assert bucket.asked == {"HEAD": 1}


def test_entries_say_when_and_what(bucket: Bucket, store: S3Store) -> None:
    bucket.put("f.csv", b"12345")
    assert list(store.entries("", anything)) == [
        FileEntry("f.csv", 5, 1_768_471_200_000_000_000, "e"),
    ]

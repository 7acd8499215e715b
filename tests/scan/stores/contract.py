"""What every store does alike: the same files put in, the same entries and bytes out."""

import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from lumos_snap.errors import OutsideError
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Store, Trouble

NAMED = {
    "raw/a b.csv": b"a,b\n1,2\n",
    "raw/\u00fc/\u00df+%20.csv": b"plus and percent",
    "raw/100%.csv": b"x",
    "raw/q&x=1;y.csv": b"y",
    "raw/#1.csv": b"z",
    "raw/~tilde'quote.csv": b"",
    "raw.csv": b"beside the folder of that name",
    "raw-old/x.csv": b"sorts before the folder",
    "top.csv": b"top",
}


def deep() -> dict[str, bytes]:
    """Partitions below partitions."""
    return {
        f"deep/year={year}/month={month:02}/day={day:02}/part-0.csv": b"1\n"
        for year in (2024, 2025)
        for month in (1, 2)
        for day in (1, 2)
    }


def many(count: int) -> dict[str, bytes]:
    """Files of many folders."""
    return {f"many/p={n % 50:03}/f{n:05}.csv": b"%d" % n for n in range(count)}


@dataclass(frozen=True)
class Lake:
    """A store that was filled, and what its tests do to it."""

    store: Store
    files: Mapping[str, bytes]
    delete: Callable[[str], None]
    nowhere: Sequence[Store] = ()
    """Stores like it where nothing lies, or nobody answers."""


def filled(put: Callable[[str, bytes], None], count: int, threads: int = 8) -> dict[str, bytes]:
    """Put every file."""
    files = {**NAMED, **deep(), **many(count), "gone.csv": b"soon"}
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(put, files, files.values()))
    return files


def anything(_: str) -> bool:
    return True


def paths(found: Iterator[FileEntry | Trouble]) -> list[str]:
    every = list(found)
    assert not [one for one in every if isinstance(one, Trouble)]
    return sorted(one.path for one in every)


class Contract:
    """Inherit, and give a fixture `lake`."""

    def test_every_file_is_listed_once_with_its_size(self, lake: Lake) -> None:
        found = list(lake.store.entries("", anything))
        entries = [one for one in found if isinstance(one, FileEntry)]
        assert len(entries) == len(found) == len(lake.files)
        assert {one.path: one.size for one in entries} == {
            path: len(content) for path, content in lake.files.items()
        }
        assert all(one.modified > 1_600_000_000_000_000_000 for one in entries)

    def test_what_did_not_change_is_listed_alike(self, lake: Lake) -> None:
        assert set(lake.store.entries("deep", anything)) == set(
            lake.store.entries("deep", anything)
        )

    def test_a_folder_is_listed_alone(self, lake: Lake) -> None:
        found = paths(lake.store.entries("raw", anything))
        assert found == sorted(path for path in lake.files if path.startswith("raw/"))

    def test_folders_that_hold_nothing_wanted_are_left_out(self, lake: Lake) -> None:
        unwanted = {"many/p=001", "deep/year=2024", "raw/\u00fc"}
        asked: set[str] = set()

        def may_hold(folder: str) -> bool:
            asked.add(folder)
            return folder not in unwanted

        found = paths(lake.store.entries("", may_hold))
        kept = (
            path
            for path in lake.files
            if not any(path.startswith(f"{folder}/") for folder in unwanted)
        )
        assert found == sorted(kept)
        assert not [one for one in asked if one.startswith("deep/year=2024/")]
        assert not [one for one in asked if one.endswith("/") or one.startswith("/")]

    def test_each_answer_is_counted(self, lake: Lake) -> None:
        counted = list[int]()
        for _ in lake.store.entries("", anything, lambda: counted.append(1)):
            assert counted
        assert counted

    def test_a_listing_may_be_left_at_any_time(self, lake: Lake) -> None:
        for taken in (0, 1, 30):
            found = lake.store.entries("", anything)
            assert len([one for one, _ in zip(found, range(taken), strict=False)]) == taken
            found.close()  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        ("path", "is_there"),
        [("raw", True), ("raw/a b.csv", True), ("deep/year=2024/month=01", True), ("", True),
         ("ra", False), ("raw/a", False), ("raw/a b.csv/x", False), ("many/p=001/f", False)],
    )  # fmt: skip
    def test_what_lies_somewhere_is_known(self, lake: Lake, path: str, is_there: bool) -> None:
        assert lake.store.has(path) is is_there

    def test_files_are_read_in_ranges(self, lake: Lake) -> None:
        reader = lake.store.reader()
        for path, content in [*NAMED.items(), *list(lake.files.items())[20:25]]:
            with reader.opened(path) as file:
                assert file.size == len(content)
                assert file.read(1, 3) == content[1:4]
                assert file.read(0, len(content) + 10) == content
                assert file.head() == file.tail() == content

    def test_several_threads_share_a_reader(self, lake: Lake) -> None:
        reader = lake.store.reader()

        def content(path: str) -> bytes:
            with reader.opened(path) as file:
                return file.read(0, file.size)

        wanted = {path: one for path, one in lake.files.items() if path != "gone.csv"}
        some = sorted(wanted)[:: max(1, len(wanted) // 60)]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(content, some)) == [wanted[path] for path in some]

    def test_a_store_travels_and_is_equal_where_it_arrives(self, lake: Lake) -> None:
        again = pickle.loads(pickle.dumps(lake.store))  # noqa: S301 - our own
        assert again == lake.store
        assert hash(again) == hash(lake.store)
        with again.reader().opened("top.csv") as file:
            assert file.head() == b"top"
        assert lake.store.at_once >= 1

    def test_a_file_that_vanished_says_so(self, lake: Lake) -> None:
        reader = lake.store.reader()
        if "gone.csv" in lake.files:
            lake.delete("gone.csv")
            del lake.files["gone.csv"]  # type: ignore[attr-defined]
        for path in ("gone.csv", "raw/never/was.csv"):
            with pytest.raises(BadFileError) as caught, reader.opened(path) as file:
                file.head()
            assert caught.value.reason == error_codes.VANISHED

    def test_where_nothing_answers_it_is_said_before_long(self, lake: Lake) -> None:
        for store in lake.nowhere:
            begun = time.monotonic()
            with pytest.raises(OutsideError) as caught:
                list(store.entries("", anything))
            assert time.monotonic() - begun < 30, store
            assert caught.value.hint
            assert "\n" not in caught.value.message
            assert "secret" not in caught.value.message.lower()

"""What is put down of files comes back as it was, sorted, whatever files are called."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.config.settings import SourceSettings
from lumos_snap.errors import OutsideError
from lumos_snap.scan.dataset import ScanFilter
from lumos_snap.scan.executors.error_codes import UNREACHABLE, VANISHED
from lumos_snap.scan.file_index import NOT_KNOWN, FileIndex, PendingFile, PendingFiles
from lumos_snap.scan.listing import LineSorter, entry_of, line_of, list_source
from lumos_snap.scan.scan_cache import CachedFile, create_cache_file, read_cache, write_cache
from lumos_snap.scan.sources.source import open_source
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import FileEntry, Trouble

# Any bytes but a slash and a zero make a name; those that are no text are surrogate escapes.
names = st.binary(min_size=1, max_size=12).map(
    lambda raw: raw.replace(b"/", b"\n").replace(b"\0", b"\x01").decode("utf-8", "surrogateescape")
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
entries = st.builds(
    FileEntry,
    paths,
    st.integers(0, 2**50),
    st.integers(-(2**62), 2**62),
    st.sampled_from(["", '"e"']),
)
lakes = st.lists(entries, max_size=30, unique_by=lambda entry: entry.path)


@given(entries)
def test_a_file_is_its_line(entry: FileEntry) -> None:
    assert entry_of(line_of(entry)) == entry
    assert "\n" not in line_of(entry)


@given(lakes, st.integers(1, 8))
def test_a_roll_is_sorted_however_little_fits_into_memory(lake: list[FileEntry], room: int) -> None:
    with TemporaryDirectory() as folder:
        roll = LineSorter(Path(folder), in_memory=room)
        for entry in lake:
            roll.add(line_of(entry))
        found = list(roll.sorted())
    assert found == sorted(map(line_of, lake))


@given(lakes)
def test_files_that_come_sorted_make_one_run(lake: list[FileEntry]) -> None:
    with TemporaryDirectory() as folder:
        roll = LineSorter(Path(folder), in_memory=2)
        for line in sorted(map(line_of, lake)):
            roll.add(line)
        list(roll.sorted())
        assert len(list(Path(folder).iterdir())) == min(1, len(lake) // 2)


@given(lakes, st.data())
def test_a_ledger_keeps_what_was_noted(lake: list[FileEntry], data: st.DataObject) -> None:
    said = st.tuples(st.integers(-1, 5), st.integers(-1, 2**40))
    first = [data.draw(said) for _ in lake]
    later = {number: data.draw(said) for number in range(len(lake)) if data.draw(st.booleans())}
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ledger = FileIndex(Path(folder, "ledger"), stack)
        lines = sorted(map(line_of, lake))
        for line, (evidence, rows) in zip(lines, first, strict=True):
            ledger.add(line, evidence, rows)
        for number, (evidence, rows) in later.items():
            ledger.note(number, evidence, rows)
        found = list(ledger.lines())
    wanted = [later[n] if n in later and later[n][0] >= 0 else first[n] for n in range(len(lake))]
    assert found == [(line, *one) for line, one in zip(lines, wanted, strict=True)]


@given(lakes, st.lists(paths, max_size=3), st.data())
def test_files_are_found_in_a_ledger_by_path(
    lake: list[FileEntry], others: list[str], data: st.DataObject
) -> None:
    known = {entry.path: entry for entry in lake}
    wanted = [*(path for path in known if data.draw(st.booleans())), *others]
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ledger = FileIndex(Path(folder, "ledger"), stack)
        for line in sorted(map(line_of, lake)):
            ledger.add(line, 0, 1)
        assert ledger.entries(wanted) == {path: known[path] for path in wanted if path in known}


@given(st.lists(st.builds(PendingFile, st.integers(0, 9), st.integers(0, 9), paths, names, names)))
def test_a_spool_gives_back_what_it_took(files: list[PendingFile]) -> None:
    plain = [one._replace(hint="csv", suffix="gz", parts=(one.path, "b")) for one in files]
    with TemporaryDirectory() as folder, ExitStack() as stack:
        spool = PendingFiles(Path(folder, "spool"), stack)
        for one in plain:
            spool.add(one)
        portions = list(spool.portions(3))
    assert [one for portion in portions for one in portion] == plain
    assert all(len(portion) <= 3 for portion in portions)


@given(lakes, st.data())
def test_what_is_remembered_comes_back(lake: list[FileEntry], data: st.DataObject) -> None:
    said = st.tuples(st.integers(-1, 3), st.integers(-1, 99))
    files: list[CachedFile] = [(line, *data.draw(said)) for line in sorted(map(line_of, lake))]
    evidence = [f'{{"number": {number}}}' for number in range(4)]
    decisions = {"lumos://file/x": {"mark": 2**127, "told": None}}
    with TemporaryDirectory() as folder:
        place = Path(folder, "memory")
        with create_cache_file(place) as file:
            write_cache(file, lambda: iter(files), evidence, decisions, of="a", decided_by="b")
        memory = read_cache(place, of="a", decided_by="b")
        found = [
            (line, number if number == NOT_KNOWN else memory.evidence[number], rows)
            for line, number, rows in memory.files()
        ]
        assert read_cache(place, of="other", decided_by="b").count == 0
        assert read_cache(place, of="a", decided_by="other").decisions == {}
        assert read_cache(place, of="a", decided_by="other").count == len(lake)
    assert found == [
        (line, number if number == NOT_KNOWN else evidence[number], rows)
        for line, number, rows in files
    ]
    assert memory.decisions == decisions
    assert set(memory.evidence) <= set(evidence)


def test_a_root_that_may_not_be_listed_is_no_empty_source(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    root.mkdir()
    source = open_source(SourceSettings(name="lake", path=str(root)), tmp_path)
    root.chmod(0)
    for folder in tmp_path.parents[:5]:
        folder.chmod(folder.stat().st_mode | 0o755)
    is_root = os.geteuid() == 0
    try:
        if is_root:
            os.seteuid(65534)  # root may read everything
        with pytest.raises(OutsideError, match="permission denied") as raised:
            list_source(source, ScanFilter.of(source, ()), tmp_path, lambda files, pages: None)
    finally:
        if is_root:
            os.seteuid(0)
        root.chmod(0o755)
    assert raised.value.hint == "check its permissions"


class _Partly(LocalStore):
    """A store whose root fails after some files of it were listed."""

    def entries(self, *_: object) -> Iterator[FileEntry | Trouble]:
        yield FileEntry("a.csv", 1, 0)
        yield Trouble("", UNREACHABLE, "hung up", hides=True)


def test_a_root_that_fails_half_way_keeps_what_it_had(tmp_path: Path) -> None:
    source = open_source(SourceSettings(name="lake", path=str(tmp_path)), tmp_path)
    partly = replace(source, store=_Partly(str(tmp_path)))
    listing = list_source(partly, ScanFilter.of(source, ()), tmp_path, lambda files, pages: None)
    assert listing.roll.count == 1
    assert not listing.complete
    assert listing.hides("anything")


def test_a_folder_that_is_gone_has_nothing_to_list(tmp_path: Path) -> None:
    source = open_source(SourceSettings(name="lake", path=str(tmp_path)), tmp_path)
    listing = list_source(source, ScanFilter.of(source, ()), tmp_path, lambda files, pages: None)
    listing.troubles.append(Trouble("a", VANISHED, "is gone", hides=True))
    assert listing.complete
    assert listing.hides("a/b")

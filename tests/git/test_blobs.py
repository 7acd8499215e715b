"""Contents from one `cat-file`, however many, large or broken."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lumos_snap.errors import OutsideError
from lumos_snap.git import blobs, changes, names, open_repository, read_changes
from tests.git.builder import Builder


def _children() -> set[str]:
    """The processes that this one has started and not yet buried."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


def _oids(built: Builder) -> list[str]:
    return [entry.oid for entry in names(open_repository(built.path), "HEAD").values()]


def test_contents_come_in_the_order_asked_for(built: Builder):
    built.commit_files({"a": b"1\n\n", "b": b"", "c": b"\0\xff\r\n"})
    first, second, third = _oids(built)
    found = list(blobs(open_repository(built.path), [third, first, second, first]))
    assert found == [(third, b"\0\xff\r\n"), (first, b"1\n\n"), (second, b""), (first, b"1\n\n")]


def test_nothing_asked_for_is_nothing(built: Builder):
    assert list(blobs(open_repository(built.path), [])) == []


def test_large_contents_and_many_questions_do_not_block(built: Builder):
    # More questions and more answers than pipes hold.
    built.commit_files({"large": b"x" * 3_000_000, "small": b"1"})
    large, small = _oids(built)
    asked = [large, *[small] * 20_000, large]
    found = [len(content) for _, content in blobs(open_repository(built.path), asked)]
    assert found == [3_000_000, *[1] * 20_000, 3_000_000]


def test_a_missing_object_is_named(built: Builder):
    built.commit(x="1")
    with pytest.raises(OutsideError, match=f"object {'1' * 40} cannot be read from git: .*missing"):
        list(blobs(open_repository(built.path), ["1" * 40]))


def test_a_missing_object_is_named_by_its_path(built: Builder):
    commit = built.commit_files({"data/x": "1"})
    oid = _oids(built)[0]
    (built.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    built.write("data/x", "2")
    repository = open_repository(built.path / "data")
    with pytest.raises(OutsideError, match=rf"data/x \(object {oid}\) cannot be read") as caught:
        list(read_changes(repository, changes(repository, commit)))
    assert "git fsck" in caught.value.hint


def test_a_damaged_object_is_an_error_in_one_line(built: Builder):
    built.commit(x="1")
    oid = _oids(built)[0]
    file = built.path / ".git" / "objects" / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(b"damaged")
    with pytest.raises(OutsideError, match=oid) as caught:
        list(blobs(open_repository(built.path), [oid]))
    assert "\n" not in caught.value.message


def test_something_that_is_no_file_is_an_error(built: Builder):
    commit = built.commit(x="1")
    with pytest.raises(OutsideError, match="it is a commit, not a file"):
        list(blobs(open_repository(built.path), [commit]))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts processes in /proc")
def test_a_reader_that_stops_early_leaves_no_process_behind(built: Builder):
    built.commit_files({"large": b"x" * 3_000_000})
    oid = _oids(built)[0]
    before, threads = _children(), threading.active_count()
    stream = blobs(open_repository(built.path), [oid] * 1000)
    next(stream)
    stream.close()
    assert _children() == before
    assert threading.active_count() == threads


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts processes in /proc")
def test_an_interrupted_reader_leaves_no_process_behind(built: Builder):
    built.commit_files({"large": b"x" * 3_000_000})
    repository, oid = open_repository(built.path), _oids(built)[0]
    before = _children()

    def interrupted() -> Iterator[bytes]:
        for _, content in blobs(repository, [oid] * 1000):
            yield content
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(interrupted())
    assert _children() == before


@pytest.fixture
def origin(built: Builder) -> Builder:
    """Two commits with 30 files each, and clones may leave out contents."""
    built.commit_files({f"d/{number}": f"old {number}" for number in range(30)})
    built.commit_files({f"d/{number}": f"new {number}" for number in range(30)})
    built.git("config", "uploadpack.allowFilter", "true")
    return built


def _fetches(trace: Path) -> int:
    """How often a remote was asked, counted in git's own trace."""
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    return sum(
        event["event"] == "child_start" and "upload-pack" in " ".join(event["argv"])
        for event in events
    )


def test_a_partial_clone_fetches_all_that_is_missing_at_once(
    origin: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clone = origin.clone("partial", "--filter=blob:none")
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    repository = open_repository(clone.path)
    found = changes(repository, clone.git("rev-parse", "HEAD~1"))
    assert len(list(read_changes(repository, found))) == 30
    assert _fetches(trace) == 1
    assert len(list(read_changes(repository, found))) == 30
    assert _fetches(trace) == 1


def test_a_partial_clone_is_left_alone_when_fetching_is_off(origin: Builder):
    repository = open_repository(origin.clone("partial", "--filter=blob:none").path)
    found = changes(repository, origin.git("rev-parse", "HEAD~1"))
    with pytest.raises(OutsideError, match="30 files are not in this partial clone"):
        list(read_changes(repository, found, fetch=False))


def test_a_partial_clone_whose_remote_is_gone_says_so(origin: Builder, tmp_path: Path):
    clone = origin.clone("partial", "--filter=blob:none")
    clone.git("remote", "set-url", "origin", f"file://{tmp_path}/gone")
    repository = open_repository(clone.path)
    found = changes(repository, origin.git("rev-parse", "HEAD~1"))
    with pytest.raises(OutsideError, match="30 files of this partial clone cannot be fetched"):
        list(read_changes(repository, found))


def test_a_trace_on_standard_error_does_no_harm(built: Builder, monkeypatch: pytest.MonkeyPatch):
    built.commit(x="1")
    oid = _oids(built)[0]
    monkeypatch.setenv("GIT_TRACE", "1")
    repository = open_repository(built.path)
    assert list(blobs(repository, [oid])) == [(oid, b"1")]
    with pytest.raises(OutsideError, match=r"git ls-tree failed: not a tree object|Not a valid"):
        names(repository, oid)


def test_the_environment_is_not_changed(built: Builder):
    before = dict(os.environ)
    built.commit(x="1")
    list(blobs(open_repository(built.path), _oids(built)))
    assert dict(os.environ) == before

import os
import random
import re
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.tree.writer import open_writer

WRITER = """
import sys
from pathlib import Path
from lumos_snap.tree.writer import open_writer

root, generation = Path(sys.argv[1]), sys.argv[2]
body = (generation * 4000).encode()
with open_writer(root) as writer:
    print("ready", flush=True)
    for number in range(40):
        writer.put(f"snapshots/s3/{number % 7}/{number}.json", body + b"\\n")
    for number in range(40, 50):
        writer.remove(f"snapshots/s3/{number % 7}/{number}.json")
        writer.put(f"snapshots/s3/{number % 7}/{number}.json", body + b"\\n")
"""


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        writer.put("snapshots/s3/a.json", b"one")
        writer.put("snapshots/s3/a.json", b"two")
    assert (tmp_path / "snapshots/s3/a.json").read_bytes() == b"two"
    assert list((tmp_path / ".lumos/tmp").iterdir()) == []


def test_removing_a_file_removes_the_folders_that_it_leaves_empty(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        writer.put("snapshots/s3/deep/er/a.json", b"a")
        writer.put("snapshots/s3/b.json", b"b")
        writer.remove("snapshots/s3/deep/er/a.json")
        writer.put("snapshots/s3/deep/er/c.json", b"c")
        writer.remove("snapshots/s3/deep/er/c.json")
    assert sorted(p.name for p in (tmp_path / "snapshots/s3").iterdir()) == ["b.json"]


def test_a_second_writer_is_told_who_writes_and_since_when(tmp_path: Path) -> None:
    (tmp_path / ".lumos").mkdir()
    (tmp_path / ".lumos/lock").write_text('{"pid": 7, "host": "of long ago"}')
    os.utime(tmp_path / ".lumos/lock", (0, 0))
    before = int(time.time())
    with open_writer(tmp_path), pytest.raises(OutsideError) as caught, open_writer(tmp_path):
        pass
    assert f"(process {os.getpid()} on " in caught.value.message
    since = re.search(r"since (\S+Z)\)", caught.value.message)
    assert since is not None
    started = datetime.fromisoformat(since[1])
    assert before <= started.timestamp() <= time.time()


def test_the_lock_ends_with_its_writer(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), open_writer(tmp_path):
        raise KeyboardInterrupt
    with open_writer(tmp_path) as writer:
        writer.put("snapshots/s3/a.json", b"a")


def test_a_lock_file_that_says_nothing_still_locks_nobody_out(tmp_path: Path) -> None:
    (tmp_path / ".lumos").mkdir()
    (tmp_path / ".lumos/lock").write_bytes(b"\xff not json")
    with open_writer(tmp_path) as writer:
        writer.put("snapshots/s3/a.json", b"a")


def test_a_linked_folder_does_not_lead_out_of_the_tree(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    tree = tmp_path / "tree"
    (tree / "snapshots").mkdir(parents=True)
    (tree / "snapshots/s3").symlink_to(outside)
    with open_writer(tree) as writer, pytest.raises(OutsideError, match="snapshots/s3: is a link"):
        writer.put("snapshots/s3/a.json", b"a")
    assert list(outside.iterdir()) == []


def test_a_path_that_climbs_does_not_lead_out_of_the_tree(tmp_path: Path) -> None:
    with (
        open_writer(tmp_path) as writer,
        pytest.raises(OutsideError, match="leads out of the tree"),
    ):
        writer.put("snapshots/../../escaped/a.json", b"a")


def test_a_folder_where_a_file_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "snapshots/a.json").mkdir(parents=True)
    with (
        open_writer(tmp_path) as writer,
        pytest.raises(OutsideError, match=r"snapshots/a\.json: cannot"),
    ):
        writer.put("snapshots/a.json", b"a")
    assert list((tmp_path / ".lumos/tmp").iterdir()) == []


def test_a_file_where_a_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "snapshots").write_bytes(b"")
    with (
        open_writer(tmp_path) as writer,
        pytest.raises(OutsideError, match=r"snapshots/a\.json: cannot"),
    ):
        writer.put("snapshots/a.json", b"a")


def test_removing_what_is_not_there_is_fine(tmp_path: Path) -> None:
    with open_writer(tmp_path) as writer:
        writer.remove("observations/s3/lake/a.json")
        writer.put("snapshots/s3/a.json", b"a")
        writer.remove("snapshots/s3/lake/b.json")
    assert not (tmp_path / "observations").exists()
    assert (tmp_path / "snapshots/s3/a.json").exists()


def test_removing_never_removes_the_tree_itself(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.json").write_bytes(b"a")
    with open_writer(tmp_path / "tree") as writer:
        writer.remove("a.json")
    assert (tmp_path / "tree").is_dir()


def test_nothing_is_written_into_a_repository_itself(bare: Path) -> None:
    before = sorted(bare.rglob("*"))
    with pytest.raises(LumosError, match="is a folder of git's own"), open_writer(bare):
        pass
    assert sorted(bare.rglob("*")) == before


@pytest.mark.parametrize(
    "path", ["../a.json", "/a.json", "snapshots/../../a.json", "snapshots//a.json", ""]
)
def test_only_a_path_below_the_root_is_written_or_removed(tmp_path: Path, path: str) -> None:
    with open_writer(tmp_path) as writer:
        with pytest.raises(OutsideError, match="leads out of the tree"):
            writer.put(path, b"a")
        with pytest.raises(OutsideError, match="leads out of the tree"):
            writer.remove(path)


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_leaves_whole_files_and_no_lock(tmp_path: Path) -> None:
    random.seed(20260115)
    _write(tmp_path, "0", kill_after=None)
    paths = sorted(p.relative_to(tmp_path) for p in tmp_path.glob("snapshots/**/*.json"))
    assert len(paths) == 50
    stable = [path for path in paths if int(path.stem) < 40]
    killed = 0
    for number in range(200):
        generation = chr(ord("a") + number % 26)
        killed += _write(tmp_path, generation, kill_after=random.uniform(0, 0.012))
        for path in tmp_path.glob("snapshots/**/*.json"):
            content = path.read_bytes()
            assert len(content) == 4001
            assert content == content[:1] * 4000 + b"\n"
        for path in stable:
            assert (tmp_path / path).exists(), f"{path} is lost"
    assert killed > 100, "the writer was too fast to be killed: the test proves nothing"
    _write(tmp_path, "z", kill_after=None)
    assert {p.read_bytes()[:1] for p in tmp_path.glob("snapshots/**/*.json")} == {b"z"}
    assert list((tmp_path / ".lumos/tmp").iterdir()) == []


def _write(root: Path, generation: str, *, kill_after: float | None) -> bool:
    """Run a writer in a process of its own; whether it was killed before it had finished."""
    command = [sys.executable, "-c", WRITER, str(root), generation]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n", "the lock was stuck"
        if kill_after is not None:
            time.sleep(kill_after)
            process.send_signal(signal.SIGKILL)
        code = process.wait()
    assert code in (0, -signal.SIGKILL)
    return code != 0

"""What changed since a commit that the page names."""

import subprocess
from pathlib import Path

import pytest

from tests.components.repository import changed, commit, uncommitted


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-qb", "main")
    (root / ".gitignore").write_text("*.log\n")
    for name in ("one.py", "zwei größe.py", "three.py"):
        (root / name).write_text(name)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Start")
    return root


def test_commits_and_what_is_not_committed_yet_are_changes(project: Path) -> None:
    start = commit(project)
    assert set(changed(project, start) or ()) == {""}
    (project / "one.py").write_text("committed")
    git(project, "commit", "-qam", "Change")
    (project / "zwei größe.py").unlink()
    (project / "new.py").touch()
    (project / "some.log").touch()
    assert set(changed(project, start[:12]) or ()) == {"one.py", "zwei größe.py", "new.py"}


def test_a_file_that_moved_is_a_change_at_both_places(project: Path) -> None:
    start = commit(project)
    git(project, "mv", "one.py", "moved.py")
    assert {"one.py", "moved.py"} <= set(changed(project, start) or ())


def test_a_commit_that_is_not_here_says_nothing(project: Path, tmp_path: Path) -> None:
    assert changed(project, "0123456789ab") is None
    start = commit(project)
    (project / "one.py").write_text("more")
    git(project, "commit", "-qam", "More")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{project}", "shallow")
    assert changed(tmp_path / "shallow", start) is None


def test_only_files_at_the_paths_of_a_group_must_be_committed(project: Path) -> None:
    (project / "one.py").write_text("changed")
    (project / "new").mkdir()
    (project / "new/file.py").touch()
    assert uncommitted(project, ["three.py", "nowhere"]) == ()
    assert uncommitted(project, ["one.py", "new"]) == ("one.py", "new/file.py")

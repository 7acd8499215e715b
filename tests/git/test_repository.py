"""Where a repository is found, and what is said when it cannot be read."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import lumos_snap.git
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import changes, find_repository, names, open_repository, resolve
from lumos_snap.git.repository import refuse_foreign_configuration
from tests.git.builder import Builder


def test_a_work_tree_is_found_from_its_top(built: Builder):
    repository = open_repository(built.path)
    assert (repository.folder, repository.work_tree) == (built.path, built.path)
    assert (repository.prefix, repository.object_format) == ("", "sha1")
    assert not repository.shallow
    assert not repository.partial


def test_a_folder_below_the_top_is_the_prefix(built: Builder):
    built.write("data/lake/x.json")
    repository = open_repository(built.path / "data" / "lake")
    assert (repository.work_tree, repository.prefix) == (built.path, "data/lake/")


def test_a_folder_reached_through_a_symlink_is_the_real_one(built: Builder, tmp_path: Path):
    built.write("data/x.json")
    (tmp_path / "link").symlink_to(built.path / "data")
    assert open_repository(tmp_path / "link").prefix == "data/"


def test_a_folder_that_the_work_tree_lost_still_names_its_part(built: Builder):
    commit = built.commit_files({"data/lake/x.json": "1"})
    shutil.rmtree(built.path / "data")
    repository = open_repository(built.path / "data" / "lake")
    assert repository.prefix == "data/lake/"
    assert list(names(repository, commit)) == ["x.json"]


@pytest.mark.parametrize("name", ["a b", "new\nline", "\ntrue\n", "'q\"", "ü", "-dash", "t\tab"])
def test_a_repository_may_lie_in_a_folder_with_an_odd_name(
    new_repository: Callable[..., Builder], name: str
):
    built = new_repository(name)
    built.commit_files({f"{name}/x": "1"})
    repository = open_repository(built.path / name)
    assert repository.folder == built.path
    assert repository.common == built.path / ".git"
    assert list(names(repository, "HEAD")) == ["x"]


def test_a_bare_repository_has_no_work_tree(built: Builder, monkeypatch: pytest.MonkeyPatch):
    built.commit(x="1")
    bare = built.clone("bare", "--bare")
    with pytest.raises(OutsideError, match="not in a git repository") as caught:
        open_repository(bare.path)
    assert f"GIT_DIR={bare.path}" in caught.value.hint
    monkeypatch.setenv("GIT_DIR", str(bare.path))
    repository = open_repository(bare.path)
    assert repository.work_tree is None
    assert repository.folder == bare.path
    assert list(names(repository, "HEAD")) == ["x"]


def test_a_git_folder_is_no_work_tree(built: Builder):
    built.commit(x="1")
    with pytest.raises(LumosError, match="lies in git's own folder"):
        open_repository(built.path / ".git")


def test_a_linked_worktree_shares_its_history(built: Builder, tmp_path: Path):
    commit = built.commit(x="1")
    built.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    repository = open_repository(tmp_path / "linked")
    assert repository.work_tree == tmp_path / "linked"
    assert repository.common == built.path / ".git"
    assert resolve(repository, "main").id == commit


def test_a_folder_in_a_submodule_belongs_to_the_submodule(
    built: Builder, new_repository: Callable[..., Builder]
):
    inner = new_repository("inner")
    commit = inner.commit_files({"data/x": "1"})
    built.git("submodule", "add", "--quiet", str(inner.path), "sub")
    repository = open_repository(built.path / "sub" / "data")
    assert (repository.work_tree, repository.prefix) == (built.path / "sub", "data/")
    assert resolve(repository, "HEAD").id == commit


def test_a_sha256_repository_is_recognized(new_repository: Callable[..., Builder]):
    built = new_repository("new", "--object-format=sha256")
    assert open_repository(built.path).object_format == "sha256"


def test_a_folder_in_no_repository_is_an_error_with_the_fix(tmp_path: Path):
    assert find_repository(tmp_path) is None
    with pytest.raises(OutsideError, match="not in a git repository") as caught:
        open_repository(tmp_path)
    assert "git init" in caught.value.hint


def test_a_file_is_no_folder(built: Builder):
    with pytest.raises(LumosError, match="not a folder"):
        open_repository(built.write("x.json"))


def test_a_folder_that_may_not_be_entered_is_an_error(tmp_path: Path):
    (tmp_path / "closed").mkdir(mode=0)
    user = os.geteuid()
    if user == 0:  # root may enter everything
        os.seteuid(65534)
    try:
        with pytest.raises(OutsideError, match="Permission denied"):
            open_repository(tmp_path / "closed" / "data")
    finally:
        os.seteuid(user)


def test_a_broken_link_to_the_repository_is_not_the_absence_of_one(tmp_path: Path):
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    with pytest.raises(OutsideError, match="git rev-parse failed: not a git repository: /nowhere"):
        find_repository(tmp_path)


def test_the_owner_being_another_user_is_an_error_with_the_fix(
    built: Builder, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(OutsideError, match="belongs to another user") as caught:
        open_repository(built.path)
    assert caught.value.hint == f"git config --global --add safe.directory {built.path}"


def test_git_that_is_not_installed_is_an_error_with_the_fix(
    built: Builder, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OutsideError, match="git is not installed") as caught:
        open_repository(built.path)
    assert "install git" in caught.value.hint


def test_git_that_may_not_run_is_an_error(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").touch(mode=0o644)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(OutsideError, match="git cannot be run: Permission denied"):
        open_repository(built.path)


def test_a_repository_that_is_gone_is_an_error(built: Builder):
    built.commit(x="1")
    repository = open_repository(built.path)
    shutil.rmtree(built.path)
    with pytest.raises(OutsideError, match="git cannot run in this folder"):
        resolve(repository, "HEAD")


def _install(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_git_that_is_too_old_is_named(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Old versions repeat an option that they do not know, and exit 0.
    script = 'case "$*" in *version) echo git version 2.17.1;; *) printf "%s\\n" "$@";; esac\n'
    _install(tmp_path / "bin", script, monkeypatch)
    with pytest.raises(OutsideError, match=r"git version 2\.17\.1 is too old: 2\.39 or newer"):
        open_repository(built.path)


def test_git_speaks_in_one_clean_line_without_secrets(
    built: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    words = r"hint: no\n\033[31mfatal: \033[1mno\a way\033[m to https://me:secret@host/x\nmore\n"
    _install(tmp_path / "bin", f"printf '{words}' >&2; exit 128\n", monkeypatch)
    with pytest.raises(OutsideError) as caught:
        open_repository(built.path)
    assert caught.value.message == "git rev-parse failed: no  way to https://host/x"


def test_variables_of_a_hook_do_not_lead_to_another_repository(
    built: Builder, new_repository: Callable[..., Builder], monkeypatch: pytest.MonkeyPatch
):
    commit = built.commit(x="1")
    other = new_repository("other")
    other.commit(y="2")
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git" / "objects"))
    monkeypatch.setenv("GIT_NAMESPACE", "elsewhere")
    monkeypatch.setenv("GIT_PREFIX", "elsewhere/")
    monkeypatch.setenv("GIT_SHALLOW_FILE", "/nowhere")
    repository = open_repository(built.path)
    assert repository.work_tree == built.path
    assert resolve(repository, "HEAD").id == commit
    assert list(names(repository, commit)) == ["x"]


def test_a_hook_of_one_repository_can_read_another(
    built: Builder, new_repository: Callable[..., Builder], tmp_path: Path
):
    commit = built.commit(x="1")
    other = new_repository("other")
    code = (
        "import os, sys; from pathlib import Path; from lumos_snap.git import *\n"
        "assert 'GIT_INDEX_FILE' in os.environ\n"
        f"repository = open_repository(Path({str(built.path)!r}))\n"
        f"Path({str(tmp_path / 'seen')!r}).write_text(resolve(repository, 'HEAD').id)\n"
    )
    (tmp_path / "code.py").write_text(code)
    package = Path(lumos_snap.git.__file__).parents[2]
    hook = other.write(
        ".git/hooks/pre-commit",
        f"#!/bin/sh\nPYTHONPATH='{package}' exec '{sys.executable}' '{tmp_path / 'code.py'}'\n",
    )
    hook.chmod(0o755)
    other.commit(y="2")
    assert (tmp_path / "seen").read_text() == commit


def test_a_repository_whose_git_folder_lies_elsewhere_is_found(
    new_repository: Callable[..., Builder], tmp_path: Path
):
    built = new_repository("here", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    built.commit_files({"data/x": "1"})
    repository = open_repository(built.path / "data")
    assert (repository.work_tree, repository.common) == (built.path, tmp_path / "elsewhere")


def test_a_repository_cannot_name_a_program_to_run(built: Builder, tmp_path: Path):
    built.commit(x="1")
    built.git("config", "core.fsmonitor", f"touch {tmp_path / 'ran'} #")
    assert changes(open_repository(built.path), "HEAD") == ()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["own.cfg", "link.cfg", "folder/own.cfg"])
def test_settings_that_a_commit_can_change_are_refused(built: Builder, tmp_path: Path, name: str):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "own.cfg").write_text("[user]\n\tname = T\n")
    built.write("own.cfg", "[user]\n\tname = T\n")
    (built.path / "link.cfg").symlink_to(tmp_path / "elsewhere" / "own.cfg")
    (built.path / "folder").symlink_to(tmp_path / "elsewhere")
    built.git("config", "include.path", f"../{name}")
    refuse_foreign_configuration(open_repository(built.path))  # nothing of it is tracked yet
    built.commit()
    refuse_foreign_configuration.cache_clear()
    with pytest.raises(OutsideError, match="git takes settings from"):
        refuse_foreign_configuration(open_repository(built.path))


def test_importing_loads_nothing_heavy():
    code = "import sys, lumos_snap.git; print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        (sys.executable, "-S", "-c", code), capture_output=True, check=True, env=environment
    )
    loaded = set(done.stdout.decode().split())
    assert not loaded & {"git", "difflib", "tempfile", "logging", "asyncio", "json", "click"}

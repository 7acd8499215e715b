"""Finds the repository that a folder lies in, by the name that the user gave.

The search walks up from that name, and only `.git` counts: any folder of a pull request may hold
the files of a bare repository. What was found is named in every later call of git.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.location import (
    Location,
    absolute,
    hint_for_bare,
    require_folder,
    steps_below,
    tops_of,
)

OLDEST_GIT = (2, 39)  # the first that knows `safe.bareRepository` in all its parts


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, seen from one folder in it; paths in and out are relative to that folder."""

    folder: Path
    """Where git runs: the top of the work tree, or the bare repository."""
    work_tree: Path | None
    """The top of the work tree; None in a bare repository."""
    prefix: str
    """The folder below the top: empty, or ending in a slash."""
    git_directory: Path
    """What belongs to this work tree: HEAD and the index."""
    common: Path
    """What all linked worktrees share: objects, refs and configuration."""
    object_format: Literal["sha1", "sha256"]

    @property
    def directories(self) -> tuple[str, ...]:
        """The options that name the git directory and the work tree."""
        if self.work_tree is None:
            return (f"--git-dir={self.git_directory}",)
        return (f"--git-dir={self.git_directory}", f"--work-tree={self.work_tree}")

    @property
    def boundary(self) -> frozenset[str]:
        """The commits at which a shallow clone ends; empty where the history is whole."""
        try:
            text = (self.common / "shallow").read_text(encoding="ascii")
        except FileNotFoundError:
            return frozenset()
        return frozenset(text.split())

    @property
    def shallow(self) -> bool:
        """Whether history is cut off, as of now: fetching may change it."""
        return bool(self.boundary)

    @property
    def partial(self) -> bool:
        """Whether files may still have to be fetched, as in a clone made with a filter."""
        return any((self.common / "objects" / "pack").glob("*.promisor"))

    def top_path(self, path: str) -> str:
        """A path below the folder, as git names it from the top."""
        return self.prefix + path

    def file(self, path: str) -> str:
        """Where a path lies on disk: text, because a `Path` costs more than reading the file."""
        if self.work_tree is None:
            raise no_work_tree(self)
        return f"{self.work_tree}/{self.prefix}{path}"


def no_work_tree(repository: Repository) -> LumosError:
    """The error for work that needs files on disk."""
    return LumosError(
        f"{repository.folder}: no work tree here to compare with",
        hint="name the commit to compare with, like `--head HEAD`",
    )


def open_repository(path: Path) -> Repository:
    """The repository that contains a folder, which need not exist any more."""
    found = find_repository(path)
    if found is None:
        hint = "run `git init`, or name a folder in a repository"
        raise OutsideError(
            f"{path}: not in a git repository", hint=hint_for_bare(path.resolve()) or hint
        )
    return found


def find_repository(path: Path) -> Repository | None:
    """The repository that contains a folder, or None where there is none.

    A bare repository is used only where the variable GIT_DIR names it.
    """
    place = locate(path)
    require_folder(place.folder, path)
    for top in place.tops:
        found = confirm_repository(top, place.folder)
        if found is not None:
            return found
    named = process.read_git_directory()
    return None if named is None else _bare(named)


def locate(path: Path) -> Location:
    """Find a folder by the name that was given; raise where a link inside a repository leads there.

    A link in a repository is content: what it replaced cannot be compared with what it leads to.
    Links outside of repositories are the user's own.
    """
    named = absolute(path)
    tops = tuple(tops_of(named))
    if not tops:
        named = path.resolve()
        tops = tuple(tops_of(named))
    _refuse_links(path, named, tops)
    if not tops:
        return Location(named, ())
    top = tops[0].resolve()
    folder = top / named.relative_to(tops[0])
    return Location(folder, (top, *(one.resolve() for one in tops[1:])))


def _refuse_links(path: Path, named: Path, tops: tuple[Path, ...]) -> None:
    for number, top in enumerate(tops):
        for step in steps_below(top, named):
            if step.is_symlink() and (number == 0 or _is_tracked(top.resolve(), step)):
                raise OutsideError(
                    f"{path}: {step.relative_to(top)} is a link inside the repository {top}, "
                    "so nothing can be compared with what was there before",
                    hint=f"name the folder that it leads to: {step.resolve()}",
                )


def _is_tracked(top: Path, link: Path) -> bool:
    """Whether a link is content of a repository around the innermost one."""
    repository = confirm_repository(top)
    return repository is not None and is_tracked(repository, link)


def is_tracked(repository: Repository, path: Path) -> bool:
    """Whether the index holds a path, or anything below it."""
    named = str(path.parent.resolve() / path.name)
    return bool(process.run(repository, "ls-files", "-z", "--cached", "--", named))


def confirm_repository(top: Path, folder: Path | None = None) -> Repository | None:
    """The repository at the top, seen from a folder in it, if git takes it for one."""
    given = process.ask(process.RepositoryCandidate(top), *_QUESTION)
    if given.code:
        _accept_absence(top, given.complaint)
        return None
    return _read(given.out.decode("utf-8", "surrogateescape"), top, folder or top)


def _bare(named: Path) -> Repository | None:
    """The bare repository that the environment names; a hook's own work tree is not meant."""
    place = _GivenDirectory(named)
    if not named.is_dir():
        return None
    given = process.ask(place, *_QUESTION)
    if given.code:
        _accept_absence(named, given.complaint)
        return None
    found = _read(given.out.decode("utf-8", "surrogateescape"), named, named)
    return found if found.work_tree is None else None


@dataclass(frozen=True, slots=True)
class _GivenDirectory:
    """A git directory that the user named."""

    folder: Path

    @property
    def directories(self) -> tuple[str, ...]:
        return (f"--git-dir={self.folder}",)


_QUESTION = (
    "rev-parse",
    "--path-format=absolute",
    "--show-object-format",
    "--git-dir",
    "--is-bare-repository",
    "--git-common-dir",
)


def _accept_absence(folder: Path, complaint: str) -> None:
    """Raise what is wrong with a repository, unless there is simply none."""
    if complaint.startswith(("not a git repository (or any", "cannot use bare repository")):
        return
    if "dubious ownership" in complaint or "unsafe repository" in complaint:
        raise OutsideError(
            f"{folder}: the repository belongs to another user, so git refuses to read it",
            hint=f"git config --global --add safe.directory {_path_for_git(complaint, folder)}",
        )
    raise process.failure("rev-parse", complaint)


def _path_for_git(complaint: str, folder: Path) -> str:
    """The path that git wants to hear: for a linked worktree it is not the obvious one."""
    from shlex import quote  # noqa: PLC0415 - only for a refusal

    _, _, rest = complaint.partition("'")
    named, closing, _ = rest.partition("'")
    return quote(named if closing else str(folder))


def _read(text: str, top: Path, folder: Path) -> Repository:
    """Read the answer; the two folders in it may hold any character, even line ends."""
    object_format, _, rest = text.removesuffix("\n").partition("\n")
    if object_format not in ("sha1", "sha256"):
        raise _too_old(top)
    git_directory, bare, common = _split(rest)
    below = "" if bare else folder.relative_to(top).as_posix()
    return Repository(
        folder=top,
        work_tree=None if bare else top,
        prefix="" if below in ("", ".") else f"{below}/",
        git_directory=Path(git_directory),
        common=Path(common),
        object_format="sha1" if object_format == "sha1" else "sha256",
    )


def _split(text: str) -> tuple[str, bool, str]:
    """The git directory, whether it is bare, and the common directory.

    The first lies in the second, or is it: that tells a line of git from one of an odd name.
    """
    for word, bare in (("\nfalse\n", False), ("\ntrue\n", True)):
        at = text.find(word)
        while at >= 0:
            one, other = text[:at], text[at + len(word) :]
            if one == other or one.startswith(f"{other}/"):
                return one, bare, other
            at = text.find(word, at + 1)
    raise process.failure("rev-parse", "git names no repository")


def _too_old(folder: Path) -> OutsideError:
    version = (
        process.run(process.DetachedFolder(folder), "version").decode("utf-8", "replace").strip()
    )
    return OutsideError(
        f"{version} is too old: {'.'.join(map(str, OLDEST_GIT))} or newer is needed",
        hint="update git",
    )

"""Repository of a folder, found by the name that the user gave; its configuration, and attributes.

The search walks up from that name, and only `.git` counts: any folder of a pull request may
contain the files of a bare repository. Later git calls name the repository explicitly.
"""

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process

# Location of a folder by the file system alone: the repositories and links around it.
#
# Only `.git` marks a repository: any folder of a pull request may contain the files of a bare one.


REPOSITORY = ".git"
_MOST_LINKS = 40  # the limit of the system


@dataclass(frozen=True, slots=True)
class Location:
    """A folder without links that a pull request may have placed, and its repositories."""

    folder: Path
    """The folder itself, which need not exist."""
    tops: tuple[Path, ...]
    """The folders with a `.git` that contain it, innermost first."""


def absolute(path: Path) -> Path:
    """An absolute path by the user's names: links are not resolved."""
    return Path(os.path.normpath(process.logical_folder() / path))


def tops_of(folder: Path) -> Iterator[Path]:
    """The folders with a `.git` that contain a folder, innermost first."""
    for candidate in (folder, *folder.parents):
        mark = f"{candidate}/{REPOSITORY}"
        if os.path.isfile(mark) or os.path.lexists(f"{mark}/HEAD"):  # noqa: PTH113 - asked often
            yield candidate


def steps_below(top: Path, folder: Path) -> Iterator[Path]:
    """The folder and those above it, up to but not including the top."""
    for step in (folder, *folder.parents):
        if step == top:
            return
        yield step


def links_to(path: Path) -> Iterator[Path]:
    """All links that the system follows on the way to a path, by their real names."""
    at, waiting, count = Path("/"), _steps(process.logical_folder() / path), 0
    while waiting and count < _MOST_LINKS:
        step = waiting.pop()
        if step == os.pardir:
            at = at.parent
            continue
        at /= step
        if at.is_symlink():
            yield at
            count += 1
            target = at.readlink()
            at = Path("/") if target.is_absolute() else at.parent
            waiting += _steps(target)


def _steps(path: Path) -> list[str]:
    """The names in a path, in reverse order."""
    return [part for part in reversed(path.parts) if part != path.anchor]


def require_folder(folder: Path, path: Path) -> None:
    """Refuse a path that leads through a file or an inaccessible folder."""
    try:
        found = next(candidate for candidate in (folder, *folder.parents) if candidate.exists())
    except PermissionError as exc:
        raise OutsideError(f"{path}: {exc.strerror}", hint="check who may enter it") from exc
    if not found.is_dir():
        raise LumosError(f"{path}: not a folder", hint="name the folder that holds the tree")
    if REPOSITORY in folder.parts:
        raise LumosError(
            f"{path}: lies in git's own folder", hint="name a folder in the working tree"
        )


def hint_for_bare(folder: Path) -> str:
    """Explain how to read a bare repository; empty for other folders."""
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        return f"to read a bare repository, name it in the environment: GIT_DIR={folder}"
    return ""


OLDEST_GIT = (2, 39)  # the first that fully supports `safe.bareRepository`


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, seen from one of its folders; all paths are relative to that folder."""

    folder: Path
    """The working directory of git: the top of the work tree, or the bare repository."""
    work_tree: Path | None
    """The top of the work tree; None in a bare repository."""
    prefix: str
    """The folder below the top: empty, or ending in a slash."""
    git_directory: Path
    """The directory of this work tree: HEAD and the index."""
    common: Path
    """The directory that all linked worktrees share: objects, refs and configuration."""
    object_format: Literal["sha1", "sha256"]

    @property
    def directories(self) -> tuple[str, ...]:
        """The options that name the git directory and the work tree."""
        if self.work_tree is None:
            return (f"--git-dir={self.git_directory}",)
        return (f"--git-dir={self.git_directory}", f"--work-tree={self.work_tree}")

    @property
    def boundary(self) -> frozenset[str]:
        """The boundary commits of a shallow clone; empty with a full history."""
        try:
            text = (self.common / "shallow").read_text(encoding="ascii")
        except FileNotFoundError:
            return frozenset()
        return frozenset(text.split())

    @property
    def shallow(self) -> bool:
        """Whether the clone is currently shallow; fetching may change it."""
        return bool(self.boundary)

    @property
    def partial(self) -> bool:
        """Whether the clone is partial, so that files may have to be fetched."""
        return any((self.common / "objects" / "pack").glob("*.promisor"))

    def top_path(self, path: str) -> str:
        """A path below the folder, relative to the top."""
        return self.prefix + path

    def file(self, path: str) -> str:
        """The path on disk as text, because a `Path` costs more than reading the file."""
        if self.work_tree is None:
            raise no_work_tree(self)
        return f"{self.work_tree}/{self.prefix}{path}"


def no_work_tree(repository: Repository) -> LumosError:
    """The error for commands that need files on disk."""
    return LumosError(
        f"{repository.folder}: no work tree here to compare with",
        hint="name the commit to compare with, like `--head HEAD`",
    )


def open_repository(path: Path) -> Repository:
    """The repository that contains a folder, which need not exist."""
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
    """Find a folder by its given name; raise where a link inside a repository leads there.

    A link in a repository is content: what it replaced cannot be compared with its target. Links
    outside of repositories belong to the user.
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
    """Whether an outer repository tracks a link."""
    repository = confirm_repository(top)
    return repository is not None and is_tracked(repository, link)


def is_tracked(repository: Repository, path: Path) -> bool:
    """Whether the index contains a path, or anything below it."""
    named = str(path.parent.resolve() / path.name)
    return bool(process.run(repository, "ls-files", "-z", "--cached", "--", named))


def confirm_repository(top: Path, folder: Path | None = None) -> Repository | None:
    """The repository at the top, seen from a folder in it, if git accepts it as one."""
    given = process.ask(process.RepositoryCandidate(top), *_QUESTION)
    if given.code:
        _accept_absence(top, given.complaint)
        return None
    return _read(given.out.decode("utf-8", "surrogateescape"), top, folder or top)


def _bare(named: Path) -> Repository | None:
    """The bare repository in the environment; a hook's own work tree does not count."""
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
    """Raise for a repository with an error; do nothing where there is none."""
    if complaint.startswith(("not a git repository (or any", "cannot use bare repository")):
        return
    if "dubious ownership" in complaint or "unsafe repository" in complaint:
        raise OutsideError(
            f"{folder}: the repository belongs to another user, so git refuses to read it",
            hint=f"git config --global --add safe.directory {_path_for_git(complaint, folder)}",
        )
    raise process.failure("rev-parse", complaint)


def _path_for_git(complaint: str, folder: Path) -> str:
    """The path in git's error message, which for linked worktrees is not the obvious one."""
    from shlex import quote  # noqa: PLC0415 - only for a refusal

    _, _, rest = complaint.partition("'")
    named, closing, _ = rest.partition("'")
    return quote(named if closing else str(folder))


def _read(text: str, top: Path, folder: Path) -> Repository:
    """Parse the answer; its folders may contain any character, even line ends."""
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

    The first is in or equal to the second, which tells separators from line ends in names.
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


# The repository's configuration, and the attributes of paths.


def settings(repository: Repository) -> Mapping[str, str]:
    """The settings of the local configuration; of repeated ones, the last."""
    listing = process.run(repository, "config", "--local", "--list", "-z")
    items = (one.partition("\n") for one in listing.decode("utf-8", "surrogateescape").split("\0"))
    return {name: value for name, _, value in items if name}


def configure(repository: Repository, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Add missing settings and return their names; existing ones stay unchanged."""
    present = settings(repository)
    missing = [name for name in wanted if name not in present]
    for name in missing:
        process.run(repository, "config", "--local", name, wanted[name])
    return tuple(missing)


def attributes(repository: Repository, path: str, names: Sequence[str]) -> Mapping[str, str]:
    """The attributes of a path below the repository's folder, by name."""
    listing = process.run(repository, "check-attr", "-z", *names, "--", repository.top_path(path))
    cells = listing.decode("utf-8", "surrogateescape").split("\0")
    return dict(zip(cells[1::3], cells[2::3], strict=False))


def user_name(repository: Repository) -> str | None:
    """The user name from git's configuration or environment."""
    answer = process.ask(repository, "var", "GIT_AUTHOR_IDENT")
    return answer.out.decode("utf-8", "replace").partition(" <")[0].strip() or None


@functools.cache
def refuse_foreign_configuration(repository: Repository) -> None:
    """Raise where git reads settings from a file of the work tree, as by `include.path`.

    Settings can name programs, also for credentials and connections, and every pull request could
    change them. Commands that only read run with all programs switched off.
    """
    listing = process.run(repository, "config", "--list", "--name-only", "--show-origin", "-z")
    origins = listing.decode("utf-8", "surrogateescape").split("\0")[::2]
    for origin in dict.fromkeys(origins):
        kind, _, name = origin.partition(":")
        if kind == "file" and _is_content(repository, repository.folder / name):
            raise OutsideError(
                f"git takes settings from {name}, which any commit can change",
                hint="move them to .git/config or ~/.gitconfig: see `git config --show-origin -l`",
            )


def _is_content(repository: Repository, file: Path) -> bool:
    """Whether a commit can change a file: the file, or a link on the way to it, is tracked.

    Git's own folder is never tracked.
    """
    if repository.work_tree is None:
        return False
    top = repository.work_tree.resolve()
    below = (one for one in (*links_to(file), file.resolve()) if one.is_relative_to(top))
    return any(is_tracked(repository, one) for one in below)

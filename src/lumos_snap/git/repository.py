"""Finds the repository that a folder lies in."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process

_OLDEST_GIT = "2.31"  # `rev-parse --path-format`; older ones repeat an option that they do not know


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository, seen from one folder in it; paths in and out are relative to that folder."""

    folder: Path
    """Where git runs: the top of the work tree, or the bare repository."""
    work_tree: Path | None
    """The top of the work tree; None in a bare repository."""
    prefix: str
    """The folder below the top: empty, or ending in a slash."""
    common: Path
    """What all linked worktrees share: objects, refs and configuration."""
    object_format: Literal["sha1", "sha256"]

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
        raise OutsideError(
            f"{path}: not in a git repository",
            hint="run `git init`, or name a folder in a repository",
        )
    return found


def find_repository(path: Path) -> Repository | None:
    """The repository that contains a folder, or None where there is none."""
    real = path.resolve()
    folder = _nearest_folder(real, path)
    given = process.ask(folder, *_QUESTION)
    if given.code:
        _accept_absence(folder, given.complaint)
        return None
    return _read(given.out.decode("utf-8", "surrogateescape"), real, folder)


_QUESTION = (
    "rev-parse",
    "--path-format=absolute",
    "--show-object-format",
    "--git-common-dir",
    "--is-inside-work-tree",
    "--show-cdup",
)


def _nearest_folder(real: Path, path: Path) -> Path:
    """The folder itself; where the work tree has lost it, the closest one above."""
    try:
        folder = next(candidate for candidate in (real, *real.parents) if candidate.exists())
    except PermissionError as exc:
        raise OutsideError(f"{path}: {exc.strerror}", hint="check who may enter it") from exc
    if not folder.is_dir():
        raise LumosError(f"{path}: not a folder", hint="name the folder that holds the tree")
    return folder


def _accept_absence(folder: Path, complaint: str) -> None:
    """Raise what is wrong with a repository, unless there is simply none."""
    if complaint.startswith("not a git repository (or any"):
        return
    if "dubious ownership" in complaint or "unsafe repository" in complaint:
        raise OutsideError(
            f"{folder}: the repository belongs to another user, so git refuses to read it",
            hint=f"git config --global --add safe.directory {_named_by_git(complaint, folder)}",
        )
    raise process.failure("rev-parse", complaint)


def _named_by_git(complaint: str, folder: Path) -> str:
    """The path that git wants to hear: for a linked worktree it is not the obvious one."""
    from shlex import quote  # noqa: PLC0415 - only for a refusal

    _, _, rest = complaint.partition("'")
    named, closing, _ = rest.partition("'")
    return quote(named if closing else str(folder))


def _read(text: str, real: Path, folder: Path) -> Repository:
    """Read the answer from both ends: the folder in its middle may hold any character."""
    before, inside, steps = text.rpartition("\ntrue\n")
    if not inside:
        before, _, _ = text.partition("\nfalse\n")
    object_format, _, common = before.partition("\n")
    if object_format not in ("sha1", "sha256"):
        raise _too_old(folder)
    work_tree = _up(folder, steps.count("../")) if inside else None
    return Repository(
        folder=work_tree or folder,
        work_tree=work_tree,
        prefix=_prefix(real, work_tree or folder),
        common=Path(common),
        object_format="sha1" if object_format == "sha1" else "sha256",
    )


def _up(folder: Path, steps: int) -> Path:
    return folder.parents[steps - 1] if steps else folder


def _prefix(real: Path, top: Path) -> str:
    below = real.relative_to(top).as_posix()
    return "" if below == "." else f"{below}/"


def _too_old(folder: Path) -> OutsideError:
    version = process.run(folder, "version").decode("utf-8", "replace").strip()
    return OutsideError(
        f"{version} is too old: {_OLDEST_GIT} or newer is needed",
        hint="update git",
    )

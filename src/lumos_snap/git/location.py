"""Location of a folder by the file system alone: the repositories and links around it.

Only `.git` marks a repository: any folder of a pull request may contain the files of a bare one.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process

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

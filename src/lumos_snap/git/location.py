"""Where a folder lies, as the file system alone tells: which repositories and links are around it.

Only `.git` marks a repository: any folder of a pull request may hold the files of a bare one.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process

REPOSITORY = ".git"
_MOST_LINKS = 40  # the system itself follows no more


@dataclass(frozen=True, slots=True)
class Location:
    """A folder, free of links that a pull request may have placed, and what is around it."""

    folder: Path
    """The folder itself, which need not exist."""
    tops: tuple[Path, ...]
    """The folders with a `.git` that it lies in, the innermost first."""


def absolute(path: Path) -> Path:
    """A path from the root, by the names that the user knows: links stay in it."""
    return Path(os.path.normpath(process.logical_folder() / path))


def tops_of(folder: Path) -> Iterator[Path]:
    """The folders with a `.git` that a folder lies in, the innermost first."""
    for candidate in (folder, *folder.parents):
        mark = f"{candidate}/{REPOSITORY}"
        if os.path.isfile(mark) or os.path.lexists(f"{mark}/HEAD"):  # noqa: PTH113 - asked often
            yield candidate


def steps_below(top: Path, folder: Path) -> Iterator[Path]:
    """The folder and those above it, below the top."""
    for step in (folder, *folder.parents):
        if step == top:
            return
        yield step


def links_to(path: Path) -> Iterator[Path]:
    """Every link that the system follows on its way to a path, by its real name."""
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
    """The names in a path, the first one last."""
    return [part for part in reversed(path.parts) if part != path.anchor]


def require_folder(folder: Path, path: Path) -> None:
    """Refuse a path that leads through a file, or where nobody may enter."""
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
    """How to have a bare repository read; empty where the folder is none."""
    if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
        return f"to read a bare repository, name it in the environment: GIT_DIR={folder}"
    return ""

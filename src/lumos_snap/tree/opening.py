"""Finding the tree that a folder belongs to."""

import contextlib
from pathlib import Path

from lumos_snap.config import CONFIG_NAME
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import Repository, find_repository
from lumos_snap.tree.files import NoFiles
from lumos_snap.tree.folder import FolderFiles
from lumos_snap.tree.tree import Tree


def open_tree(path: str | Path = ".") -> Tree:
    """The tree that a folder belongs to; in a bare repository, use `at` to read it."""
    folder = _folder(Path(path))
    root, repository = _climbed(folder)
    if root is not None:
        return Tree(root, FolderFiles(root))
    if repository is not None and repository.work_tree is None:
        return Tree(folder, NoFiles())
    raise _no_tree(folder)


def find_root(start: Path) -> Path:
    """The folder that holds `lumos.yaml`: `start`, or the nearest one around it.

    The search ends at the top of the repository that contains `start`.
    """
    folder = _folder(start)
    root, _ = _climbed(folder)
    if root is None:
        raise _no_tree(folder)
    return root


def _folder(path: Path) -> Path:
    try:
        if path.is_dir():
            return path.resolve()
        what = "is not a folder" if path.exists() else "there is no such folder"
    except OSError as exc:
        raise OutsideError(f"{path}: {exc.strerror}", hint="check who may enter it") from exc
    raise LumosError(f"{path}: {what}", hint="name a folder of the tree")


def _climbed(start: Path) -> tuple[Path | None, Repository | None]:
    """The nearest folder with settings, and the repository that was asked about on the way.

    Git is asked only where something on the way looks like a repository: most trees are found
    without it, and without a git on this machine every tree is.
    """
    repository: Repository | None = None
    for folder in (start, *start.parents):
        with contextlib.suppress(PermissionError):  # what may not be entered is no tree of ours
            if (folder / CONFIG_NAME).is_file():
                return folder, repository
            if repository is None and _looks_like_a_repository(folder):
                repository = _repository(start)
        if repository is not None and repository.work_tree in (None, folder):
            break
    return None, repository


def _looks_like_a_repository(folder: Path) -> bool:
    return (folder / ".git").exists() or (
        (folder / "HEAD").is_file() and (folder / "objects").is_dir()
    )


def _repository(folder: Path) -> Repository | None:
    import shutil  # noqa: PLC0415 - only where a tree is not found at once

    return find_repository(folder) if shutil.which("git") else None


def _no_tree(folder: Path) -> LumosError:
    return LumosError(
        f"no {CONFIG_NAME} in {folder} or above it",
        hint="run `lumos snap init` where the tree should be",
    )

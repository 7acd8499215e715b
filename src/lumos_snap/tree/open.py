"""Finding the tree that a folder belongs to."""

import contextlib
from pathlib import Path

from lumos_snap.config import CONFIG_NAME
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import Location, find_repository, hint_for_bare, locate, steps_below
from lumos_snap.tree.files import NoFiles
from lumos_snap.tree.folder import FolderFiles
from lumos_snap.tree.tree import Tree


def open_tree(path: str | Path = ".") -> Tree:
    """The tree that a folder belongs to.

    A bare repository is read with `at`, where the variable GIT_DIR names it.
    """
    place = _located(Path(path))
    root = _climbed(place)
    if root is not None:
        return Tree(root, FolderFiles(root), tuple(steps_below(root, place.folder)))
    if _is_bare(place.folder):
        return Tree(place.folder, NoFiles())
    raise _no_tree(place.folder)


def find_root(start: Path) -> Path:
    """The folder that holds `lumos.yaml`: `start`, or the nearest one around it.

    The search ends at the top of the repository that contains `start`.
    """
    place = _located(start)
    root = _climbed(place)
    if root is None:
        raise _no_tree(place.folder)
    return root


def _located(path: Path) -> Location:
    try:
        if path.is_dir():
            return locate(path)
        what = "is not a folder" if path.exists() else "there is no such folder"
    except OSError as exc:
        raise OutsideError(f"{path}: {exc.strerror}", hint="check who may enter it") from exc
    raise LumosError(f"{path}: {what}", hint="name a folder of the tree")


def _climbed(place: Location) -> Path | None:
    """The nearest folder with settings: found without git, and without a git on this machine."""
    for folder in (place.folder, *place.folder.parents):
        with contextlib.suppress(PermissionError):  # what may not be entered is no tree of ours
            if (folder / CONFIG_NAME).is_file():
                return folder
        if folder in place.tops[:1]:
            break
    return None


def _is_bare(folder: Path) -> bool:
    """Whether the folder belongs to a repository without a work tree."""
    import shutil  # noqa: PLC0415 - only where no tree is found at once

    if not shutil.which("git"):
        return False
    repository = find_repository(folder)
    return repository is not None and repository.work_tree is None


def _no_tree(folder: Path) -> LumosError:
    return LumosError(
        f"no {CONFIG_NAME} in {folder} or above it",
        hint=hint_for_bare(folder) or "run `lumos snap init` where the tree should be",
    )

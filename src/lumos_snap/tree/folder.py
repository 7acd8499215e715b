"""A tree in a folder: listed and read without following links."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.canonical.document_kinds import FOLDERS
from lumos_snap.documents.limits import read_file
from lumos_snap.errors import OutsideError
from lumos_snap.tree.files import (
    Content,
    Form,
    PathRemark,
    TreePaths,
    batches,
    folders_above,
    is_hidden,
    sort_paths,
)

_REPOSITORY = ".git"


@dataclass(frozen=True, slots=True)
class FolderPortion:
    """Paths whose bytes are read in the process that receives the portion."""

    files: "FolderFiles"
    paths: tuple[str, ...]

    def __iter__(self) -> Iterator[Content]:
        return self.files.read_all(self.paths)


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The tree in a folder."""

    root: Path

    @property
    def label(self) -> str:
        """Name of the source in messages."""
        return "the working tree"

    def name(self, path: str) -> str:
        """Name of a file in messages."""
        return str(self.root / path)

    def folder(self) -> Path:
        """The folder to write to."""
        return self.root

    def form(self, path: str) -> Form | None:
        """Form of a path, or of a link in one of its folders; None where it does not exist."""
        try:
            return self._met(path)[1]
        except OSError as exc:
            raise _unreadable(path, exc) from exc

    def found(self, under: Iterable[str] = FOLDERS) -> TreePaths:
        """Every path at or below the given ones."""
        met: list[tuple[str, Form]] = []
        unreadable: list[PathRemark] = []
        for path in under:
            try:
                at, form = self._met(path)
            except OSError as exc:
                unreadable.append(_remark(path, exc))
                continue
            if is_hidden(at) or form is None:
                continue
            if form is Form.FOLDER:
                self._walk(at, met, unreadable)
            else:
                met.append((at, form))
        return sort_paths(met, unreadable)

    def _met(self, path: str) -> tuple[str, Form | None]:
        """The path and its form, or the first of its folders that hides it."""
        if not {"", ".", ".."}.isdisjoint(path.split("/")):
            return path, None  # such paths are in no tree
        for step in folders_above(path):
            form = self._form(step)
            if form in (Form.LINK, Form.REPOSITORY):
                return step, form
            if form is not Form.FOLDER:
                hides = form is not None and "/" not in step
                return (step, Form.OTHER) if hides else (path, None)
        return path, self._form(path)

    def _form(self, path: str) -> Form | None:
        place = f"{self.root}/{path}"  # building a Path costs more than the lstat
        try:
            mode = os.lstat(place).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISDIR(mode):
            is_repository = os.path.lexists(f"{place}/{_REPOSITORY}")
            return Form.REPOSITORY if is_repository else Form.FOLDER
        if stat.S_ISLNK(mode):
            return Form.LINK
        return Form.FILE if stat.S_ISREG(mode) else Form.OTHER

    def _walk(self, folder: str, met: list[tuple[str, Form]], unreadable: list[PathRemark]) -> None:
        """List recursively without following links, so that a loop of links is harmless."""
        pending = [folder]
        while pending:
            current = pending.pop()
            try:
                entries = self.entries(current)
                if any(entry.name == _REPOSITORY for entry in entries):
                    met.append((current, Form.REPOSITORY))
                    continue
                for entry in entries:
                    path = f"{current}/{entry.name}"
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(path)
                    else:
                        met.append((path, form_of(entry)))
            except OSError as exc:
                unreadable.append(_remark(current, exc))

    def entries(self, folder: str) -> list["os.DirEntry[str]"]:
        """The direct entries of a folder."""
        try:
            with os.scandir(self.root / folder) as entries:
                return list(entries)
        except FileNotFoundError:
            return []  # removed since its parent folder was listed

    def listed(self, folder: str, suffixes: tuple[str, ...]) -> tuple[str, ...]:
        """Regular files directly in a folder with one of the suffixes, sorted."""
        if self.form(folder) is not Form.FOLDER:
            return ()
        try:
            entries = self.entries(folder)
        except OSError as exc:
            raise _unreadable(folder, exc) from exc
        plain = (one.name for one in entries if form_of(one) is Form.FILE)
        return tuple(sorted(f"{folder}/{name}" for name in plain if name.endswith(suffixes)))

    def read(self, path: str) -> bytes | None:
        """The bytes of the regular file at a path; None for anything else."""
        if self.form(path) is not Form.FILE:
            return None
        try:
            with open(self.root / path, "rb") as file:  # noqa: PTH123 - as below
                return read_file(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as exc:
            raise _unreadable(path, exc) from exc

    def portions(self, paths: Iterable[str]) -> Iterator[Iterable[Content]]:
        """The bytes at many paths, in portions that can be sent to other processes."""
        return (FolderPortion(self, portion) for portion in batches(paths))

    def read_all(self, paths: Iterable[str]) -> Iterator[Content]:
        """The bytes at many paths, in order; read errors are returned, not raised."""
        root = str(self.root) + os.sep
        for path in paths:
            try:
                with open(root + path, "rb", buffering=0) as file:  # noqa: PTH123 - half the cost of Path.read_bytes
                    yield path, read_file(file)
            except OSError as exc:
                yield path, exc


def form_of(entry: "os.DirEntry[str]") -> Form:
    """The form of a folder entry that is not a folder."""
    if entry.is_file(follow_symlinks=False):
        return Form.FILE
    return Form.LINK if entry.is_symlink() else Form.OTHER


def _remark(path: str, exc: OSError) -> PathRemark:
    return PathRemark(path, exc.strerror or str(exc))


def _unreadable(path: str, exc: OSError) -> OutsideError:
    return OutsideError(
        f"{path}: cannot be read: {exc.strerror or exc}", hint="check its permissions"
    )

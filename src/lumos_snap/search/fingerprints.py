"""Detection of changed files in a tree by size, times and inode."""

import os
import stat
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.tree.files import Form, why_stray
from lumos_snap.tree.folder import FolderFiles, form_of

TOP = ""
"""Path of the folder above the snapshot folder, which is always checked."""

_SETTLED = 2_000_000_000
"""Nanoseconds after which a file time is reliable: some file systems have steps of two seconds."""


@dataclass(frozen=True, slots=True)
class FileState:
    """A file on disk: its stamp, and why it is not a readable document."""

    stamp: str
    stray: str = ""
    unreadable: str = ""


@dataclass(slots=True)
class FolderState:
    """A folder on disk: its stamp, its files by path, and its subfolders."""

    stamp: str
    files: dict[str, FileState] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)


Stamper = Callable[[os.stat_result], str]


def build_stamper(now: int) -> Stamper:
    """Build the stamp function for a moment; files written just now get an empty stamp.

    Such a file may change again within one tick of its clock, so it is read again next time.
    """

    def stamp(status: os.stat_result) -> str:
        if max(status.st_mtime_ns, status.st_ctime_ns) > now - _SETTLED:
            return ""
        own = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        return " ".join(map(str, own))

    return stamp


def find_gone_or_changed(
    files: FolderFiles, known: Mapping[str, str], stamp: Stamper
) -> tuple[list[str], list[str]]:
    """The known folders that are gone, and those with a changed list of names."""
    gone: list[str] = []
    changed: list[str] = []
    lost = "\0"
    for path, before in sorted(known.items(), key=lambda one: one[0] + "/"):
        now = None if path.startswith(lost) else _folder(files, path, stamp)
        if now is None:
            gone.append(path)
            lost = lost if path.startswith(lost) else f"{path}/"
        elif not now or now != before:
            changed.append(path)
    return gone, changed


def walk_folders(
    files: FolderFiles, start: str, stamp: Stamper, *, known: Container[str]
) -> Iterator[tuple[str, FolderState]]:
    """Walk a folder and all unknown folders below it."""
    pending = [start]
    while pending:
        path = pending.pop()
        found = _top(files) if path == TOP else _list_folder(files, path, stamp)
        yield path, found
        pending += [below for below in found.folders if below not in known]


def stamp_of(files: FolderFiles, path: str, stamp: Stamper) -> str:
    """The current stamp of a file; empty where it has none."""
    try:
        return stamp(os.lstat(f"{files.root}/{path}"))
    except OSError:
        return ""


def _top(files: FolderFiles) -> FolderState:
    """The state of the path of the snapshot folder."""
    form = files.form(SNAPSHOT.folder)
    if form is None:
        return FolderState("")
    if form is Form.FOLDER:
        return FolderState("", folders=[SNAPSHOT.folder])
    return _only_a_stray(SNAPSHOT.folder, form)


def _only_a_stray(path: str, form: Form, stamp: str = "") -> FolderState:
    why = why_stray(path, form)
    return FolderState(stamp, {path: FileState(why, stray=why)})


def _folder(files: FolderFiles, path: str, stamp: Stamper) -> str | None:
    try:
        status = os.lstat(f"{files.root}/{path}")
    except OSError:
        return None
    return stamp(status) if stat.S_ISDIR(status.st_mode) else None


def _list_folder(files: FolderFiles, path: str, stamp: Stamper) -> FolderState:
    found = FolderState(
        _folder(files, path, stamp) or ""
    )  # before its entries are listed, which may change in the meantime
    try:
        entries = files.entries(path)
    except OSError as exc:
        why = exc.strerror or str(exc)
        return FolderState("", {path: FileState(why, unreadable=why)})
    if any(entry.name == ".git" for entry in entries):
        return _only_a_stray(path, Form.REPOSITORY, found.stamp)
    for entry in entries:
        below = f"{path}/{entry.name}"
        if entry.name.startswith("."):
            continue
        with suppress(FileNotFoundError):  # deleted just now, so the folder has changed
            if entry.is_dir(follow_symlinks=False):
                found.folders.append(below)
            else:
                seen = stamp(entry.stat(follow_symlinks=False))
                found.files[below] = FileState(seen, why_stray(below, form_of(entry)))
    return found

"""Forms of paths in a tree, and the rule that decides which paths are documents."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.canonical.paths import SUFFIX
from lumos_snap.git import EntryKind


class Form(Enum):
    """The form of a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    REPOSITORY = "repository"
    OTHER = "other"


FORMS = {
    EntryKind.FILE: Form.FILE,
    EntryKind.SYMLINK: Form.LINK,
    EntryKind.SUBMODULE: Form.REPOSITORY,
}
"""Forms of git entries."""

_OF_KINDS = tuple(f"{kind.folder}/" for kind in KINDS)

STATE = ".lumos"

NO_KIND = "it is in no folder of documents, such as `snapshots/` or `entities/users/`"


@dataclass(frozen=True, slots=True, order=True)
class PathRemark:
    """A path with a remark."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class TreePaths:
    """The sorted paths of a tree: documents, strays, and paths that cannot be listed."""

    documents: tuple[str, ...] = ()
    strays: tuple[PathRemark, ...] = ()
    unreadable: tuple[PathRemark, ...] = ()


def why_stray(path: str, form: Form) -> str:
    """Why a path is not a document; empty where it is one."""
    if form is Form.LINK:
        return "it is a link"
    if form is Form.REPOSITORY:
        return "it is a repository of its own"
    if "/" not in path:
        return "it is a file where a folder should be"
    if form is not Form.FILE:
        return "it is not a regular file"
    if not path.endswith(SUFFIX):
        return f"its name does not end in {SUFFIX}"
    return "" if path.startswith(_OF_KINDS) else NO_KIND


def sort_paths(met: Iterable[tuple[str, Form]], unreadable: Iterable[PathRemark] = ()) -> TreePaths:
    """Sort paths into documents and strays, without duplicates."""
    documents: set[str] = set()
    strays: set[PathRemark] = set()
    for path, form in met:
        why = why_stray(path, form)
        if why:
            strays.add(PathRemark(path, why))
        else:
            documents.add(path)
    return TreePaths(
        tuple(sorted(documents)), tuple(sorted(strays)), tuple(sorted(set(unreadable)))
    )


def merge_paths(found: Iterable[TreePaths]) -> TreePaths:
    """Merge several results, without duplicates."""
    every = tuple(found)
    return TreePaths(
        tuple(sorted({path for one in every for path in one.documents})),
        tuple(sorted({stray for one in every for stray in one.strays})),
        tuple(sorted({remark for one in every for remark in one.unreadable})),
    )


def is_hidden(path: str) -> bool:
    """Whether a path is ignored: editors, file managers and git keep such files."""
    return path.startswith(".") or "/." in path


def folders_above(path: str) -> tuple[str, ...]:
    """The folders above a path, outermost first."""
    steps = path.split("/")
    return tuple("/".join(steps[:end]) for end in range(1, len(steps)))

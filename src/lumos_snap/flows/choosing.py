"""Which files and datasets a command is about."""

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from lumos_snap.canonical.kinds import FOLDERS, SNAPSHOT
from lumos_snap.errors import LumosError
from lumos_snap.tree import Tree
from lumos_snap.tree.files import FolderFiles, Found


def chosen(tree: Tree, paths: Sequence[Path]) -> Found:
    """The documents that some paths mean; all of the tree's where none are given."""
    if not paths:
        return tree.files.found()
    documents: set[str] = set()
    strays: set[str] = set()
    for path in paths:
        inside = _inside(tree.root, path)
        found = _below(tree, inside)
        documents.update(found.documents)
        strays.update(found.strays)
    return Found(tuple(sorted(documents)), tuple(sorted(strays)))


def _below(tree: Tree, inside: str) -> Found:
    if inside == ".":
        return tree.files.found()
    if not isinstance(tree.files, FolderFiles):
        every = tree.files.found()
        return Found(tuple(_under(inside, every.documents)), tuple(_under(inside, every.strays)))
    target = tree.root / inside
    if target.is_dir() and not target.is_symlink():
        return tree.files.found((inside,))
    if not target.exists() and not target.is_symlink():
        raise LumosError(
            f"{inside}: there is no such file", hint="name a file or folder of the tree"
        )
    return Found((inside,), ())


def _under(inside: str, paths: Iterable[str]) -> Iterator[str]:
    return (path for path in paths if path == inside or path.startswith(inside + "/"))


def _inside(root: Path, path: Path) -> str:
    """A path as the tree knows it. Links are not followed: a link is a finding, not a document."""
    absolute = os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118 - keeps a final link
    relative = os.path.relpath(os.path.normpath(absolute), os.path.realpath(root))
    if relative != "." and Path(relative).parts[0] not in FOLDERS:
        raise LumosError(
            f"{path}: is not among the tree's documents",
            hint=f"the documents of {root} are in {', '.join(FOLDERS)}",
        )
    return relative


def find_dataset(tree: Tree, wanted: str) -> str:
    """The path of the one snapshot that a person means by a urn, a path, or the end of either."""
    if wanted.startswith("lumos://"):
        path = SNAPSHOT.path(wanted)
        if tree.files.read(path) is None:
            raise _unknown(tree, wanted)
        return path
    paths = tree.paths(SNAPSHOT)
    inside = wanted.removeprefix("./")
    if inside in paths:
        return inside
    matches = [path for path in paths if _answers(path, inside)]
    if len(matches) > 1:
        some = ", ".join(matches[:5]) + (" …" if len(matches) > 5 else "")  # noqa: PLR2004
        raise LumosError(
            f"{wanted!r} may mean {len(matches)} datasets: {some}", hint="say more of it"
        )
    if not matches:
        raise _unknown(tree, wanted)
    return matches[0]


def _answers(path: str, wanted: str) -> bool:
    ending = wanted if wanted.endswith(".json") else wanted + ".json"
    return path.endswith("/" + ending)


def _unknown(tree: Tree, wanted: str) -> LumosError:
    import difflib  # noqa: PLC0415 - only when something went wrong

    name = wanted.rstrip("/").rpartition("/")[2]
    known = {path.rpartition("/")[2].removesuffix(".json"): path for path in tree.paths(SNAPSHOT)}
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {known[close[0]]}?" if close else "`lumos snap ls` lists the datasets"
    return LumosError(f"there is no dataset {wanted!r} in {tree.label}", hint=hint)


def matches_glob(urn: str, pattern: str) -> bool:
    """Whether a glob means a dataset: its whole urn, what follows the scheme, or its name."""
    shortened = urn.removeprefix("lumos://")
    return any(
        fnmatchcase(text, pattern) for text in (urn, shortened, shortened.rpartition("/")[2])
    )

"""Selection of the files and datasets of a command."""

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from lumos_snap.canonical.document_kinds import FOLDERS, SNAPSHOT
from lumos_snap.config import CONFIG_NAME
from lumos_snap.documents.patterns import matches_dataset
from lumos_snap.errors import LumosError
from lumos_snap.tree import Tree
from lumos_snap.tree.files import STATE, TreePaths, merge_paths


def select_paths(tree: Tree, paths: Sequence[Path]) -> TreePaths:
    """Select the documents at some paths; by default the whole tree."""
    if not paths:
        return tree.files.found()
    return merge_paths(_below(tree, _inside(tree.root, path)) for path in paths)


def _below(tree: Tree, inside: str) -> TreePaths:
    if inside == ".":
        return tree.files.found()
    found = tree.files.found((inside,))
    if found == TreePaths() and tree.files.form(inside) is None:
        raise LumosError(
            f"{inside}: is not in {tree.label}", hint="name a file or folder of the tree"
        )
    return found


def _inside(root: Path, path: Path) -> str:
    """A path relative to the tree.

    Links below the root are not followed: a link is a finding, not a document. Links that lead to
    the root, as in the path of a home folder, are followed.
    """
    real_parent = os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118 - keeps a final link
    for absolute in (os.path.abspath(path), os.path.normpath(real_parent)):  # noqa: PTH100 - as typed
        relative = os.path.relpath(absolute, root)
        if relative == "." or Path(relative).parts[0] in FOLDERS:
            return relative
    raise LumosError(
        f"{path}: is not among the tree's documents",
        hint=f"the documents of {root} are in {', '.join(FOLDERS)}",
    )


def is_elsewhere(paths: Sequence[Path]) -> bool:
    """Whether paths name documents outside of any tree."""
    return bool(paths) and not any(map(_is_among_documents, paths))


def is_of_a_tree(path: Path) -> bool:
    """Whether a path is a file of a tree: a document, its settings, or its caches."""
    return _is_among_documents(path) or path.name == CONFIG_NAME or STATE in path.parts


def _is_among_documents(path: Path) -> bool:
    absolute = Path(os.path.normpath(Path.cwd() / path))
    for folder in absolute.parents:
        if (folder / CONFIG_NAME).is_file():
            return absolute.relative_to(folder).parts[0] in FOLDERS
    return False


def find_dataset(tree: Tree, wanted: str) -> str:
    """Find the path of one snapshot by its urn, its path, or the end of either."""
    if wanted.startswith("lumos://"):
        path = SNAPSHOT.path(wanted)
        if tree.files.read(path) is None:
            raise unknown_dataset_error(tree, wanted)
        return path
    found = find_among(tree.paths(SNAPSHOT), wanted)
    if found is None:
        raise unknown_dataset_error(tree, wanted)
    return found


def find_among(paths: Sequence[str], wanted: str) -> str | None:
    """Find the one path that equals or ends with a text; raises where several match."""
    inside = wanted.removeprefix("./")
    if inside in paths:
        return inside
    matches = [path for path in paths if _answers(path, inside)]
    if len(matches) > 1:
        some = ", ".join(matches[:5]) + (" …" if len(matches) > 5 else "")  # noqa: PLR2004
        raise LumosError(
            f"{wanted!r} may mean {len(matches)} datasets: {some}", hint="say more of it"
        )
    return matches[0] if matches else None


def _answers(path: str, wanted: str) -> bool:
    ending = wanted if wanted.endswith(".json") else wanted + ".json"
    return path.endswith("/" + ending)


def unknown_dataset_error(tree: Tree, wanted: str) -> LumosError:
    """The error for an unknown dataset, with a suggestion."""
    import difflib  # noqa: PLC0415 - only when something went wrong

    name = wanted.rstrip("/").rpartition("/")[2]
    known = {path.rpartition("/")[2].removesuffix(".json"): path for path in tree.paths(SNAPSHOT)}
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {known[close[0]]}?" if close else "`lumos snap ls` lists the datasets"
    return LumosError(f"there is no dataset {wanted!r} in {tree.label}", hint=hint)


def matches_glob(urn: str, pattern: str) -> bool:
    """Whether a glob matches a dataset: its whole urn, the urn without its scheme, or its name."""
    shortened = urn.removeprefix("lumos://")
    return any(
        fnmatchcase(text, pattern) for text in (urn, shortened, shortened.rpartition("/")[2])
    )


class PathSelection:
    """Selects paths by patterns, and records which patterns matched."""

    def __init__(self, datasets: Sequence[str]) -> None:
        self._patterns = {one: _below_snapshots(one) for one in datasets}
        self._met: set[str] = set()

    def __call__(self, path: str) -> bool:
        """Whether the file at a path is selected; without patterns, every file is."""
        if not self._patterns:
            return True
        name = path.removeprefix(f"{SNAPSHOT.folder}/").removesuffix(".json")
        met = {one for one, pattern in self._patterns.items() if _covers(pattern, name)}
        self._met |= met
        return bool(met)

    def require_known(self, tree: Tree) -> None:
        """Refuse a pattern that matches no dataset, changed or not: it would always pass."""
        if len(self._met) < len(self._patterns):
            for path in tree.paths(SNAPSHOT):
                self(path)
        for one in self._patterns:
            if one not in self._met:
                raise LumosError(
                    f"there is no dataset `{one}` on either side",
                    hint="`lumos snap ls` lists all; two folders are compared if each holds a tree",
                )


def _below_snapshots(asked: str) -> str:
    """The part of a path below the folder of snapshots, in any tree."""
    plain = asked.removeprefix("lumos://").removeprefix("./").rstrip("/")
    folder = f"{SNAPSHOT.folder}/"
    if plain.startswith(folder) or f"/{folder}" in plain:
        plain = plain.rpartition(folder)[2]
    return "**" if plain == SNAPSHOT.folder else plain


def _covers(pattern: str, name: str) -> bool:
    return any(matches_dataset(one, name) for one in (pattern, f"**/{pattern}", f"{pattern}/**"))

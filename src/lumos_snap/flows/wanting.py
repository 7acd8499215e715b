"""Which datasets a user asks for, by path, urn, folder, last name or pattern."""

from collections.abc import Sequence

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.errors import LumosError
from lumos_snap.rules.policy import matches
from lumos_snap.tree import Tree


class Wanted:
    """Whether a path of the tree is asked for, and which questions it answered."""

    def __init__(self, datasets: Sequence[str]) -> None:
        self._patterns = {one: _below_snapshots(one) for one in datasets}
        self._met: set[str] = set()

    def __call__(self, path: str) -> bool:
        """Whether the file at a path is asked for: without a question, every one is."""
        if not self._patterns:
            return True
        name = path.removeprefix(f"{SNAPSHOT.folder}/").removesuffix(".json")
        met = {one for one, pattern in self._patterns.items() if _covers(pattern, name)}
        self._met |= met
        return bool(met)

    def require_known(self, tree: Tree) -> None:
        """Refuse a question that no dataset answers, changed or not: it would always pass."""
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
    """The part of a path that is below the folder of snapshots, wherever the tree lies."""
    plain = asked.removeprefix("lumos://").removeprefix("./").rstrip("/")
    folder = f"{SNAPSHOT.folder}/"
    if plain.startswith(folder) or f"/{folder}" in plain:
        plain = plain.rpartition(folder)[2]
    return "**" if plain == SNAPSHOT.folder else plain


def _covers(pattern: str, name: str) -> bool:
    return any(matches(one, name) for one in (pattern, f"**/{pattern}", f"{pattern}/**"))

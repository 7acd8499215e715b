"""Which folders are out of sight: asked of every dataset, however many troubles there were."""

from bisect import bisect_left
from collections.abc import Iterable


class Hidden:
    """Paths that could not be listed or read, and with them all that lies above and below."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._known = frozenset(paths)
        self._sorted = sorted(self._known)

    def touches(self, folder: str) -> bool:
        """Whether something at, above or below a folder is hidden."""
        if not self._sorted:
            return False
        if not folder or "" in self._known:
            return True
        names = folder.split("/")
        if any("/".join(names[:depth]) in self._known for depth in range(1, len(names) + 1)):
            return True
        at = bisect_left(self._sorted, f"{folder}/")
        return at < len(self._sorted) and self._sorted[at].startswith(f"{folder}/")

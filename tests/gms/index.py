"""The copies that searches read: what was stored, seen after a while."""

import threading
import time
from collections import deque
from collections.abc import Mapping

from tests.gms.rows import Row

Aspects = Mapping[str, Row]


class Index:
    """Entities as a search finds them. A change shows after `lag` seconds."""

    def __init__(self) -> None:
        self.lag = 0.0
        self._found: dict[str, Aspects] = {}
        self._coming: deque[tuple[float, str, Aspects]] = deque()
        self._lock = threading.Lock()

    def tell(self, urn: str, aspects: Aspects) -> None:
        """Note what an entity is now; no aspects, and it is gone."""
        with self._lock:
            self._coming.append((time.monotonic() + self.lag, urn, aspects))

    def catch_up(self) -> None:
        """Show everything at once."""
        self._show(float("inf"))

    def entities(self) -> dict[str, Aspects]:
        """What a search sees now, in the order of urns."""
        self._show(time.monotonic())
        with self._lock:
            return dict(sorted(self._found.items()))

    def _show(self, until: float) -> None:
        with self._lock:
            while self._coming and self._coming[0][0] <= until:
                _, urn, aspects = self._coming.popleft()
                self._found.pop(urn, None)
                if aspects:
                    self._found[urn] = aspects

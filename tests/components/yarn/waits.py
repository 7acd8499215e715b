"""A scan that runs while its application waits: what it prints, when, and what YARN says of it."""

import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.components.yarn.conftest import Client
from tests.world.clusters.tree import PATIENCE, Tree

ENDED = frozenset(("KILLED", "FAILED", "FINISHED"))
_WAITS = re.compile(r"waiting for YARN: (application_\d+_\d+) is (\w+) in queue ([\w.-]+)")


class Waiting:
    """A scan on YARN, its lines on stderr, and its application."""

    def __init__(self, client: Client, running: "subprocess.Popen[str]", known: set[str]) -> None:
        self.running = running
        self.lines: list[tuple[float, str]] = []
        self._client = client
        self._known = known
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.running.stderr is not None
        for line in self.running.stderr:
            self.lines.append((time.time(), line.rstrip("\n")))

    @property
    def application(self) -> dict[str, Any] | None:
        """What the ResourceManager knows of it."""
        new = (one for one in self._client.cluster.applications() if one["id"] not in self._known)
        return next(new, None)

    def messages(self) -> list[str]:
        """What it printed, besides what it waits for."""
        return [line for _, line in self.lines if "waiting for" not in line]

    def await_state(self, state: str) -> None:
        """Until YARN reports a state of its application."""
        self._until(lambda: (self.application or {}).get("state") == state, PATIENCE)

    def await_line(self, state: str) -> tuple[float, str, str]:
        """When it first printed that it waits in this state, and which application and queue."""
        self._until(lambda: self._line(state) is not None, PATIENCE)
        found = self._line(state)
        assert found is not None
        return found

    def _line(self, state: str) -> tuple[float, str, str] | None:
        for at, line in self.lines:
            found = _WAITS.search(line)
            if found and found[2] == state:
                return at, found[1], found[3].removeprefix("root.")
        return None

    def _until(self, is_so: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not is_so():
            assert self.running.poll() is None, f"it has ended: {self.lines}"
            assert time.monotonic() < end, f"never: {self.application} {self.lines}"
            time.sleep(0.2)

    def interrupt(self) -> float:
        """Press Ctrl-C; how many seconds it takes to end."""
        began = time.monotonic()
        self.running.send_signal(signal.SIGINT)
        return self.end(began, 60)

    def end(self, began: float, limit: float) -> float:
        """Wait for its end; the seconds from a moment on."""
        self.running.wait(limit)
        took = time.monotonic() - began
        self._reader.join(10)
        return took

    def close(self) -> None:
        """End it now, whatever it does."""
        self.running.kill()
        self._reader.join(30)

    def assert_no_application_is_left(self) -> None:
        """It ends within ten seconds."""
        until = time.monotonic() + 10
        while (found := self.application) and found["state"] not in ENDED:
            assert time.monotonic() < until, found
            time.sleep(0.2)


@contextmanager
def waiting(tree: Tree, lake: str, client: Client, *options: str) -> Iterator[Waiting]:
    """A scan that waits; afterwards neither it nor its application is left."""
    known = {one["id"] for one in client.cluster.applications()}
    running = tree.started(lake, "--master", "yarn", *options, **client.env)
    scan = Waiting(client, running, known)
    try:
        with running:
            try:
                yield scan
            finally:
                scan.close()
    finally:
        if (found := scan.application) and found["state"] not in ENDED:
            client.cluster.kill(found["id"])

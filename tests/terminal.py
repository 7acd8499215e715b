"""Runs a command on a terminal: what it writes over one line."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def shown(folder: Path, *arguments: str, **environment: str) -> list[str]:
    """What `lumos` writes over one line, one state after the other."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "lumos_snap", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as command:
        os.close(theirs)
        said = b"".join(_read(ours))
        assert command.wait() == 0, said
    os.close(ours)
    assert said.endswith(b"\r\x1b[K") or not said
    return said.decode().split("\r\x1b[K")


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            yield os.read(terminal, 65_536)
        except OSError:  # nothing holds the other end any more
            return

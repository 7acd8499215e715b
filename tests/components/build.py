"""What a group downloads or compiles once for each machine, outside of the repository."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


class NotPossibleError(Exception):
    """Why something cannot be had on this machine."""


@dataclass(frozen=True, slots=True)
class Build:
    """How it is made."""

    make: Callable[[], object]
    """Makes what is missing; raises `NotPossibleError` where it cannot be had."""
    is_made: Callable[[], bool]
    seconds: int
    """How long it took where nothing was cached."""


def verify(folder: Path, sums: Path) -> None:
    """Compare the jars of a folder with the output of `sha256sum`: all of them, and no others."""
    expected = {name: value for value, name in map(str.split, sums.read_text().splitlines())}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.jar")
    }
    wrong = sorted(name for name in expected | found if expected.get(name) != found.get(name))
    if wrong:
        raise NotPossibleError(f"{sums.name} does not list this file like this: {wrong[0]}")

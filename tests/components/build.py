"""What a group downloads or compiles once for each machine, outside of the repository."""

import hashlib
import subprocess
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


_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_LIMIT = 1_500  # seconds: a registry may be slow


def download_jars(folder: Path, pom: Path, sums: Path, profile: str = "") -> None:
    """Download the dependencies of a POM, or of one of its profiles, and verify them.

    Maven compares the registry's checksums too (`-C`).
    """
    words = ["mvn", "-q", "-B", "-C", "-f", str(pom), *(("-P", profile) if profile else ())]
    done = subprocess.run(
        [*words, _PLUGIN, f"-DoutputDirectory={folder}", "-DincludeScope=runtime"],
        capture_output=True,
        text=True,
        check=False,
        timeout=_LIMIT,
    )
    if done.returncode:
        first = next(iter(done.stdout.splitlines()), "Maven fails")
        raise NotPossibleError(f"the jars of {profile or pom.parent.name} cannot be had: {first}")
    verify(folder, sums)

"""The jars of Hadoop 3.5.0: downloaded once for each machine, pinned by a POM, verified by sums."""

import subprocess
from pathlib import Path

from tests.components.build import NotPossibleError, verify
from tests.world.servers.processes import CACHE, installed

POM, SUMS = (Path(__file__).parent / name for name in ("pom.xml", "jars.sha256"))
_NAME = "yarn-3.5.0"
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_LIMIT = 1_500  # seconds: a registry may be slow


def jars() -> Path:
    """The folder of the jars."""
    return installed(_NAME, _download)


def are_there() -> bool:
    """Whether they were downloaded already."""
    return (CACHE / _NAME / ".ready").exists()


def _download(folder: Path) -> None:
    """Maven compares the registry's checksums too (`-C`)."""
    options = (f"-DoutputDirectory={folder}", "-DincludeScope=runtime")
    done = subprocess.run(
        ["mvn", "-q", "-B", "-C", "-f", str(POM), _PLUGIN, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=_LIMIT,
    )
    if done.returncode:
        first = next(iter(done.stdout.splitlines()), "Maven fails")
        raise NotPossibleError(f"the jars cannot be downloaded: {first}")
    verify(folder, SUMS)

"""The jars of Hadoop 3.5.0: downloaded once for each machine, pinned by a POM, verified by sums."""

from pathlib import Path

from tests.components.build import download_jars
from tests.world.servers.processes import CACHE, installed

POM, SUMS = (Path(__file__).parent / name for name in ("pom.xml", "jars.sha256"))
_NAME = "yarn-3.5.0"


def jars() -> Path:
    """The folder of the jars."""
    return installed(_NAME, _download)


def are_there() -> bool:
    """Whether they were downloaded already."""
    return (CACHE / _NAME / ".ready").exists()


def _download(folder: Path) -> None:
    download_jars(folder, POM, SUMS)

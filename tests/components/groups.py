"""The groups of tests that need more than Python packages: a row for each, and what it covers."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tests.components.build import Build
from tests.components.lakehouse import engines
from tests.components.yarn import environments

Need = Callable[[], str | None]
"""Why a group cannot run on this machine; nothing where it can."""

FOLDER = Path(__file__).parent
_ALL = ("tests/components/groups.py", "tests/components/conftest.py")


@dataclass(frozen=True, slots=True)
class Group:
    """Tests in a folder of their own."""

    name: str
    """Of its folder too."""
    components: str
    """What runs there, with versions; `{package}` is the version of a package of Python."""
    needs: tuple[Need, ...]
    covers: tuple[str, ...]
    """Files and folders of the product: where one changes, the group is worth a run."""
    build: Build

    @property
    def paths(self) -> tuple[str, ...]:
        """Everything that decides what a run of the group says."""
        return (*self.covers, f"tests/components/{self.name}", *_ALL)

    @property
    def title(self) -> str:
        """The components, with the versions that are installed."""
        return re.sub(r"\{([\w-]+)\}", lambda found: version(found[1]), self.components)

    def missing(self) -> str | None:
        """Why it cannot run here."""
        return next(filter(None, (need() for need in self.needs)), None)


def program(name: str) -> Need:
    """A program on PATH."""
    return lambda: None if shutil.which(name) else f"{name} is not installed"


def java(least: int) -> Need:
    """A Java that is new enough."""

    def missing() -> str | None:
        if not shutil.which("java"):
            return f"Java {least} is not installed"
        done = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
        found = java_version(done.stderr)
        return None if found and found >= least else f"Java is {found}, not {least} or newer"

    return missing


def java_version(text: str) -> int | None:
    """The main number in what `java -version` prints."""
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None


GROUPS: tuple[Group, ...] = (
    Group(
        name="lakehouse",
        components=", ".join(one.title for one in engines.ENGINES.values()),
        needs=(program("mvn"), java(17)),
        covers=("src/lumos_snap/scan/tables", "tests/scan/tables"),
        build=Build(engines.make, engines.are_there, seconds=165),
    ),
    Group(
        name="yarn",
        components="YARN 3.5.0 with two NodeManagers, HDFS 3.5.0, PySpark {pyspark}",
        needs=(program("mvn"), java(17)),
        covers=("src/lumos_snap/scan", "src/lumos_snap/commands/scan"),
        build=Build(environments.make, environments.are_there, seconds=140),
    ),
)

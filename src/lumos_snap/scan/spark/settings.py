"""Where Spark runs: options of the command, `lumos.yaml`, or the machine's configuration.

The user's cache folder holds what later starts need.
"""

import os
import re
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.errors import LumosError

_MASTER = "spark.master"
_REMOTE = "spark.remote"
_ELSEWHERE = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "MASTER")
"""Variables by which the environment decides where Spark runs."""
_DEFAULT_MASTER = re.compile(r"^\s*spark\.master[\s=]+(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SparkLocation:
    """Where Spark runs: a master, a Spark Connect server, or as the machine is configured."""

    url: str | None
    is_told: bool
    """Whether a command or `lumos.yaml` determines it, and not the machine."""
    is_local: bool

    @property
    def is_remote(self) -> bool:
        """Whether a Spark Connect server runs the job: then no Java is started here."""
        return self.url is not None and self.url.startswith("sc://")

    @property
    def said(self) -> str:
        """The address for people, without parts that may be a password or a token."""
        if self.url is None:
            return "where this machine says"
        scheme, there, rest = self.url.partition("://")
        place = rest.partition(";")[0].rpartition("@")[2].rstrip("/")
        return f"{scheme}{there}{place}" if there else self.url


def locate_spark(master: str | None, settings: Mapping[str, str]) -> SparkLocation:
    """Locate Spark: first by the command, then `lumos.yaml`, then the machine; default: local."""
    if master is None and _MASTER in settings and _REMOTE in settings:
        raise LumosError(
            f"{_MASTER} and {_REMOTE} both say where Spark runs",
            hint="leave one of them out",
        )
    told = master or settings.get(_REMOTE) or settings.get(_MASTER)
    if told is not None:
        return SparkLocation(told, is_told=True, is_local=is_local(told))
    remote = os.environ.get("SPARK_REMOTE", "")
    url = remote if remote.startswith("sc://") else None
    return SparkLocation(url, is_told=False, is_local=not is_decided_elsewhere())


def is_local(url: str) -> bool:
    """Whether a master is this machine."""
    return url == "local" or url.startswith("local[")


def is_yarn(place: SparkLocation) -> bool:
    """Whether YARN runs the job, by a command or by the configuration of this machine."""
    if place.url is not None:
        return place.url == "yarn"
    chosen = os.environ.get("MASTER") or _DEFAULT_MASTER.search(read_machine_defaults())
    return (chosen if isinstance(chosen, str | None) else chosen[1]) == "yarn"


def drop_location(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings without those that determine where Spark runs."""
    return {name: said for name, said in settings.items() if name not in (_MASTER, _REMOTE)}


def read_machine_defaults() -> str:
    """Read the machine's own Spark configuration, if any."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (f"{home}/conf" if home else None)
    if folder is None:
        return ""
    try:
        return Path(folder, "spark-defaults.conf").read_text(errors="replace")
    except OSError:
        return ""


def is_decided_elsewhere() -> bool:
    """Whether the machine's configuration determines where Spark runs: then ours does not apply."""
    if any(os.environ.get(name) for name in _ELSEWHERE):
        return True
    return _MASTER in read_machine_defaults()


_HARMLESS = re.compile(
    r"""spark\.(
        app\.name | default\.parallelism | network\.timeout | locality\.wait | speculation
      | (driver|executor)\.(memory|memoryOverhead|memoryOverheadFactor|cores|maxResultSize)
      | executor\.instances | cores\.max | task\.(cpus|maxFailures) | scheduler\.mode
      | dynamicAllocation\.[A-Za-z.]+ | yarn\.queue | kubernetes\.namespace
      | sql\.(shuffle\.partitions|session\.timeZone)
      | sql\.adaptive\.(?!customCostEvaluatorClass)[A-Za-z.]+
      | sql\.(files|execution\.arrow)\.[A-Za-z.]+
    )""",
    re.VERBOSE,
)


def check_file_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Check the settings in `lumos.yaml`; raise if one could run a program or reach a server."""
    for name, value in settings.items():
        if name == _MASTER and is_local(value):
            continue
        if not _HARMLESS.fullmatch(name):
            raise LumosError(
                f"lumos.yaml: spark: {name} can make Spark run a program or reach a server, and "
                "any commit can change this file",
                hint=f"set it where no commit can: `--conf {name}=…`, or `spark-defaults.conf` in"
                " SPARK_CONF_DIR",
            )
    return dict(settings)


def parse_command_settings(given: Sequence[str]) -> dict[str, str]:
    """Parse the settings of a command, as NAME=VALUE."""
    parted = {one: one.partition("=") for one in given}
    for one, (name, equals, _) in parted.items():
        if not (name.startswith("spark.") and equals):
            raise LumosError(
                f"--conf {one}: is no setting of Spark", hint="--conf spark.executor.memory=1g"
            )
    return {name: value for name, _, value in parted.values()}


# Folders in the user's cache that no other user can read or write.


_PRIVATE = 0o700


def cache_folder(name: str) -> Path:
    """Return the path of a folder in this user's cache; it may not exist."""
    if sys.platform == "darwin":
        cache = Path.home() / "Library/Caches"
    else:
        said = os.environ.get("XDG_CACHE_HOME", "")
        cache = Path(said) if Path(said).is_absolute() else Path.home() / ".cache"
    return cache / "lumos-snap" / name


def make_private(folder: Path) -> Path:
    """Create the folder if needed, and deny other users access."""
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    folder.chmod(_PRIVATE)
    return folder


def is_ours(path: Path) -> bool:
    """Whether no other user can have written the file."""
    found = path.stat()
    may_others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid == os.getuid() and not may_others

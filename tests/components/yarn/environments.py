"""What a cluster needs beside its jars: a Python for workers, and the same one packed."""

from importlib.metadata import version
from pathlib import Path

from tests.components.build import NotPossibleError
from tests.components.yarn import jars
from tests.world.servers.processes import CACHE, environment, installed, run

_NEEDED = ("pyarrow", "pandas", "hdfs-native")
_PACKER = ("venv-pack==0.2.0", "setuptools==79.0.1")  # it imports pkg_resources


def make() -> None:
    """Everything that the group needs, once for each machine."""
    jars.jars()
    try:
        packed()
    except AssertionError as exc:
        last = str(exc).strip().splitlines()[-1]
        raise NotPossibleError(f"an environment for workers cannot be made: {last}") from exc


def are_there() -> bool:
    """Whether that was done already."""
    return jars.are_there() and (CACHE / f"{_name()}-packed/.ready").exists()


def worker_python() -> Path:
    """It has what tasks need to read HDFS, in the versions of this environment, nothing of ours."""
    return _environment() / "bin/python"


def packed() -> Path:
    """The same, as an archive for `spark.archives`."""

    def pack(folder: Path) -> None:
        packer = environment("venv-pack-0.2.0", *_PACKER) / "bin/venv-pack"
        run(packer, "--prefix", _environment(), "--output", folder / "workers.tar.gz")

    return installed(f"{_name()}-packed", pack) / "workers.tar.gz"


def _environment() -> Path:
    pinned = [f"{name}=={version(name)}" for name in _NEEDED]
    return environment(_name(), *pinned)


def _name() -> str:
    return f"worker-hdfs-{version('pyarrow')}"

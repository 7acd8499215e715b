"""What a running Spark server says of itself, in a private folder of its user.

Two locks tell what no file can, because they end with the process that holds them: the server holds
`alive`, and scans share `use`.
"""

import contextlib
import fcntl
import hashlib
import os
import platform
import socket
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import orjson

from lumos_snap.documents.limits import loads, read_file
from lumos_snap.scan.cachefolder import cache_folder, is_ours, make_private

_REACHING = ("AWS_", "AZURE_", "GOOGLE_", "CLOUDSDK_", "HADOOP_", "KRB5", "SPARK_", "JAVA_HOME")
"""Variables that decide what Spark's workers can reach: they keep those that they started with."""
TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # noqa: S105 - the name of a variable
"""Where Spark's server and its client look for the token, which is no argument of any process."""
_NAME = "server.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A Spark server of this user, as it has started."""

    pid: int
    java: int
    """The id of its Java."""
    port: int
    token: str
    spark: str
    """The version of PySpark."""
    python: str
    environment: str
    memory: str
    idle: int
    """Seconds without a scan after which it ends."""
    started: float

    @property
    def url(self) -> str:
        """Where it listens. Spark sends a token without TLS to `localhost` only."""
        return f"sc://localhost:{self.port}"

    def why_not(self) -> str | None:
        """Why a scan of this process cannot use it."""
        if self.spark != spark_version():
            return f"it runs PySpark {self.spark}, and this is {spark_version()}"
        if self.python != python_version():
            return f"it runs Python {self.python}, and this is {python_version()}"
        if self.environment != environment():
            return "it was started with other variables for credentials or for Spark"
        return None


def folder() -> Path:
    """Where the server of this user on this machine leaves its files; a home may be shared."""
    return cache_folder("spark") / (socket.gethostname() or "localhost")


def spark_version() -> str | None:
    """The version of PySpark that is installed here."""
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return None


def python_version() -> str:
    """The version of Python, as far as workers and driver must agree."""
    return ".".join(platform.python_version_tuple()[:2])


def environment() -> str:
    """The variables that decide what workers can reach, as a few letters."""
    names = sorted(one for one in os.environ if one.startswith(_REACHING) and one != TOKEN)
    told = repr([(one, os.environ[one]) for one in names]).encode("utf-8", "replace")
    return hashlib.blake2b(told, digest_size=16).hexdigest()


def write(server: Server) -> None:
    """Say where it listens; readable by this user alone."""
    place = make_private(folder()) / _NAME
    new = place.with_suffix(".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, orjson.dumps(asdict(server)))
    finally:
        os.close(descriptor)
    new.replace(place)


def forget() -> None:
    """Take back what was said: the server ends."""
    (folder() / _NAME).unlink(missing_ok=True)


def running() -> Server | None:
    """The server that runs; nothing where there is none, whatever a dead one has left."""
    place = folder() / _NAME
    try:
        if not (is_ours(folder()) and is_ours(place)):
            return None
        with place.open("rb") as file:
            server = Server(**loads(read_file(file)))
    except (OSError, orjson.JSONDecodeError, TypeError):
        return None
    return server if _is_there(server.pid) and not is_over() else None


def _is_there(pid: int) -> bool:
    """Whether such a process runs: another one may hold the lock, and is only starting."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def is_over() -> bool:
    """Whether no process keeps a server, or starts one."""
    with lock("alive", shared=True) as is_free:
        return is_free


@contextlib.contextmanager
def lock(name: str, *, shared: bool) -> Iterator[bool]:
    """Whether the lock could be had at once; it is held until the end of the block."""
    place = make_private(folder()) / f"{name}.lock"
    descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def note_use() -> None:
    """A scan has used the server just now."""
    with contextlib.suppress(OSError):
        os.utime(folder() / "use.lock")


def last_use(server: Server) -> float:
    """When a scan used it last, or it started."""
    with contextlib.suppress(OSError):
        return max(server.started, (folder() / "use.lock").stat().st_mtime)
    return server.started


def is_idle_for_too_long(server: Server) -> bool:
    """Whether it should end, if no scan uses it."""
    return time.time() - last_use(server) > server.idle

"""The files of a running Spark server, in a private folder of its user, and the way to connect.

`server.json` has its address. Two locks show what no file can, because they end with the process
that holds them: the server holds `alive`, and scans share `use`.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import platform
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import orjson

from lumos_snap.documents.limits import loads, read_file
from lumos_snap.scan.spark.settings import cache_folder, is_ours, make_private

TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # noqa: S105 - the name of a variable
"""The variable where Spark's server and client look for the token; it is never an argument."""
_FOR_WORKERS = (
    *("aws_", "azure_", "boto_", "cloudsdk_", "google_", "identity_", "msi_", "storage_emulator_"),
    *("hadoop_", "java_home", "krb5", "home", "ld_library_path", "pythonpath", "pyspark_"),
    *("all_proxy", "http_proxy", "https_proxy", "no_proxy", "curl_ca_bundle", "requests_ca_bundle"),
    *("spark_", "ssl_cert_"),
)
"""Prefixes of variables that decide what workers can reach; workers keep their start values."""
_OF_PYSPARK = frozenset(
    (
        TOKEN,
        *("SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"),
        *("SPARK_CONNECT_MODE_ENABLED", "SPARK_LOCAL_REMOTE"),
    )
)
"""Variables that PySpark itself sets."""
_PACKAGES = ("grpc", "grpc_status", "google.rpc", "zstandard")
_NAME = "server.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmServer:
    """A Spark server of this user, as started."""

    pid: int
    java: int
    """The process id of its Java."""
    port: int
    token: str
    spark: str
    """The version of PySpark."""
    python: str
    prefix: str
    """The Python environment whose packages its workers import."""
    environment: str
    memory: str
    idle: int
    """Idle seconds after which it ends."""
    started: float

    @property
    def url(self) -> str:
        """Its address: Spark sends a token without TLS to `localhost` only."""
        return f"sc://localhost:{self.port}"

    def why_not(self) -> str | None:
        """Explain why a scan of this process cannot use it; None if it can."""
        if self.spark != spark_version():
            return f"it runs PySpark {self.spark}, and this is {spark_version()}"
        if self.python != python_version():
            return f"it runs Python {self.python}, and this is {python_version()}"
        if self.prefix != sys.prefix:
            return f"it runs the Python of {self.prefix}, and this is {sys.prefix}"
        if self.environment != digest_environment():
            return "it was started with other variables for credentials, proxies or Spark"
        if not has_connect():
            return "the packages of Spark Connect are not installed here"
        return None


def folder() -> Path:
    """Return the folder of this user's server on this machine; home folders may be shared."""
    return cache_folder("spark") / (socket.gethostname() or "localhost")


def spark_version() -> str | None:
    """Return the installed version of PySpark."""
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return None


def python_version() -> str:
    """Return the version of Python, as precisely as workers and driver must agree."""
    return ".".join(platform.python_version_tuple()[:2])


def has_connect() -> bool:
    """Whether the packages that Spark Connect needs are installed."""
    with contextlib.suppress(ModuleNotFoundError):  # for `google`
        return all(importlib.util.find_spec(one) is not None for one in _PACKAGES)
    return False


def digest_environment() -> str:
    """Hash the variables that decide what workers can reach."""
    names = sorted(one for one in os.environ if one.lower().startswith(_FOR_WORKERS))
    values = [(one, os.environ[one]) for one in names if one not in _OF_PYSPARK]
    return hashlib.blake2b(repr(values).encode("utf-8", "replace"), digest_size=16).hexdigest()


def write(server: WarmServer) -> None:
    """Write the server's state; only this user can read it."""
    place = make_private(folder()) / _NAME
    new = place.with_suffix(".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, orjson.dumps(asdict(server)))
    finally:
        os.close(descriptor)
    new.replace(place)


def read_server() -> WarmServer | None:
    """Read the last written server, if no other user can have written it."""
    place = folder() / _NAME
    try:
        if not (is_ours(folder()) and is_ours(place)):
            return None
        with place.open("rb") as file:
            return WarmServer(**loads(read_file(file)))
    except (OSError, orjson.JSONDecodeError, TypeError):
        return None


def forget(pid: int) -> None:
    """Remove the state of the server with this process id."""
    server = read_server()
    if server is not None and server.pid == pid:
        (folder() / _NAME).unlink(missing_ok=True)


def find_running_server() -> WarmServer | None:
    """Find the running server; None if there is none, or only the file of a killed one."""
    server = read_server()
    return server if server and is_process(server.pid) and not no_server_alive() else None


def is_process(pid: int) -> bool:
    """Whether a process of this user has this id."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def no_server_alive() -> bool:
    """Whether no process runs or starts a server."""
    try:
        with lock("alive", shared=True) as is_free:
            return is_free
    except OSError:  # no folder, or no access to it
        return True


def is_in_use() -> bool:
    """Whether a scan uses the server now."""
    with lock("use", shared=False) as is_free:
        return not is_free


@contextlib.contextmanager
def lock(name: str, *, shared: bool) -> Iterator[bool]:
    """Try to lock without waiting; yield whether it succeeded, and hold the lock for the block."""
    place = folder() / f"{name}.lock"
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
    """Record that a scan uses the server now."""
    with contextlib.suppress(OSError):
        os.utime(folder() / "use.lock")


def last_use(server: WarmServer) -> float:
    """Return when a scan last used it, or its start time."""
    with contextlib.suppress(OSError):
        return max(server.started, (folder() / "use.lock").stat().st_mtime)
    return server.started


def is_idle_for_too_long(server: WarmServer) -> bool:
    """Whether it has been idle too long, provided that no scan uses it."""
    return time.time() - last_use(server) > server.idle


# Connects a scan to this user's Spark server, if one runs and fits.


_PATIENCE = 2  # seconds
_ATTEMPTS, _PAUSE = 10, 0.02  # seconds
_changing = threading.Lock()
_users: list[str | None] = []
"""The previous token for each session that uses the server; threads share the environment."""


@contextlib.contextmanager
def warm_server() -> Iterator[WarmServer | None]:
    """Yield the server, which does not end while in use; None if none runs or fits."""
    with contextlib.ExitStack() as stack:
        server = find_running_server()
        fits = server is not None and server.why_not() is None and _hold_server(stack)
        if (
            server is None
            or not fits
            or find_running_server() != server
            or not _is_listening(server)
        ):
            yield None
            return
        note_use()
        stack.callback(note_use)
        stack.enter_context(_set_token(server.token))
        yield server


def _hold_server(stack: contextlib.ExitStack) -> bool:
    """Whether the server was kept from ending; `lumos spark status` locks it for an instant."""
    with contextlib.suppress(OSError):
        for _ in range(_ATTEMPTS):
            with contextlib.ExitStack() as attempt:
                if attempt.enter_context(lock("use", shared=True)):
                    stack.push(attempt.pop_all())
                    return True
            time.sleep(_PAUSE)
    return False


def _is_listening(server: WarmServer) -> bool:
    """Whether its Java answers: Spark's client would wait much longer to find out."""
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=_PATIENCE):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def _set_token(token: str) -> Iterator[None]:
    """Put the token into the environment, where Spark's client looks for it; never into a URL."""
    with _changing:
        _users.append(os.environ.get(TOKEN) if not _users else _users[0])
        os.environ[TOKEN] = token
    try:
        yield
    finally:
        with _changing:
            before = _users.pop()
            if not _users:
                os.environ.pop(TOKEN, None)
                if before is not None:
                    os.environ[TOKEN] = before

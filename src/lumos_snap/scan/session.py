"""A Spark session that starts fast on a laptop, or one that the caller brings."""

import contextlib
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.errors import LumosError, OutsideError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Diagnose = Callable[[], tuple[str, str] | None]
"""What is wrong, and the fix; nothing where all looks well."""

LOCAL = "local[*]"
# Measured on two cores: the quick compiler and the simple collector start a second sooner each,
# and nothing here runs long enough to profit from the others.
_QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_ALWAYS: Mapping[str, str] = {
    "spark.app.name": "lumos",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
_ON_A_LAPTOP: Mapping[str, str] = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": _QUICK_JVM,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


@contextlib.contextmanager
def spark_session(
    given: "SparkSession | None",
    *,
    master: str | None,
    settings: Mapping[str, str],
    log: Path,
    why_not: Diagnose,
) -> "Iterator[SparkSession]":
    """The caller's session, left as it is; otherwise one of our own, for as long as it lasts.

    A session that is active here, as in a notebook, is the caller's too, where no other master is
    asked for. What Spark itself prints goes to the file `log`: it would be in a report's way.
    Where it does not start, `why_not` is asked for a reason that a person can do something about.
    """
    present = given or (None if master else _active())
    if present is not None:
        yield present
        return
    with _interruptible():
        session = _started(master, settings, log, why_not)
        try:
            yield session
        finally:
            session.stop()


def _active() -> "SparkSession | None":
    if "pyspark.sql" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def _started(
    master: str | None, settings: Mapping[str, str], log: Path, why_not: Diagnose
) -> "SparkSession":
    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 - likewise
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as exc:
        raise LumosError(
            f"scanning needs PySpark: {exc}",
            hint="pip install 'lumos-snap[scan]'; `lumos doctor` shows what else is missing",
        ) from exc
    where = master or settings.get("spark.master") or LOCAL
    is_local = where.startswith("local")
    builder = SparkSession.builder.master(where)
    for name, value in {**_ALWAYS, **(_ON_A_LAPTOP if is_local else {}), **settings}.items():
        builder = builder.config(name, value)
    try:
        with _same_python(wanted=is_local), _printing_to(log), _later():
            session = builder.getOrCreate()
    except (PySparkException, Py4JError) as exc:
        why, hint = why_not() or (gist(exc), f"its own words are in {log}")
        raise OutsideError(f"Spark does not start: {why}", hint=hint) from exc
    return session


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Spark takes over what Ctrl-C does, and does not give it back."""
    if not _is_main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _later() -> Iterator[None]:
    """Ctrl-C waits until Java has started: left alone half-way, it would never end."""
    if not _is_main_thread():
        yield
        return
    pressed: list[int] = []
    waiting = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        if pressed:
            signal.signal(signal.SIGINT, waiting)
            raise KeyboardInterrupt


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def _same_python(*, wanted: bool) -> Iterator[None]:
    """Workers on this machine run the Python that runs us, unless the user has chosen another."""
    if not wanted or "PYSPARK_PYTHON" in os.environ:
        yield
        return
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        yield
    finally:
        del os.environ["PYSPARK_PYTHON"]


@contextlib.contextmanager
def _printing_to(log: Path) -> Iterator[None]:
    """Java is started with its output going to a file; ours goes where it went."""
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(log.open("wb"))
        for descriptor in (1, 2):
            kept = os.dup(descriptor)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, descriptor)
            os.dup2(file.fileno(), descriptor)
        yield


def gist(exc: BaseException) -> str:
    """What an error of Spark comes down to; of one in a worker, what its traceback ends with."""
    lines = [line.rstrip() for line in str(exc).splitlines() if line.strip()]
    if not lines:
        return repr(exc)
    errors = [line for line in lines if _RAISED.match(line)]
    return errors[-1] if lines[0].endswith(":") and errors else lines[0]


_RAISED = re.compile(r"[A-Za-z_.]*(Error|Exception)\b")

"""A Spark session that starts fast on a laptop, or one that the caller brings."""

import contextlib
import logging
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.errors import LumosError, OutsideError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Diagnose = Callable[[], tuple[str, str] | None]
"""What is wrong, and the fix; nothing where all looks well."""

# Measured on two cores: the quick compiler and the simple collector start a second sooner each,
# and nothing here runs long enough to profit from the others.
_QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_ALWAYS: Mapping[str, str] = {
    "spark.app.name": "lumos",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_ON_A_LAPTOP: Mapping[str, str] = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": _QUICK_JVM,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
_ELSEWHERE = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE", "MASTER")
"""Variables by which somebody else has decided where Spark runs."""


@dataclass(frozen=True, slots=True)
class Running:
    """A session, where to read what Spark says of a failure, and whether somebody wants it over."""

    spark: "SparkSession"
    said: str
    interrupted: threading.Event = field(default_factory=threading.Event)


@contextlib.contextmanager
def spark_session(
    given: "SparkSession | None",
    *,
    master: str | None,
    settings: Mapping[str, str],
    why_not: Diagnose,
) -> Iterator[Running]:
    """The caller's session, left as it is; otherwise one of our own, for as long as it lasts.

    A session that runs in this process already, as in a notebook, is the caller's too. What Spark
    itself prints goes to a file: it would be in a report's way. Where Spark does not start,
    `why_not` is asked for a reason that a person can do something about.
    """
    present = given or _present(master)
    if present is not None:
        yield Running(present, "the log of the session says more")
        return
    with _handling_interrupts(), _log() as log:
        running = Running(
            _started(master, settings, log, why_not), f"Spark's own words are in {log}"
        )
        _take_interrupts(running.interrupted)
        try:
            yield running
        finally:
            running.spark.stop()


def failures() -> tuple[type[Exception], ...]:
    """What Spark raises; a client of Spark Connect knows no Java."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError  # noqa: PLC0415 - only where storage is read
    except ImportError:
        return (PySparkException,)
    return (PySparkException, Py4JError)


def _present(master: str | None) -> "SparkSession | None":
    """The session of this process: there can be one only, whichever thread has started it."""
    if "pyspark.sql" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    context = getattr(sys.modules["pyspark"], "SparkContext", None)
    is_running = getattr(context, "_active_spark_context", None) is not None
    found = SparkSession.getActiveSession()
    if found is None and is_running:
        found = SparkSession.builder.getOrCreate()
    if found is not None and master is not None:
        raise LumosError(
            f"Spark runs here already, so it cannot run at {master}",
            hint="stop that session first, or leave `master` out",
        )
    return found


def _started(
    master: str | None, settings: Mapping[str, str], log: Path, why_not: Diagnose
) -> "SparkSession":
    try:
        from pyspark.sql import SparkSession

        known: tuple[type[Exception], ...] = (*failures(), ImportError, OSError, ValueError)
    except ImportError as exc:
        raise LumosError(
            f"scanning needs PySpark: {exc}",
            hint="pip install 'lumos-snap[scan]'; `lumos doctor` shows what else is missing",
        ) from exc
    where = master or settings.get("spark.master")
    is_local = where.startswith("local") if where else not _is_decided_elsewhere()
    builder = SparkSession.builder
    if where is not None and where.startswith("sc://"):
        builder = builder.remote(where)
    elif where is not None:
        builder = builder.master(where)
    for name, value in {**_ALWAYS, **(_ON_A_LAPTOP if is_local else {}), **settings}.items():
        builder = builder.config(name, value)
    try:
        with _same_python(wanted=is_local), _printing_to(log), _later():
            return builder.getOrCreate()
    except known as exc:
        why, hint = why_not() or (_last_words(log) or gist(exc), f"its own words are in {log}")
        raise OutsideError(f"Spark does not start: {why}", hint=hint) from exc


def _is_decided_elsewhere() -> bool:
    """Whether the machine says where Spark runs: then its word counts, and not ours."""
    if any(os.environ.get(name) for name in _ELSEWHERE):
        return True
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (f"{home}/conf" if home else None)
    if folder is None:
        return False
    try:
        return "spark.master" in Path(folder, "spark-defaults.conf").read_text(errors="replace")
    except OSError:
        return False


@contextlib.contextmanager
def _log() -> Iterator[Path]:
    """A file for what Spark prints; it stays only where something went wrong."""
    descriptor, name = tempfile.mkstemp(prefix="lumos-spark-", suffix=".log")
    os.close(descriptor)
    yield Path(name)
    Path(name).unlink(missing_ok=True)


@contextlib.contextmanager
def _handling_interrupts() -> Iterator[None]:
    """Spark takes over what Ctrl-C does, and logs what it breaks off: both are put back."""
    before = signal.getsignal(signal.SIGINT)
    quiet = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(quiet)
        if _is_main_thread():
            signal.signal(signal.SIGINT, before)


def _take_interrupts(interrupted: threading.Event) -> None:
    """Ctrl-C ends the wait at once; the job is cancelled by whoever waits."""

    def interrupt(_number: int, _frame: object) -> None:
        interrupted.set()
        raise KeyboardInterrupt

    if _is_main_thread():
        signal.signal(signal.SIGINT, interrupt)


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
    """What an error of Spark comes down to: the cause below all causes, without its class."""
    lines = [line.strip() for line in str(exc).splitlines() if line.strip()]
    if not lines:
        return repr(exc)
    errors = [found[1] for line in lines if (found := _RAISED.match(line))]
    is_vague = lines[0].endswith((":", ".")) and "An e" in lines[0]
    return (errors[-1] if is_vague and errors else lines[0])[:_LONGEST]


def _last_words(log: Path) -> str:
    """Why Java or Spark gave up, as they print it."""
    text = log.read_text("utf-8", "replace")
    told = [line.strip() for line in text.splitlines() if _TELLING.search(line)]
    return told[0][:_LONGEST] if told else ""


_LONGEST = 300
_RAISED = re.compile(r"(?:Caused by:|:)?\s*((?:[A-Za-z_$]+\.)*[A-Za-z_$]*(?:Error|Exception)\b.*)")
_TELLING = re.compile(r"Exception|[Ee]rror|JAVA_HOME|No such file|[Ii]nvalid|not found")

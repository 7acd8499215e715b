"""Launches Java during the listing, so that it is ready when the first file must be read.

Only the Java of a scan on this machine is launched early, and only if it is certain to be needed.
The rest of the session is created when the files are known.
"""

import contextlib
import logging
import os
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.spark import class_data_archive, pyspark_internals, pyspark_versions, shutdown
from lumos_snap.scan.spark import log as spark_log
from lumos_snap.scan.spark.cluster import Cluster, StartLimitError
from lumos_snap.scan.spark.settings import SparkLocation, drop_location, read_machine_defaults
from lumos_snap.scan.spark.shutdown import end_java, failures, java_runs, stop

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Checks whether a Spark master or server answers, because Spark itself would wait for minutes.


PATIENCE = 20.0
"""Seconds after which a silent server counts as dead."""
_STANDALONE = "spark://"
_LAST_PORT = 65535
_INSTALL = "pip install 'lumos-snap[scan]'"


def await_answer(place: SparkLocation) -> None:
    """Raise an error that names the address if it does not answer."""
    if place.url is None:
        return
    if place.is_remote:
        _ask_server(place)
    elif place.url.startswith(_STANDALONE):
        _ask_masters(place.url.removeprefix(_STANDALONE).split(","), place)


def _ask_masters(masters: Sequence[str], place: SparkLocation) -> None:
    """Connect to one of the masters: one leads and the others stand by, so any of them will do."""
    failure: OSError | None = None
    for one in masters:
        host, _, port = one.rpartition(":")
        if not host or not port.isdecimal() or int(port) > _LAST_PORT:
            hint = "it is written `spark://host:port`"
            raise LumosError(f"{place.said} is no address of a master of Spark", hint=hint)
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE):
                return
        except OSError as exc:
            failure = exc
    raise OutsideError(
        f"no master of Spark answers at {place.said}: {failure}",
        hint="is it running, and is this its port? It is 7077 where nothing else is said",
    ) from failure


def _ask_server(place: SparkLocation) -> None:
    try:
        import grpc  # noqa: PLC0415 - only where a server runs the job
        from pyspark.errors import PySparkException

        builder = pyspark_versions.channel_builder()
    except ImportError as exc:
        raise LumosError(f"Spark Connect needs more packages: {exc}", hint=_INSTALL) from exc
    try:
        channel = builder(place.url or "").toChannel()
    except (PySparkException, ValueError) as exc:
        hint = "it is written `sc://host:port`"
        raise LumosError(f"{place.said} is no address of Spark Connect", hint=hint) from exc
    settled = threading.Event()
    states: list[object] = []

    def hear(state: object) -> None:
        states.append(state)
        if state in (grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE):
            settled.set()

    channel.subscribe(hear, try_to_connect=True)
    settled.wait(PATIENCE)
    channel.unsubscribe(hear)
    channel.close()
    if grpc.ChannelConnectivity.READY not in states:
        raise OutsideError(
            f"no server of Spark Connect answers at {place.said}",
            hint="is it running, and is this its port? It is 15002 where nothing else is said",
        )


OPTIONS = "spark.driver.extraJavaOptions"


class HeadStart:
    """A Java that is being launched."""

    def __init__(self, settings: Mapping[str, str], log: Path) -> None:
        self.log = log
        self.kept: class_data_archive.Archive | None = None
        """The class-data archive that it was launched with."""
        self.is_used = False
        """Whether a session has started in it: then it ends with this process."""
        self._settings = settings
        self._thread = threading.Thread(target=self._launch, daemon=True)
        self._thread.start()

    def awaited(self) -> bool:
        """Wait for it; whether it runs. If not, the start of the session reports why."""
        self._thread.join()
        return java_runs()

    def end(self) -> None:
        """End it, unless a session uses it."""
        self._thread.join()
        if not self.is_used and java_runs():
            end_java()

    def _launch(self) -> None:
        with contextlib.suppress(ImportError, OSError, ValueError):
            known = failures()
            with contextlib.suppress(*known):
                self._launched()

    def _launched(self) -> None:
        from pyspark.sql import SparkSession  # noqa: F401 - loaded meanwhile

        said: dict[str, str] = dict(self._settings)
        if said.get(OPTIONS) == class_data_archive.TRUSTING_JVM:
            self.kept = class_data_archive.find_archive()
        if self.kept is not None:
            said[OPTIONS] = self.kept.options
        pyspark_internals.launch(said, self.log)


Diagnose = Callable[[], tuple[str, str] | None]
"""Returns a problem of this machine and its fix; None if none is found."""

_LOG = logging.getLogger(__name__)
_PYTHON = "spark.pyspark.python"
_ALWAYS: Mapping[str, str] = {
    "spark.app.name": "lumos",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.executorEnv.PYTHONSAFEPATH": "1",  # import nothing from the current folder
}
_ON_A_LAPTOP: Mapping[str, str] = {
    "spark.driver.memory": "1g",
    OPTIONS: class_data_archive.TRUSTING_JVM,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
_ACCESS = "spark.kerberos.access.hadoopFileSystems"
_DEFAULT_ACCESS = re.compile(rf"^\s*{re.escape(_ACCESS)}[\s=]+(\S+)", re.MULTILINE)
_CHOICE = "PYSPARK_PYTHON"
_MODES = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED", "MASTER")
"""Variables that tell PySpark, or by which it remembers, that its jobs run elsewhere."""


@contextlib.contextmanager
def open_session(
    place: SparkLocation,
    settings: Mapping[str, str],
    log: Path,
    why_not: Diagnose,
    *,
    head: HeadStart | None = None,
    cluster: Cluster | None = None,
) -> "Iterator[SparkSession]":
    """Open a session of our own for the block; restore PySpark's environment variables after it.

    Without a `cluster`, the session starts on this machine, or on a server that is known to work.
    """
    said = build_settings(place, settings)
    with _environment(place, said), contextlib.ExitStack() as stack:
        try:
            spark = _start(place, said, log, why_not, head=head, cluster=cluster)
            stack.callback(stop, spark)
            yield spark
        except (KeyboardInterrupt, StartLimitError):
            ending = stack.pop_all()
            if cluster is not None:
                cluster.abandon(ending.close)
            else:
                ending.close()
                end_java()  # its connection is out of sync: the next session starts another
            raise


def build_settings(place: SparkLocation, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a session; the user's override ours."""
    ours = dict(_ALWAYS)
    if place.is_remote:
        ours = {}  # a server has its own settings: ours would come too late
    elif place.is_local:
        ours |= _ON_A_LAPTOP
        if OPTIONS in read_machine_defaults():
            del ours[OPTIONS]
    return {**ours, **drop_location(settings)}


def access_settings(
    place: SparkLocation, filesystems: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    """Return the setting by which Spark gets workers a token for each HDFS cluster.

    Without it, Spark requests a token for the cluster of `fs.defaultFS` only. Clusters that the
    user lists are kept. The setting has no effect without Kerberos.
    """
    if place.is_local or place.is_remote:
        return {}
    default = _DEFAULT_ACCESS.search(read_machine_defaults())
    listed = given.get(_ACCESS) or (default[1] if default else "")
    found = dict.fromkeys(filter(None, (*listed.split(","), *filesystems)))
    return {_ACCESS: ",".join(found)} if found else {}


def _start(
    place: SparkLocation,
    settings: Mapping[str, str],
    log: Path,
    why_not: Diagnose,
    *,
    head: HeadStart | None,
    cluster: Cluster | None,
) -> "SparkSession":
    known = _failures_of_start()
    await_answer(place)
    runs = head is not None and head.awaited()
    kept = None
    if head is not None and runs:
        kept, head.is_used = head.kept, True
    if _may_use_archive(place, settings):
        kept = class_data_archive.find_archive()
    try:
        if kept is not None or runs:
            options = {} if kept is None else {OPTIONS: kept.options}
            try:
                return _create_session(place, {**settings, **options}, log, cluster)
            except known:
                end_java()
        spark = _create_session(place, settings, log, cluster)
    except known as exc:
        known_reason = None if cluster is None else spark_log.find_known_reason(log, cluster.name)
        reason, hint = (
            known_reason
            or (None if place.is_remote else why_not())
            or (
                spark_log.find_last_cause(log) or spark_log.summarize_error(exc),
                f"Spark's output is in {log}",
            )
        )
        raise OutsideError(f"Spark does not start: {reason}", hint=hint) from exc
    if kept is not None:  # so the archive was the cause
        kept.remove()
        _LOG.warning(_UNUSABLE)
    return spark


def _failures_of_start() -> tuple[type[Exception], ...]:
    try:
        from pyspark import __version__
        from pyspark.sql import SparkSession  # noqa: F401 - whether it is there

        found = (*failures(), ImportError, OSError, ValueError)
    except ImportError as exc:
        raise LumosError(
            f"scanning needs PySpark: {exc}",
            hint="pip install 'lumos-snap[scan]'; `lumos doctor` shows what else is missing",
        ) from exc
    if lack := pyspark_versions.explain_lack(__version__):
        raise LumosError(lack[0], hint=lack[1])
    return found


_UNUSABLE = (
    "lumos: the class-data archive could not be used and is removed; this scan started without it,"
    " and `lumos doctor --warm` makes another one"
)


def _may_use_archive(place: SparkLocation, settings: Mapping[str, str]) -> bool:
    """Whether we start the Java ourselves, and its options are our own."""
    return (
        place.is_local
        and settings.get(OPTIONS) == class_data_archive.TRUSTING_JVM
        and not java_runs()
    )


def _create_session(
    place: SparkLocation, settings: Mapping[str, str], log: Path, cluster: Cluster | None
) -> "SparkSession":
    from pyspark.sql import SparkSession

    if cluster is not None:
        settings = cluster.settings(settings)
    builder = SparkSession.builder
    if place.url is not None:
        builder = builder.remote(place.url) if place.is_remote else builder.master(place.url)
    for name, value in settings.items():
        builder = builder.config(name, value)

    def on_cluster() -> SparkSession:
        if place.is_remote or pyspark_internals.launch({**settings, **_master(place)}, log):
            return builder.getOrCreate()
        with spark_log.redirect_output(log):  # this hides the wait, too
            return builder.getOrCreate()

    if cluster is not None:
        return cluster.result(on_cluster)
    with spark_log.redirect_output(log), shutdown.delay_sigint():
        return builder.getOrCreate()


def _master(place: SparkLocation) -> dict[str, str]:
    """Return the master as a setting for the start of Java; empty if the machine decides."""
    return {} if place.url is None else {"spark.master": place.url}


@contextlib.contextmanager
def _environment(place: SparkLocation, settings: Mapping[str, str]) -> Iterator[None]:
    """Let local workers run our own Python, unless another is configured; restore afterwards.

    Options of a command override environment variables for another place.
    """
    before = {name: os.environ.get(name) for name in (_CHOICE, *_MODES)}
    if place.is_told:
        for name in _MODES:
            os.environ.pop(name, None)
    python = settings.get(_PYTHON) or (os.environ.get(_CHOICE) if place.is_local else None)
    if python or place.is_local:
        os.environ[_CHOICE] = python or sys.executable
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

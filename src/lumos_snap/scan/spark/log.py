"""Spark's output: redirected to a file, apart from the report, and searched after a failure."""

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_LONGEST = 300
_RAISED = re.compile(r"(?:Caused by:|:)?\s*((?:[A-Za-z_$]+\.)*[A-Za-z_$]*(?:Error|Exception)\b.*)")
_REASON = re.compile(
    r"(?:Caused by: |Exception in thread \S+ )?((?:[\w$]+\.)+[\w$]+(?:Exception|Error)(?::.*)?)$"
)
_TELLING = re.compile(r"Exception|[Ee]rror|JAVA_HOME|No such file|[Ii]nvalid|not found")
_ADDRESS = re.compile(r"[\w.-]*[A-Za-z.][\w.-]*:\d{2,5}\b(?!:)")
_UNTELLING = re.compile(r"thrown in awaitResult|ERROR SparkContext: Error init")

_KNOWN: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(r"All masters are unresponsive"),
        "no Spark master answers at {place}",
        "does another program listen there? The port of a master is 7077 by default",
    ),
    (
        re.compile(r"Call From \S+ to (\S+:\d+) failed on connection exception"),
        "{place}: {0} refuses the connection",
        "is this the ResourceManager, or the NameNode? HADOOP_CONF_DIR names both: is it running?",
    ),
    (
        re.compile(r"either HADOOP_CONF_DIR or YARN_CONF_DIR must be set"),
        "{place}: HADOOP_CONF_DIR is not set",
        "set it to the folder of core-site.xml and yarn-site.xml",
    ),
    (
        re.compile(
            r"Client cannot authenticate via:\s*\[[^\]]*KERBEROS|Unable to obtain .* ticket"
        ),
        "{place} requires Kerberos, and this user has no ticket",
        "run `kinit`, or set spark.kerberos.principal and spark.kerberos.keytab by `--conf`",
    ),
    (
        re.compile(r"[Uu]nknown queue:?\s*(\S+)|queue\W+(\S+) that does not exist"),
        "{place} has no queue {0}",
        "name another: `--conf spark.yarn.queue=…`",
    ),
)
"""Known error patterns of clusters, with reason and hint."""


@contextlib.contextmanager
def keep_log() -> Iterator[Path]:
    """Create a file for Spark's output; it is kept only after an error."""
    descriptor, name = tempfile.mkstemp(prefix="lumos-spark-", suffix=".log")
    os.close(descriptor)
    yield Path(name)
    Path(name).unlink(missing_ok=True)


@contextlib.contextmanager
def redirect_output(log: Path) -> Iterator[None]:
    """Redirect the output of a Java that is started to a file; ours is restored afterwards."""
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(log.open("ab"))
        for descriptor in (1, 2):
            before = os.dup(descriptor)
            stack.callback(os.close, before)
            stack.callback(os.dup2, before, descriptor)
            os.dup2(file.fileno(), descriptor)
        yield


def summarize_error(exc: BaseException) -> str:
    """Summarize a Spark error: its root cause, without the class name."""
    lines = [line.strip() for line in str(exc).splitlines() if line.strip()]
    if not lines:
        return repr(exc)
    errors = [found[1] for line in lines if (found := _RAISED.match(line))]
    is_vague = lines[0].endswith((":", ".")) and "An e" in lines[0]
    return (errors[-1] if is_vague and errors else lines[0])[:_LONGEST]


def find_known_reason(log: Path, place: str) -> tuple[str, str] | None:
    """Find why a cluster does not start a session, and a hint, by known error patterns."""
    text = log.read_text("utf-8", "replace")
    for pattern, reason, hint in _KNOWN:
        if found := pattern.search(text):
            groups = (group.strip("'\"[].,;") for group in found.groups() if group)
            return reason.format(*groups, place=place), hint
    return None


def find_last_cause(log: Path) -> str:
    """Find why Java or Spark failed: the last cause in the log, preferably one with an address."""
    lines = [line.strip() for line in log.read_text("utf-8", "replace").splitlines()]
    told = [line for line in lines if _TELLING.search(line) and not _UNTELLING.search(line)]
    causes = [found[1] for line in told if (found := _REASON.match(line))]
    where = [cause for cause in causes if _ADDRESS.search(cause)]
    return next(iter([*where[-1:], *causes[-1:], *told[:1]]), "")[:_LONGEST]

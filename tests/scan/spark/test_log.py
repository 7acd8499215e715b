"""What Spark prints, and the one line of it that says why."""

import os
from pathlib import Path

import pytest

from lumos_snap.scan.spark.log import find_known_reason, find_last_cause, keep_log, redirect_output

YARN = """\
26/01/15 10:00:00 ERROR SparkContext: Error initializing SparkContext.
java.net.ConnectException: Call From vm/127.0.0.1 to rm:8032 failed
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.net.ConnectException: Connection refused
"""
SETTING = """\
Exception in thread "main" java.lang.IllegalArgumentException: spark.x should be int, but was y
\tat org.apache.spark.Y(Y.scala:1)
"""
MANY = """\
Exception in thread "main" org.apache.spark.SparkException: Exception thrown in awaitResult:
Caused by: java.io.IOException: Failed to connect
Caused by: java.net.ConnectException: Connection refused
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (YARN, "java.net.ConnectException: Call From vm/127.0.0.1 to rm:8032 failed"),
        (SETTING, "java.lang.IllegalArgumentException: spark.x should be int, but was y"),
        (MANY, "java.net.ConnectException: Connection refused"),
        ("JAVA_HOME is not set\n", "JAVA_HOME is not set"),
        ("26/01/15 10:00:00 INFO all is well\n", ""),
        ("", ""),
    ],
)
def test_the_cause_that_helps_most(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "log").write_text(text)
    assert find_last_cause(tmp_path / "log").removeprefix("main: ") == words


def test_a_log_stays_only_where_something_went_wrong() -> None:
    with keep_log() as log:
        assert log.exists()
    assert not log.exists()
    with pytest.raises(ZeroDivisionError), keep_log() as log:
        _ = 1 / 0
    assert log.exists()
    log.unlink()


def test_what_others_print_goes_to_the_log_and_then_to_where_it_went(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    for word in (b"first", b"second"):
        with redirect_output(log):
            os.write(1, word)
    os.write(1, b"after")
    assert log.read_bytes() == b"firstsecond"
    assert capfd.readouterr().out == "after"


UNRESPONSIVE = (
    "26/01/15 10:00:00 ERROR StandaloneSchedulerBackend: Application has been killed. Reason: "
    "All masters are unresponsive! Giving up.\n"
)
REFUSED = (
    "java.net.ConnectException: Call From vm/127.0.0.1 to 127.0.0.1:8032 failed on connection "
    "exception: java.net.ConnectException: Connection refused; For more details see:  x\n"
)
NO_QUEUE = (
    "org.apache.hadoop.yarn.exceptions.YarnException: Failed to submit application_1_0001 to YARN :"
    " Application application_1_0001 submitted by user root to unknown queue: nowhere\n"
)
NO_TICKET = "AccessControlException: Client cannot authenticate via:[TOKEN, KERBEROS]\n"
NO_CONF = (
    "Exception in thread \"main\" org.apache.spark.SparkException: When running with master 'yarn' "
    "either HADOOP_CONF_DIR or YARN_CONF_DIR must be set in the environment.\n"
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (UNRESPONSIVE, "no Spark master answers at YARN"),
        (REFUSED, "YARN: 127.0.0.1:8032 refuses the connection"),
        (NO_QUEUE, "YARN has no queue nowhere"),
        (NO_TICKET, "YARN requires Kerberos, and this user has no ticket"),
        (NO_CONF, "YARN: HADOOP_CONF_DIR is not set"),
        ("26/01/15 10:00:00 INFO all is well\n", None),
        (YARN, None),
    ],
)
def test_reasons_of_clusters_are_named(tmp_path: Path, text: str, reason: str | None) -> None:
    (tmp_path / "log").write_text(text)
    found = find_known_reason(tmp_path / "log", "YARN")
    assert (found and found[0]) == reason

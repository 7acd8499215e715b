"""A wait for a cluster is visible, has a limit, and ends at Ctrl-C."""

import os
import signal
import threading
import time

import pytest

from lumos_snap.config.settings import Config, ScanSettings, parse_config, seconds_of
from lumos_snap.errors import LumosError
from lumos_snap.scan.spark.cluster import (
    TAGS,
    Cluster,
    StartLimit,
    StartLimitError,
    YarnReport,
    reason_of,
)
from lumos_snap.scan.spark.settings import is_yarn, locate_spark

MASTER = "spark://127.0.0.1:7077"
NO_ROOM = (
    "[Thu Nov 19 21:44:12 +0000 2026] Application is added to the scheduler and is not yet "
    "activated. Queue's AM resource limit exceeded.  Details : AM Partition = <DEFAULT_PARTITION>;"
)
NO_NODES = (
    "[Thu Nov 19 21:44:12 +0000 2026] Application is added to the scheduler and is not yet "
    "activated. Skipping AM assignment as cluster resource is empty.  Details : x"
)


def _cluster(seconds: float, notices: "list[tuple[float, str]] | None" = None) -> Cluster:
    seen: list[tuple[float, str]] = [] if notices is None else notices
    limit = StartLimit(seconds, lambda waited, text: seen.append((waited, text)))
    return Cluster(locate_spark(MASTER, {}), limit)


def test_a_result_and_an_error_pass_through() -> None:
    cluster = _cluster(60)
    assert cluster.result(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        cluster.result(lambda: 1 / 0)


def test_the_wait_is_visible_and_has_a_limit() -> None:
    notices: list[tuple[float, str]] = []
    with pytest.raises(StartLimitError, match=rf"^{MASTER} gave no executor within 1 s$") as raised:
        _cluster(1, notices).result(lambda: time.sleep(30))
    assert "start_timeout" in raised.value.hint
    assert {text for _, text in notices} == {f"waiting for {MASTER}: no executor yet"}
    seconds = [waited for waited, _ in notices]
    assert seconds == sorted(seconds)
    assert 0 < seconds[0] < seconds[-1] <= 1


def test_the_limit_is_for_the_start_as_a_whole() -> None:
    cluster = _cluster(0.5)
    cluster.result(lambda: time.sleep(0.4))
    with pytest.raises(StartLimitError):
        cluster.result(lambda: time.sleep(30))


def test_ctrl_c_is_heard_at_once() -> None:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    work = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        _cluster(60).result(lambda: work.wait(60))
    assert not work.is_set()
    work.set()


@pytest.mark.parametrize(
    ("master", "environment", "expected"),
    [
        ("yarn", {}, True),
        (MASTER, {}, False),
        ("local[2]", {}, False),
        (None, {}, False),
        (None, {"MASTER": "yarn"}, True),
        (None, {"MASTER": MASTER}, False),
        (None, {"SPARK_CONF_DIR": "yarn"}, True),
        (None, {"SPARK_CONF_DIR": "other"}, False),
        (MASTER, {"MASTER": "yarn"}, False),
    ],
)
def test_yarn_is_recognised(
    tmp_path: "os.PathLike[str]",
    monkeypatch: pytest.MonkeyPatch,
    master: str | None,
    environment: dict[str, str],
    expected: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, line in (("yarn", "spark.master  yarn"), ("other", "# spark.master yarn")):
        os.mkdir(name)  # noqa: PTH102 - below the current folder
        with open(f"{name}/spark-defaults.conf", "w") as file:  # noqa: PTH123 - likewise
            file.write(f"spark.executor.memory 1g\n{line}\n")
    for name in ("MASTER", "SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_yarn(locate_spark(master, {})) is expected


def test_an_application_on_yarn_has_a_tag_beside_those_that_are_set() -> None:
    cluster = Cluster(locate_spark("yarn", {}), StartLimit())
    ours = cluster.settings({})[TAGS]
    assert ours.startswith("lumos-")
    assert cluster.settings({TAGS: "team-a"})[TAGS] == f"team-a,{ours}"
    assert (
        cluster.settings({"spark.hadoop.ipc.client.connect.max.retries": "9"})[
            "spark.hadoop.ipc.client.connect.max.retries"
        ]
        == "9"
    )
    assert _cluster(1).settings({"spark.ui.enabled": "true"}) == {"spark.ui.enabled": "true"}


@pytest.mark.parametrize(
    ("state", "diagnostics", "reason"),
    [
        ("ACCEPTED", NO_ROOM, "Queue's AM resource limit exceeded"),
        ("ACCEPTED", NO_NODES, "Skipping AM assignment as cluster resource is empty"),
        ("ACCEPTED", "", ""),
        ("ACCEPTED", "other words", ""),
        ("RUNNING", NO_ROOM, ""),
    ],
)
def test_why_an_application_waits(state: str, diagnostics: str, reason: str) -> None:
    assert reason_of(state, diagnostics) == reason


def test_a_report_is_one_line() -> None:
    report = YarnReport("application_17_0001", "ACCEPTED", "tiny", "no room")
    assert str(report) == "application_17_0001 is ACCEPTED in queue tiny (no room)"
    report = YarnReport("application_17_0001", "RUNNING", "default", "")
    assert str(report) == "application_17_0001 is RUNNING in queue default"


def test_the_limit_is_a_setting() -> None:
    assert seconds_of(Config(version=1).scan.start_timeout) == 600
    config = parse_config(b"version: 1\nscan: {start_timeout: 90s}\n", "lumos.yaml")
    assert config.scan == ScanSettings(start_timeout="90s")
    for wrong in (b"90", b"0s", b"-1s", b"soon", b"1d"):
        text = b"version: 1\nscan: {start_timeout: " + wrong + b"}\n"
        with pytest.raises(LumosError, match=r"lumos.yaml:2:.*start_timeout"):
            parse_config(text, "lumos.yaml")

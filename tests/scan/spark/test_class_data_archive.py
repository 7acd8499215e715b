"""The class-data archive: made when asked for, used where it fits, and never in a scan's way."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.scan.spark import class_data_archive

pytestmark = pytest.mark.slow
STARTED = Path(__file__).with_name("short_job.py")
KEPT = "lumos-snap/java"
PATIENCE = 15


@pytest.fixture(scope="module")
def warmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder with an archive in it, as `lumos doctor --warm` makes it."""
    cache = tmp_path_factory.mktemp("a cache")
    stale = cache / KEPT / "0123-5.jsa"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"older")
    begun = stale.with_name("making-1")
    begun.touch()
    os.utime(begun, (1, 1))
    ran = _lumos("doctor", "--warm", "--json", cache=cache)
    report = json.loads(ran.stdout)
    made = Path(report["warmed"]["path"])
    assert list((cache / KEPT).iterdir()) == [made], "those for anything else are gone"
    assert made.stat().st_size == report["warmed"]["bytes"] > 10_000_000
    assert report["warmed"]["milliseconds"] > 0
    assert "writes down what it has loaded" in ran.stderr
    assert _health(report) == "ok"
    return cache


@pytest.fixture
def cache(warmed: Path, tmp_path: Path) -> Path:
    """The same, to be broken."""
    return Path(shutil.copytree(warmed, tmp_path / "cache"))


def test_the_doctor_says_what_is_missing_and_makes_nothing_by_itself(tmp_path: Path) -> None:
    report = json.loads(_lumos("doctor", "--json", cache=tmp_path).stdout)
    assert _health(report) == "optional"
    assert "warmed" not in report or report["warmed"] is None
    assert not (tmp_path / KEPT).exists()


def test_a_session_of_our_own_uses_it(warmed: Path) -> None:
    met = _started(warmed)
    assert met == {"used": True, "rows": 10, "notes": []}


def test_what_the_user_says_of_java_counts_more(warmed: Path) -> None:
    met = _started(warmed, "spark.driver.extraJavaOptions=-Dany=1")
    assert met == {"used": False, "rows": 10, "notes": []}


def _cut(made: Path) -> Path:
    with made.open("r+b") as file:
        file.truncate(made.stat().st_size // 2)
    return made


def _cut_and_called_whole(made: Path) -> Path:
    cut = _cut(made)
    name = f"{cut.stem.partition('-')[0]}-{cut.stat().st_size}.jsa"
    return cut.rename(cut.with_name(name))


def _header_spoilt(made: Path) -> Path:
    with made.open("r+b") as file:
        file.write(b"\xff" * 600)
    return made


def _inside_spoilt(made: Path) -> Path:
    with made.open("r+b") as file:
        for place in range(1_000_000, made.stat().st_size, 100_000):
            file.seek(place)
            file.write(b"\xff" * 64)
    return made


def _of_another_build(made: Path) -> Path:
    """The header names the build of Java that wrote it."""
    with made.open("r+b") as file:
        head = file.read(4096)
        assert b"OpenJDK" in head
        file.seek(0)
        file.write(head.replace(b"OpenJDK", b"OtherJD"))
    return made


def _for_all_to_write(made: Path) -> Path:
    made.chmod(0o666)
    return made


def _of_another_path(made: Path) -> Path:
    return made.rename(made.with_name(f"{'0' * 32}-{made.stat().st_size}.jsa"))


def _a_folder(made: Path) -> Path:
    name = made.stem.partition("-")[0]
    made.unlink()
    folder = made.with_name(f"{name}-4096.jsa")
    folder.mkdir()
    return folder


IN_VAIN: tuple[Callable[[Path], Path], ...] = (
    *(_cut, _header_spoilt, _inside_spoilt, _of_another_build),
    *(_for_all_to_write, _of_another_path, _a_folder),
)


@pytest.mark.parametrize("breaking", IN_VAIN)
def test_one_that_does_not_fit_only_costs_time(
    cache: Path, breaking: Callable[[Path], Path]
) -> None:
    broken = _broken(cache, breaking)
    assert _started(cache) == {"used": False, "rows": 10, "notes": []}
    assert broken.exists()


def test_one_that_kills_java_is_removed_and_the_scan_goes_on(cache: Path, tmp_path: Path) -> None:
    broken = _broken(cache, _cut_and_called_whole)
    home = tmp_path / "home"
    home.mkdir()
    met = _started(cache, at=home)
    assert met["rows"] == 10
    assert not met["used"]
    assert len(met["notes"]) == 1
    assert "is removed" in met["notes"][0]
    assert not broken.exists()
    assert list(home.iterdir()) == [], "Java leaves no report of its crash"


def test_a_start_that_fails_for_another_reason_keeps_it(cache: Path) -> None:
    ran = _run(cache, "spark.driver.memory=much")
    assert ran.returncode == 1
    assert "OutsideError" in ran.stderr
    assert list((cache / KEPT).glob("*.jsa"))


def test_it_depends_on_java_and_on_every_jar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jars").mkdir()
    jar = tmp_path / "jars/a.jar"
    jar.write_bytes(b"one")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    seen = {class_data_archive.fingerprint()}
    os.utime(jar, (1, 1))
    seen.add(class_data_archive.fingerprint())
    jar.write_bytes(b"other")
    os.utime(jar, (1, 1))
    seen.add(class_data_archive.fingerprint())
    (tmp_path / "jars/b.jar").touch()
    seen.add(class_data_archive.fingerprint())
    monkeypatch.setattr(class_data_archive, "QUICK_JVM", "-XX:+UseSerialGC")
    seen.add(class_data_archive.fingerprint())
    assert len(seen) == 5
    assert None not in seen
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert class_data_archive.fingerprint() is None


def _broken(cache: Path, breaking: Callable[[Path], Path]) -> Path:
    (made,) = (cache / KEPT).iterdir()
    made.chmod(0o600)
    return breaking(made)


def _started(cache: Path, *settings: str, at: Path | None = None) -> Mapping[str, Any]:
    ran = _run(cache, *settings, at=at)
    assert ran.returncode == 0, ran.stderr
    met: dict[str, Any] = json.loads(ran.stdout)
    java = Path(f"/proc/{met.pop('pid')}")
    end = time.monotonic() + PATIENCE
    while java.exists():  # it ends when it sees that nobody speaks to it any more
        assert time.monotonic() < end, "Java is left running"
        time.sleep(0.05)
    return met


def _run(cache: Path, *settings: str, at: Path | None = None) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(STARTED), "local[2]", *settings]
    return _done(command, cache, at)


def _lumos(*words: str, cache: Path) -> "subprocess.CompletedProcess[str]":
    return _done([sys.executable, "-m", "lumos_snap", *words], cache)


def _done(
    command: list[str], cache: Path, at: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(
        command, capture_output=True, text=True, env=env, cwd=at, timeout=180, check=False
    )


def _health(report: Mapping[str, Any]) -> str:
    checks = {check["name"]: check for check in report["checks"]}
    return str(checks["class-data archive"]["health"])

"""What every test stands on: no configuration of the machine, and steady properties."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# `make check` draws fewer examples, to be over soon; `make test` draws them all.
settings.register_profile(
    "lumos",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    max_examples=25 if os.environ.get("QUICK_LAWS") else 100,
)
settings.load_profile("lumos")

# A shell starts what runs in the background deaf to Ctrl-C, and so are all whom that starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests make repositories of their own: nothing of the machine's may leak into them.
for _name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[_name]
os.environ |= {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Jane Smith",
    "GIT_AUTHOR_EMAIL": "jane.smith@example.com",
    "GIT_COMMITTER_NAME": "Jane Smith",
    "GIT_COMMITTER_EMAIL": "jane.smith@example.com",
    "GIT_AUTHOR_DATE": "2026-01-15T10:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-15T10:00:00Z",
    "PYSPARK_PYTHON": sys.executable,
    # Commands of tests start no Spark, except where a test says so: that takes seconds each time.
    "LUMOS_ENGINE": "local",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden", action="store_true", help="write golden files instead of comparing"
    )
    parser.addoption(
        "--datahub-url", metavar="URL", help="the server that scenarios of DataHub run against"
    )


_MEMORY_OF_A_WORKER = 4 << 30
"""Bytes: Python, and Spark where its tests need one."""


def pytest_xdist_auto_num_workers() -> int:
    """Three workers for two cores: tests wait for other processes nearly half of the time."""
    cores = os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(cores + (cores + 1) // 2, memory // _MEMORY_OF_A_WORKER))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    """One Spark for all tests of a process: it takes seconds to start."""
    from tests.engines.spark_reader import session  # noqa: PLC0415 - most tests need none

    with session(tmp_path_factory.mktemp("warehouse")) as started:
        yield started


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of this repository."""
    return Path(__file__).parents[1]

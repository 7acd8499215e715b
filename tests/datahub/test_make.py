"""`make test-datahub`: the scenarios find a server in another process by its address alone."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests


@contextmanager
def served(root: Path, *options: str) -> Iterator[str]:
    """A server of ours in a process of its own; where it is."""
    command = [sys.executable, "-m", "tests.gms", "--port", "0", *options]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().strip()
        finally:
            running.terminate()


def make(root: Path, *variables: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the target, without making the virtual environment anew."""
    ready = f"{sys.prefix}/.ready"
    command = ["make", "test-datahub", f"VENV={sys.prefix}", f"--old-file={ready}", *variables]
    known = {name: one for name, one in os.environ.items() if not name.startswith(_NOT_TOLD)}
    return subprocess.run(
        command, cwd=root, env={**known, **environment}, capture_output=True, text=True, check=False
    )


_NOT_TOLD = ("PYTEST", "DATAHUB", "MAKE", "MFLAGS")


@pytest.mark.slow
def test_the_scenarios_run_against_a_server_that_is_named(root: Path) -> None:
    with served(root, "--token", "a token") as url:
        done = make(root, f"URL={url}", DATAHUB_GMS_TOKEN="a token")  # noqa: S106
        assert done.returncode == 0, done.stdout
        assert "skipped" not in done.stdout
        asked = requests.get(f"{url}/lumos-test/asked", timeout=30).json()
        assert sum(bool(one["wrote"]) for one in asked) > len(MODES)
        left = requests.get(f"{url}/lumos-test/dump", timeout=30).json()
        assert left == {}, "something was left behind"


MODES = ("openapi", "rest.li")


@pytest.mark.slow
def test_what_a_failed_scenario_made_is_removed_as_well(root: Path, tmp_path: Path) -> None:
    with served(root) as url:
        control = f"{url}/lumos-test"
        fault = {"kind": "status", "status": 400, "aspect": "ownership", "skip": 2, "times": 1}
        requests.post(f"{control}/faults", data=json.dumps(fault), timeout=30).raise_for_status()
        done = make(root, f"URL={url}", "OPTIONS=-k 'first_push and openapi'")
        assert done.returncode != 0
        assert "1 failed" in done.stdout
        asked = requests.get(f"{control}/asked", timeout=30).json()
        assert sum(bool(one["wrote"]) and one["status"] == 200 for one in asked) > 2
        assert requests.get(f"{control}/dump", timeout=30).json() == {}


def test_without_an_address_nothing_is_run(root: Path) -> None:
    done = make(root, "URL=")
    assert done.returncode == 2
    assert "which server?" in done.stderr

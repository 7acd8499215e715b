"""A job that runs elsewhere shows how far it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.world.servers.clusters import Server

pytestmark = pytest.mark.world


def test_a_server_of_spark_connect_reports_tasks_as_they_end(server: Server) -> None:
    script = Path(__file__).with_name("progress.py")
    ran = subprocess.run(
        [sys.executable, str(script), server.url], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    assert all(tasks == 8 for _, tasks in seen)
    done = [number for number, _ in seen]
    assert done == sorted(done)
    assert any(0 < number < 8 for number in done), seen

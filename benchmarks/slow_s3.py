"""A first scan of a bucket whose every request takes 20 ms more, against what waiting alone takes.

python -m benchmarks.slow_s3

The floor is the requests that were made, each waited for once, as many at a time as the scan may
have open: it counts requests that others might spare, and nothing of what answers cost to read. The
start of the program counts. The server is SeaweedFS, on the same machine and its cores.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import boto3

from benchmarks.files import FILES_EACH, FORMATS
from benchmarks.scans import LUMOS
from benchmarks.slow_line import slow
from lumos_snap.scan.stores.s3 import S3Store
from tests.world.servers.object_stores import seaweed
from tests.world.servers.processes import Server

DATASETS = 1_000
DELAY = 0.020
BUCKET = "lake"
_YAML = "version: 1\nsources:\n  - {{name: lake, path: s3://lake, store: {{endpoint: '{}'}}}}\n"


class Measured(NamedTuple):
    """What one scan took, and what waiting alone takes."""

    objects: int
    requests: int
    at_once: int
    seconds: float
    floor: float


def filled(server: Server, datasets: int) -> int:
    """Put small Parquet files into the bucket; returns how many."""
    client = boto3.Session(
        server.environment["AWS_ACCESS_KEY_ID"], server.environment["AWS_SECRET_ACCESS_KEY"]
    ).client("s3", endpoint_url=server.endpoint, region_name="us-east-1")
    client.create_bucket(Bucket=BUCKET)

    def put(number: int) -> None:
        columns = [f"column_{number % 97}_{at}" for at in range(12)]
        content = FORMATS["parquet"](columns)
        folder = f"area_{number % 20}/table_{number}"
        for file in range(FILES_EACH):
            key = f"{folder}/dt=2026-01-{file + 1:02d}/part-0.parquet"
            client.put_object(Bucket=BUCKET, Key=key, Body=content)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(datasets)))
    return datasets * FILES_EACH


def timed(command: list[str], folder: Path, more: Mapping[str, str]) -> tuple[float, str]:
    """How long a command takes, and what it says."""
    began = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **more},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return time.perf_counter() - began, done.stdout


def measured(datasets: int = DATASETS) -> Measured:
    """One scan, cold, and what it is measured against."""
    with (
        tempfile.TemporaryDirectory(prefix="lumos-bench-") as name,
        seaweed() as server,
        slow(server.address, DELAY) as line,
    ):
        home = Path(name)
        objects = filled(server, datasets)
        (home / "lumos.yaml").write_text(_YAML.format(f"http://{line.address}"))
        seconds, said = timed(
            [LUMOS, "snap", "scan", "--engine", "local", "--json"], home, server.environment
        )
        report = json.loads(said)
        assert report["counts"]["added"] == datasets, report["counts"]
        assert not report["bad_files"]
        at_once = (os.cpu_count() or 1) * S3Store(BUCKET).at_once
        return Measured(objects, line.requests, at_once, seconds, line.requests * DELAY / at_once)


if __name__ == "__main__":
    print(measured())

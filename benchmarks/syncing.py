"""A sync of 10,000 datasets of 30 columns: with DataHub's wire on this machine, and DataHub Lite.

    python -m benchmarks.syncing

DataHub's own client writes a sample of the same aspects one by one; how long it takes for one
dataset is told for all of them. The server is that of the tests, in a process of its own, so both
sides pay for the same server.
"""

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import requests
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.config import DatahubClientConfig

from benchmarks import lake
from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs.datahub.client.sdk_classes import as_class
from lumos_snap.catalogs.datahub.documents import PARTS
from lumos_snap.catalogs.datahub.mapping import to_aspects
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.model.snapshot import Snapshot

HERE = Path(__file__).parent
DATASETS, COLUMNS = 10_000, 30
_WHAT = f"{DATASETS:,} datasets of {COLUMNS} columns"
LATENCY = 0.02
_SAMPLE = 200
"""Datasets that DataHub's client writes."""
_BATCH = 500
_ROUNDS = 3
_NAMES = Names(NamingSettings())
_SYNC = [str(Path(sys.executable).parent / "lumos"), "snap", "sync"]


@dataclass(frozen=True)
class Compared:
    """What ours took, and what it is measured against, in seconds."""

    what: str
    floor_name: str
    ours: float
    floor: float
    promise: float


@dataclass(frozen=True)
class Ran:
    """One run of the command."""

    seconds: float
    mebibytes: float


Memory = dict[str, float]
"""What each command held at most, in MiB."""


def compared(memory: Memory) -> Iterator[Compared]:
    """All that is promised; `memory` is told what each command held."""
    yield _first_push(0.0, 1 / 1.5, memory)
    yield _first_push(LATENCY, 0.1, memory)
    yield _nothing_to_do(memory)
    yield _nothing_to_do_in_lite(memory)


def _first_push(latency: float, promise: float, memory: Memory) -> Compared:
    how = f", {latency * 1000:.0f} ms more for each request" if latency else ""
    with _server(latency) as url, _tree(f"type: datahub, server: '{url}'") as folder:
        floor = _aspect_by_aspect(url)
        pushed = _ran(folder, "--apply", "--yes")
    memory[f"the first push to DataHub{how}"] = pushed.mebibytes
    return Compared(
        f"`lumos snap sync --apply`, the first time: {_WHAT}{how}",
        f"DataHub's client, aspect by aspect ({_SAMPLE} datasets, told for all)",
        pushed.seconds,
        floor,
        promise,
    )


def _nothing_to_do(memory: Memory) -> Compared:
    with _server() as url, _tree(f"type: datahub, server: '{url}'") as folder:
        _ran(folder, "--apply", "--yes")
        rounds = [(_ran(folder), _batch_read(url)) for _ in range(_ROUNDS)]
        _told(url, "DELETE")
        _ran(folder, "--apply", "--yes")
        assert not [one for one in _told(url, "GET") if one["wrote"]]
    memory["a plan with nothing to do"] = max(ran.mebibytes for ran, _ in rounds)
    return Compared(
        f"`lumos snap sync`, nothing to do: {_WHAT}",
        f"one batch read of all as HTTP and JSON, {_BATCH} at a time",
        statistics.median(ran.seconds for ran, _ in rounds),
        statistics.median(floor for _, floor in rounds),
        2.0,
    )


def _nothing_to_do_in_lite(memory: Memory) -> Compared:
    with _tree("type: datahub-lite") as folder:
        memory["the first push to DataHub Lite"] = _ran(folder, "--apply", "--yes").mebibytes
        rounds = [(_ran(folder), _lite_read(folder)) for _ in range(_ROUNDS)]
    memory["a plan with nothing to do, DataHub Lite"] = max(ran.mebibytes for ran, _ in rounds)
    return Compared(
        f"`lumos snap sync` with DataHub Lite, nothing to do: {_WHAT}",
        "one read of all its aspects as JSON",
        statistics.median(ran.seconds for ran, _ in rounds),
        statistics.median(floor for _, floor in rounds),
        2.0,
    )


_WATCHED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
"""A small program around a command: a process counts what the one had held that started it."""


def _ran(folder: Path, *options: str) -> Ran:
    command = [sys.executable, "-c", _WATCHED, *_SYNC, *options, "--limit", "1"]
    began = time.perf_counter()
    ended = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, env=_quiet(), check=True)
    return Ran(time.perf_counter() - began, int(ended.stdout) / 1024)


def _batch_read(url: str) -> float:
    names: dict[str, Any] = {name: {} for name in sorted(PARTS[SNAPSHOT.name])}
    urns = [_NAMES.dataset(str(lake.document(number)["urn"])) for number in range(DATASETS)]
    began = time.perf_counter()
    with requests.Session() as session:
        for start in range(0, DATASETS, _BATCH):
            asked = [{"urn": urn, **names} for urn in urns[start : start + _BATCH]]
            answer = session.post(
                f"{url}/openapi/v3/entity/dataset/batchGet?systemMetadata=true",
                data=orjson.dumps(asked),
                headers={"Content-Type": "application/json"},
                timeout=60,
            )
            assert len(orjson.loads(answer.content)) == len(asked)
    return time.perf_counter() - began


def _lite_read(folder: Path) -> float:
    select = "SELECT urn, aspect_name, metadata FROM metadata_aspect_v2 WHERE version = 0"
    began = time.perf_counter()
    with sqlite3.connect(folder / ".lumos/datahub.db") as connection:
        found = [orjson.loads(said) for _, _, said in connection.execute(select)]
    assert len(found) > DATASETS
    return time.perf_counter() - began


def _aspect_by_aspect(url: str) -> float:
    """Seconds that DataHub's client takes for all datasets, told from some."""
    proposals = []
    for number in range(DATASETS, DATASETS + _SAMPLE):
        theirs = to_aspects(_document(number), SNAPSHOT, _NAMES)
        for name, aspect in theirs.aspects.items():
            said = as_class(name, aspect)
            proposals.append(MetadataChangeProposalWrapper(entityUrn=theirs.urn, aspect=said))
    graph = DataHubGraph(DatahubClientConfig(server=url, openapi_ingestion=True))
    began = time.perf_counter()
    for one in proposals:
        graph.emit_mcp(one)
    return (time.perf_counter() - began) * DATASETS / _SAMPLE


def _document(number: int) -> dict[str, object]:
    return lake.document(number, columns=COLUMNS - 1)


@contextmanager
def _tree(catalog: str) -> Iterator[Path]:
    """A tree that nobody has synced yet."""
    settings = f"version: 1\nenvironment: PROD\ncatalogs: [{{name: bench, {catalog}}}]\n"
    with tempfile.TemporaryDirectory(prefix="lumos-bench-") as name:
        folder = Path(name)
        for number in range(DATASETS):
            document = _document(number)
            file = folder / SNAPSHOT.path_of(document)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(encode_document(document, Snapshot))
        (folder / ".gitignore").write_text(".lumos/\nobservations/\n")
        (folder / "lumos.yaml").write_text(settings)
        for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Lake"]):
            subprocess.run(["git", *command], cwd=folder, env=_quiet(), check=True)
        yield folder


def _quiet() -> dict[str, str]:
    """Who commits, and that DataHub's package calls nobody."""
    who = {f"GIT_{role}_{part}": "bench@example.com" for role in _ROLES for part in _PARTS}
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return {**os.environ, **who, **quiet, "DATAHUB_TELEMETRY_ENABLED": "false"}


_ROLES, _PARTS = ("AUTHOR", "COMMITTER"), ("NAME", "EMAIL")


@contextmanager
def _server(latency: float = 0.0) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.gms", "--latency", str(latency)]
    process = subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def _told(url: str, method: str) -> Any:
    """What the server was asked; or to forget that."""
    return requests.request(method, f"{url}/lumos-test/asked", timeout=60).json()


def main() -> None:
    """Print each comparison, and what was held."""
    memory: Memory = {}
    for one in compared(memory):
        ratio = f"{one.ours / one.floor:.3f} of {one.promise:.3f}"
        print(f"{one.ours:7.1f} s, floor {one.floor:7.1f} s, {ratio}: {one.what}", flush=True)
    for what, held in memory.items():
        print(f"{held:7.0f} MiB  {what}")


if __name__ == "__main__":
    main()

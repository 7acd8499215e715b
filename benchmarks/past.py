"""Repositories with a long history, made at once by `git fast-import`."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks import lake
from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot

VERSIONS, COMMITS, DATASETS = 1_000, 5_000, 500
START = 1_700_000_000
HOUR = 3_600


def one_dataset(root: Path, versions: int = VERSIONS) -> str:
    """A dataset whose words change often, types now and then, and which grows at times."""
    documents = (_version(0, number) for number in range(versions))
    return _build(root, documents)


def many_datasets(root: Path, commits: int = COMMITS) -> str:
    """A tree in which each commit changes one of many datasets."""
    documents = (_version(n % DATASETS, n // DATASETS * 7) for n in range(commits))
    return _build(root, documents)


def _version(dataset: int, number: int) -> dict[str, object]:
    """A dataset after so many changes."""
    document = lake.document(dataset, columns=20 + number // 50)
    fields = document["schema"]["fields"]  # type: ignore[index]
    for change in range(number // 10):
        kinds = ("STRING", "INT64", "DATE", "FLOAT64")
        fields[change * 7 % 20] = {
            "name": f"column_{change * 7 % 20}",
            "type": kinds[change % 4],
            "nullable": True,
        }
    document["documentation"] = {"description": f"Events, as described for the {number}th time."}
    return document


def _build(root: Path, documents: Iterator[dict[str, object]]) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    root.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-qb", "main"], cwd=root, env=environment, check=True)
    (root / "lumos.yaml").write_text("version: 1\nenvironment: PROD\n")
    stream = b"".join(_commits(documents))
    for command in (["fast-import", "--quiet"], ["reset", "-q", "--hard"]):
        subprocess.run(["git", *command], cwd=root, env=environment, input=stream, check=True)
    return SNAPSHOT.path_of(lake.document(0))


def _commits(documents: Iterator[dict[str, object]]) -> Iterator[bytes]:
    for number, document in enumerate(documents):
        raw = encode_document(document, Snapshot)
        path = SNAPSHOT.path_of(document)
        head = (
            f"commit refs/heads/main\ncommitter Bench <bench@example.com> {START + number * HOUR} "
            f"+0000\ndata 4\nnext\nM 100644 inline {path}\ndata {len(raw)}\n"
        )
        yield head.encode() + raw + b"\n"

"""A lake whose lineage is large: areas of 100 datasets, each made from the four before it."""

import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks import lake
from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot

DATASETS, EACH = 100_000, 4
EDGES = DATASETS * EACH
_AREA = 100
_COLUMNS = 3

PATTERNS = [
    argument
    for text in ('"urn"', '"lineage"', '    "upstream": [', '{"from": ', '{"to": ', "      ]}")
    for argument in ("-e", text)
]


def _urn(number: int) -> str:
    """The dataset before; at the beginning of an area, a topic that is not in the tree."""
    return str(lake.document(number)["urn"])


def _edge(number: int, back: int) -> dict[str, Any]:
    is_in_area = number % _AREA >= back
    return {
        "urn": _urn(number - back) if is_in_area else f"lumos://kafka/prod/{number}_{back}",
        "type": "TRANSFORMED",
        "via": f"job_{number % 500}",
        "origin": "dbt",
        "columns": [
            {"from": f"column_{one}", "to": f"column_{one + back}"} for one in range(_COLUMNS)
        ],
    }


QUESTION = f"{_urn(DATASETS // 2)}.column_1"


def build(root: Path, datasets: int = DATASETS) -> None:
    """Write the tree and commit it."""
    (root / "lumos.yaml").write_text("version: 1\nenvironment: PROD\n")
    (root / ".gitignore").write_text(".lumos/\n")
    for number in range(datasets):
        document = lake.document(number)
        edges = [_edge(number, back) for back in range(1, EACH + 1)]
        document["lineage"] = {"upstream": edges}
        file = root / SNAPSHOT.path_of(document)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode_document(document, Snapshot))
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Lake"]):
        subprocess.run(["git", *who, *command], cwd=root, env=environment, check=True)

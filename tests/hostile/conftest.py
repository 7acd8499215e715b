"""The repository that every trick starts from, prepared once."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.trick import CUSTOMERS, PullRequest

_SETTINGS = """\
version: 1
sources:
  - {name: lake, path: ../../lake}
catalogs:
  - {name: copy, type: files, path: ../../copy}
"""


@pytest.fixture(scope="session")
def prepared(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a tree in `metadata/`, in line with its lake and its catalog."""
    room = tmp_path_factory.mktemp("room")
    request = PullRequest(room)
    for folder in (request.repo / "metadata", request.outside, room / "lake/orders", room / "copy"):
        folder.mkdir(parents=True)
    (request.outside / "diary.txt").write_text("dear diary\n")
    (room / "lake/orders/part-0.csv").write_text("id,amount\n1,2.50\n2,3.75\n")
    request.write("metadata/lumos.yaml", _SETTINGS)
    example = root / "examples/shop/snapshots/postgres/shop/public/customers.json"
    request.write(CUSTOMERS, example.read_bytes())
    request.git("init", "--quiet", "--initial-branch", "main")
    _lumos(request, "scan", "-C", "metadata")
    _lumos(request, "validate", "-C", "metadata")
    request.git("add", "--all")
    request.git("commit", "--quiet", "-m", "Start")
    _lumos(request, "sync", "--apply", "--yes", "-C", "metadata")
    request.git("switch", "--quiet", "--create", "pr")
    return room


def _lumos(request: PullRequest, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "lumos_snap", "snap", *arguments],
        cwd=request.repo,
        check=True,
        capture_output=True,
    )

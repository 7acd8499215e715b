"""A real tree in a real repository, below its top."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ORDERS = "lumos://iceberg/lake/silver/orders"
FILE = "snapshots/iceberg/lake/silver/orders.json"
KAFKA = "snapshots/kafka/prod/shop.orders.v1.json"


def git(folder: Path, *arguments: str) -> str:
    """What a git command says."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def shop(root: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "repo/metadata/shop"
    shutil.copytree(root / "examples/shop", folder, ignore=shutil.ignore_patterns(".lumos"))
    git(tmp_path / "repo", "init", "-qb", "main")
    git(tmp_path / "repo", "add", "-A")
    git(tmp_path / "repo", "commit", "-qm", "Start")
    return folder


@pytest.fixture
def bare(shop: Path, tmp_path: Path) -> Path:
    """A bare repository whose top is the tree."""
    top, folder = tmp_path / "top", tmp_path / "bare.git"
    shutil.copytree(shop, top)
    git(top, "init", "-qb", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "Start")
    git(tmp_path, "clone", "-q", "--bare", str(top), str(folder))
    return folder


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder outside of every tree, with things that somebody needs."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "precious").write_text("precious")
    (folder / "1-1").write_text("looks like ours")
    return folder


def nest(folder: Path, names: Sequence[str], *, file: str = "") -> str:
    """Folders in folders, with a file in the innermost: deeper than a path can be long."""
    at = os.open(folder, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=at)
        inner = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    if file:
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    return "/".join((folder.name, *names, *([file] if file else [])))

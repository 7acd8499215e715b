"""Real trees to search, and searches as a program makes them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.commands.search.command import SMALL, SearchContext, search
from lumos_snap.commands.search.options import SearchOptions
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.command_reports import SearchReport
from lumos_snap.tree import open_tree


def dataset(name: str, **sections: Any) -> dict[str, Any]:
    """A snapshot with a name, and whatever else it shall say."""
    return {
        "lumos_version": "1.0.0",
        "urn": f"lumos://s3/lake/{name}",
        "name": name.rpartition("/")[2],
        "platform": "s3",
        **sections,
    }


def put(root: Path, document: dict[str, Any]) -> Path:
    """Write a snapshot where it belongs, in place, as many an editor does."""
    file = root / SNAPSHOT.path_of(document)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(encode_document(document, Snapshot))
    return file


class Searcher:
    """Searches one tree, and keeps what it is told meanwhile."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told: list[str] = []
        self.later = 0
        self.small = SMALL
        """So many files are looked at one by one in each search."""

    def __call__(self, text: str = "", *, thorough: bool = False, **filters: Any) -> SearchReport:
        self.told.clear()
        now = time.time_ns() + self.later
        ways = SearchContext(
            now, self.told.append, lambda done, total: None, thorough=thorough, small=self.small
        )
        return search(open_tree(self.root), SearchOptions(text, **filters), ways)

    def names(self, text: str = "", **filters: Any) -> list[str]:
        """The names of what is found, the best first."""
        return [hit.name for hit in self(text, **filters).hits]


Put = Callable[..., Path]


@pytest.fixture
def searcher(tmp_path: Path) -> Searcher:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "lumos.yaml").write_text("version: 1\nenvironment: PROD\n")
    return Searcher(root)


@pytest.fixture
def make(searcher: Searcher) -> Put:
    """Write a snapshot into the tree that is searched."""
    return lambda name, **sections: put(searcher.root, dataset(name, **sections))

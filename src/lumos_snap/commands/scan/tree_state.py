"""State of the tree and its settings that a scan starts from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.paths import urn_of
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError
from lumos_snap.scan.known_datasets import Files, KnownDatasets
from lumos_snap.scan.sources.source import Source, open_source, select_sources
from lumos_snap.tree import Tree

Stored: TypeAlias = Mapping[str, Mapping[str, str]]
"""Snapshots of the tree: source name to urn to path."""


def read_known_datasets(tree: Tree, source: Source, stored: Mapping[str, str]) -> KnownDatasets:
    """The datasets of a source that the tree knows."""
    return KnownDatasets.of(map(source.names, stored), _files_of(tree, source))


def _files_of(tree: Tree, source: Source) -> Files:
    def said(names: tuple[str, ...]) -> str | None:
        content = tree.files.read(SNAPSHOT.path(source.urn(names)))
        try:
            document = loads(content or b"{}")
        except orjson.JSONDecodeError:
            return None
        storage = document.get("storage") if isinstance(document, dict) else None
        files = storage.get("files") if isinstance(storage, dict) else None
        return files if isinstance(files, str) else None

    return said


def find_stored(paths: Sequence[str], source: Source) -> Iterator[tuple[str, str]]:
    """Urns and paths of the tree's snapshots of a source."""
    folder = f"{SNAPSHOT.folder}/{source.platform}/"
    for path in paths:
        if not path.startswith(folder):
            continue
        try:
            urn = str(urn_of(path.removeprefix(f"{SNAPSHOT.folder}/")))
        except LumosError:
            continue  # reported by `lumos snap validate`
        if urn == source.prefix or urn.startswith(f"{source.prefix}/"):
            yield urn, path


def open_sources(tree: Tree, wanted: Sequence[str]) -> tuple[Source, ...]:
    """Open the selected sources."""
    return tuple(
        open_source(one, tree.root)
        for one in select_sources(tree.config.sources, wanted, tree.root)
    )

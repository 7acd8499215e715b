"""`lumos snap show`: one dataset, with source metadata and curated metadata side by side."""

from dataclasses import dataclass

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import canonical_document, digest
from lumos_snap.canonical.read import read
from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.command_reports import ShowReport
from lumos_snap.schema import document_of
from lumos_snap.tree import Tree
from lumos_snap.tree.selection import find_dataset


@dataclass(frozen=True, slots=True)
class ShowResult:
    """A dataset as a report, and the snapshot that it was read from."""

    page: ShowReport
    snapshot: Snapshot


def show(tree: Tree, wanted: str) -> ShowResult:
    """Show all information about one dataset in a tree."""
    path = find_dataset(tree, wanted)
    snapshot = tree.snapshot_at(path)
    observation = tree.observation(snapshot.urn)
    document = document_of(snapshot)
    page = ShowReport(
        source=tree.label,
        path=path,
        digest=digest(document),
        snapshot=canonical_document(document, Snapshot),
        observation={} if observation is None else document_of(observation),
        downstream=_downstream(tree, snapshot.urn),
    )
    return ShowResult(page, snapshot)


def _downstream(tree: Tree, urn: str) -> tuple[str, ...]:
    """The downstream datasets; only files that contain the urn are parsed."""
    needle = orjson.dumps(urn)
    candidates = (
        read(content, Snapshot).document
        for _, content in tree.files.read_all(tree.paths(SNAPSHOT))
        if isinstance(content, bytes) and needle in content
    )
    return tuple(found["urn"] for found in candidates if found and _is_made_from(found, urn))


def _is_made_from(document: JsonObject, urn: str) -> bool:
    return any(edge["urn"] == urn for edge in document.get("lineage", {}).get("upstream", ()))

"""The upstream edges of one snapshot, as plain values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import orjson

from lumos_snap.canonical.paths import SUFFIX, path_of, urn_of
from lumos_snap.documents.limits import excess, loads
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.model.urn import parse_urn


class ColumnLink(NamedTuple):
    """A column and its upstream column; `source` is empty if it has none."""

    source: str
    target: str
    by: str = ""
    """The expression that computes it."""


class LineageLink(NamedTuple):
    """One edge between two datasets."""

    upstream: str
    consumer: str
    via: str = ""
    """The job that writes it."""
    columns: tuple[ColumnLink, ...] = ()
    """The column lineage; empty if only table lineage is known."""


class DatasetEdges(NamedTuple):
    """The edges of one snapshot: its dataset and the upstream datasets."""

    urn: str
    links: tuple[LineageLink, ...] = ()


class UnreadableSnapshot(NamedTuple):
    """A file that cannot be read as a snapshot, by its path below the folder of snapshots."""

    path: str


EdgesOrUnreadable: TypeAlias = DatasetEdges | UnreadableSnapshot

_CONTROL = re.compile("[\x00-\x1f]")
_URN = b'\n  "urn": '
_OPENING = b'\n  "lineage": {\n    "upstream": '
_CLOSING = b"\n    ]"
_LINEAGE = b'"lineage"'


def read(path: str, raw: bytes) -> EdgesOrUnreadable:
    """Read the edges of the file at a path below the folder of snapshots, in any layout."""
    found = parse_canonical(raw)
    if found is None:
        try:
            found = parse_edges(loads(raw))
        except orjson.JSONDecodeError:
            found = None
    return check_path(path, found)


def is_snapshot(path: str) -> bool:
    """Whether the file at a path below the folder of snapshots should be a snapshot."""
    return path.endswith(SUFFIX) and not (path.startswith(".") or "/." in path)


def check_path(path: str, found: DatasetEdges | None) -> EdgesOrUnreadable:
    """Accept the edges of a file only at its dataset's path, so that datasets are unique."""
    if found is None:
        return UnreadableSnapshot(path)
    try:
        return found if path_of(parse_urn(found.urn)) == path else UnreadableSnapshot(path)
    except LumosError:
        return UnreadableSnapshot(path)


def urn_at(path: str) -> str:
    """The dataset whose snapshot belongs at a path; empty if none does."""
    try:
        return str(urn_of(path))
    except LumosError:
        return ""


def parse_canonical(raw: bytes) -> DatasetEdges | None:
    """Read the edges from the lines of the canonical layout, without parsing the rest."""
    if excess(raw):
        return None
    at = raw.find(_URN, 0, 400)
    mentions = raw.count(_LINEAGE)
    if at < 0 or mentions > 1:
        return None
    start = at + len(_URN)
    opening = raw.find(_OPENING)
    if mentions and opening < 0:
        return None
    try:
        urn = orjson.loads(raw[start : raw.index(b",\n", start)])
        edges = _edges(raw, opening) if mentions else []
    except ValueError:
        return None
    return parse_edges({"urn": urn, "lineage": {"upstream": edges}})


def _edges(raw: bytes, opening: int) -> object:
    start = opening + len(_OPENING)
    return orjson.loads(raw[start : raw.index(_CLOSING, start) + len(_CLOSING)])


def parse_edges(document: object) -> DatasetEdges | None:
    """Read the edges of a parsed document; None if it has not the structure of a snapshot."""
    if not isinstance(document, Mapping) or not isinstance(document.get("urn"), str):
        return None
    lineage = document.get("lineage", {})
    edges = lineage.get("upstream", ()) if isinstance(lineage, Mapping) else None
    if not isinstance(edges, Sequence):
        return None
    try:
        return DatasetEdges(document["urn"], tuple(_links(document["urn"], edges)))
    except (AttributeError, KeyError, TypeError):
        return None


def _links(consumer: str, edges: Sequence[JsonObject]) -> Iterator[LineageLink]:
    for edge in edges:
        columns = [_column(one) for one in edge.get("columns", ())]
        yield LineageLink(_urn(edge["urn"]), consumer, _text(edge.get("via", "")), tuple(columns))


def _column(held: JsonObject) -> ColumnLink:
    return ColumnLink(
        _text(held.get("from", "")), _text(held["to"]), _text(held.get("transformation", ""))
    )


def _urn(held: object) -> str:
    urn = _text(held)
    if not urn.isprintable() and _CONTROL.search(urn):
        raise TypeError(f"{urn!r} is no urn")
    return urn


def _text(held: object) -> str:
    """Require a text: an unvalidated file may contain anything."""
    if not isinstance(held, str):
        raise TypeError(f"{held!r} is no text")
    return held

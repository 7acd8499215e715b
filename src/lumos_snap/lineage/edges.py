"""The upstream edges of snapshots, as plain values, and their index."""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from heapq import merge
from mmap import mmap
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


# The index of a tree's lineage: sorted lines, found by binary search.
#
#     lumos-lineage 1 TREE SUM\n          TREE: git's id of the folder of snapshots
#     URN\0\n                             a dataset of the tree
#     URN\0CONSUMER\0[VIA,[[FROM,TO,BY],…]]\n    an edge, sorted by its upstream
#     \0PATH\0\n                            an unreadable file: its lineage is unknown
#
# It depends on the contents of the tree alone, not on their order. It is used completely or not at
# all: an index with a wrong checksum, of another version or of another tree is ignored.


VERSION = 1
"""Increased whenever the lines, or what is read from snapshots, change."""

_MAGIC = f"lumos-lineage {VERSION} ".encode()
_BETWEEN = b"\0"
_SUM = 8
_LONGEST_HEAD = 128

IndexBytes: TypeAlias = bytes | mmap


class LineageIndex(NamedTuple):
    """An index in memory or in a mapped file; only the requested lines are read."""

    tree: str
    held: IndexBytes = b""
    start: int = 0

    def links_from(self, urn: str) -> Iterator[LineageLink]:
        """The edges from a dataset to its consumers, sorted."""
        for line in self._lines_of(urn):
            _, consumer, rest = line.split(_BETWEEN, 2)
            if consumer:
                yield _link(urn, consumer, rest)

    def knows(self, urn: str) -> bool:
        """Whether a dataset is in the tree."""
        return next(self._lines_of(urn), b"").endswith(_BETWEEN * 2)

    def broken(self) -> Iterator[str]:
        """The unreadable files."""
        for line in self._lines_of(""):
            _, path, _ = line.split(_BETWEEN, 2)
            yield path.decode("utf-8", "surrogateescape")

    def lines(self) -> Iterator[bytes]:
        """Every line."""
        at, held = self.start, self.held
        while (end := held.find(b"\n", at)) >= 0:
            yield held[at:end]
            at = end + 1

    def stated(self) -> Iterator[LineageLink | str]:
        """Every edge, and the urn of every dataset, sorted."""
        for line in self.lines():
            urn, consumer, rest = line.split(_BETWEEN, 2)
            if urn:
                yield _link(urn.decode(), consumer, rest) if consumer else urn.decode()

    def _lines_of(self, urn: str) -> Iterator[bytes]:
        wanted = urn.encode("utf-8", "surrogatepass") + _BETWEEN
        at, held = self._first(wanted), self.held
        while held[at : at + len(wanted)] == wanted:
            end = held.find(b"\n", at)
            yield held[at:end]
            at = end + 1

    def _first(self, wanted: bytes) -> int:
        """The position of the first line that is not less than a prefix."""
        held, low, high = self.held, self.start, len(self.held)
        while low < high:
            middle = (low + high) // 2
            line = max(held.rfind(b"\n", low, middle) + 1, low)
            if held[line : line + len(wanted)] < wanted:
                end = held.find(b"\n", middle)
                low = high if end < 0 else end + 1
            else:
                high = line
        return low


NO_INDEX = LineageIndex("")
"""The empty index."""


def _link(urn: str, consumer: bytes, rest: bytes) -> LineageLink:
    via, columns = orjson.loads(rest)
    return LineageLink(urn, consumer.decode(), via, tuple([ColumnLink(*one) for one in columns]))


def pack_index(tree: str, lines: Iterable[bytes]) -> bytes:
    """Serialize an index from sorted lines."""
    body = b"".join([line + b"\n" for line in lines])
    return _MAGIC + tree.encode() + b" %08x\n" % zlib.crc32(body) + body


def unpack_index(held: IndexBytes) -> LineageIndex | None:
    """Parse an index; None if it is invalid."""
    end = held.find(b"\n", 0, _LONGEST_HEAD)
    head = held[: max(end, 0)]
    if not head.startswith(_MAGIC):
        return None
    tree, _, said = head[len(_MAGIC) :].partition(b" ")
    with memoryview(held) as view:
        body = view[end + 1 :]
        is_whole = said == b"%08x" % zlib.crc32(body)
        body.release()
    return (
        LineageIndex(tree.decode("ascii", "replace"), held, end + 1) if is_whole and tree else None
    )


def lines_of(every: Iterable[EdgesOrUnreadable]) -> list[bytes]:
    """The lines of some snapshots, sorted and unique."""
    found: set[bytes] = set()
    for one in every:
        if isinstance(one, UnreadableSnapshot):
            found.add(_BETWEEN + _path(one.path) + _BETWEEN)
            continue
        urn = one.urn.encode()
        found.add(urn + _BETWEEN * 2)
        found.update(_line(urn, link) for link in one.links)
    return sorted(found)


def _line(consumer: bytes, link: LineageLink) -> bytes:
    columns = [list(one) for one in link.columns]
    return _BETWEEN.join((link.upstream.encode(), consumer, orjson.dumps([link.via, columns])))


def _path(path: str) -> bytes:
    """Encode a path for one line, even if it contains a line break."""
    return path.encode("utf-8", "surrogateescape").replace(b"\n", b"%0A")


def update_lines(
    index: LineageIndex, paths: Iterable[str], every: Iterable[EdgesOrUnreadable]
) -> Iterator[bytes]:
    """The lines of an index after the files at some paths have changed."""
    gone = {key for path in paths for key in (_path(path), urn_at(path).encode())}
    return merge(_remaining_lines(index, gone), lines_of(every))


def _remaining_lines(index: LineageIndex, gone: Set[bytes]) -> Iterator[bytes]:
    for line in index.lines():
        urn, consumer, _ = line.split(_BETWEEN, 2)
        if (consumer or urn) not in gone:
            yield line

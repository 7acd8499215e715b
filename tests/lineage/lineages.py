"""Small lineages to ask about: snapshots of a few words, and whole ones that Hypothesis draws."""

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.lineage import DatasetEdges, Graph, graph_of
from lumos_snap.lineage.edges import ColumnLink, LineageLink
from lumos_snap.model.snapshot import Snapshot

NAMES = tuple("abcdefg")
COLUMNS = ("x", "y", "z", "p.q")


def urn(name: str) -> str:
    return name if name.startswith("lumos://") else f"lumos://s3/lake/{name}"


def path(name: str) -> str:
    """Below the folder of snapshots."""
    return SNAPSHOT.path(urn(name)).removeprefix("snapshots/")


def edge(upstream: str, *columns: str, via: str = "", by: str = "") -> dict[str, Any]:
    """`x>y` makes column y from column x."""
    found: dict[str, Any] = {"urn": urn(upstream)}
    if via:
        found["via"] = via
    pairs = (one.split(">") for one in columns)
    made = [{"from": a, "to": b} | ({"transformation": by} if by else {}) for a, b in pairs]
    return found | ({"columns": made} if made else {})


def document(name: str, *edges: dict[str, Any], **more: Any) -> dict[str, Any]:
    fields = [{"name": one, "type": "INT64", "nullable": True} for one in ("x", "y", "z")]
    found: dict[str, Any] = {
        "lumos_version": "1.0.0",
        "urn": urn(name),
        "name": urn(name).rpartition("/")[2],
        "platform": "s3",
        "storage": {"format": "parquet", "location": f"s3://lake/{name}"},
        "schema": {"fields": fields},
    }
    if edges:
        found["lineage"] = {"upstream": list(edges)}
    return found | more


def content(name: str, *edges: dict[str, Any], **more: Any) -> bytes:
    return encode_document(document(name, *edges, **more), Snapshot)


def graph(**upstream: str) -> Graph:
    """`graph(b="a x>y", c="b y>z; a")`: b is made from a, column by column, and c from both."""
    return graph_of({path(one.urn): one for one in stated(upstream)})


def stated(upstream: Mapping[str, str]) -> Iterable[DatasetEdges]:
    names = dict.fromkeys(upstream, "")
    for said in upstream.values():
        names |= {one.split()[0]: "" for one in said.split(";") if one.strip()}
    for name in names:
        links = []
        for said in filter(str.strip, upstream.get(name, "").split(";")):
            source, *pairs = said.split()
            columns = tuple(ColumnLink(*pair.split(">")) for pair in pairs)
            links.append(LineageLink(urn(source), urn(name), f"job_{name}", columns))
        yield DatasetEdges(urn(name), tuple(links))


_columns = st.builds(
    ColumnLink, st.sampled_from(("", *COLUMNS)), st.sampled_from(COLUMNS), st.text(max_size=3)
)
_edges = st.tuples(
    st.sampled_from((*NAMES, "nowhere")),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    st.lists(_columns, max_size=3).map(tuple),
)


@st.composite
def said(draw: st.DrawFn) -> dict[str, DatasetEdges]:
    """What the snapshots of a small tree say, by path: with circles, self edges, dangling ones."""
    found = {}
    for name in draw(st.sets(st.sampled_from(NAMES))):
        edges = draw(st.lists(_edges, max_size=4))
        links = tuple(LineageLink(urn(up), urn(name), via, columns) for up, via, columns in edges)
        found[path(name)] = DatasetEdges(urn(name), links)
    return found

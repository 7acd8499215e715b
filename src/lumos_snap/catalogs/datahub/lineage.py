"""Lineage ↔ `upstreamLineage`: one upstream for each dataset, one row for each pair of columns.

DataHub has one edge between two datasets. We may have several, by origin and job: they are stored
in the `properties` of the upstream, and are used as far as the other fields are unchanged.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from lumos_snap.catalogs.datahub.aspect import (
    NO_STAMP,
    Aspect,
    Codec,
    Document,
    Home,
    Scope,
    drop_none,
    get_list,
    within,
)
from lumos_snap.catalogs.datahub.field_paths import to_v1
from lumos_snap.catalogs.datahub.urns import field_urn, fits, of_field_urn
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import parse_path
from lumos_snap.model.lineage import Edge
from lumos_snap.schema.fast_check import fits as has_structure

EDGES = "lumos.edges"
_TYPES = {"TRANSFORMED": "TRANSFORMED", "COPIED": "COPY", "VIEW": "VIEW"}
_OUR_TYPES = {there: here for here, there in _TYPES.items()}

_Pair = tuple[str | None, str]  # the urns of an upstream column, if any, and of our column
_Pairs = dict[_Pair, Aspect]


def _lineage(document: Document, scope: Scope) -> Aspect | None:
    by_dataset = _by_dataset(document.get("lineage", {}).get("upstream", ()), scope)
    if not by_dataset:
        return None
    pairs: _Pairs = {}
    for dataset, edges in by_dataset.items():
        pairs = {**_pairs(dataset, edges, scope), **pairs}
    upstreams = [_upstream(dataset, edges) for dataset, edges in by_dataset.items()]
    rows = [pairs[pair] for pair in sorted(pairs, key=lambda pair: (pair[1], pair[0] or ""))]
    return drop_none(upstreams=upstreams, fineGrainedLineages=rows or None)


def _by_dataset(edges: Sequence[Document], scope: Scope) -> dict[str, list[Document]]:
    """The edges by upstream dataset, without datasets whose urns are too long."""
    found: dict[str, list[Document]] = {}
    for edge in edges:
        dataset = scope.identity.dataset(edge["urn"])
        if fits(dataset):
            rest = {name: one for name, one in edge.items() if name != "urn"}
            found.setdefault(dataset, []).append(rest)
    return found


def _upstream(dataset: str, edges: Sequence[Document]) -> Aspect:
    return {
        "auditStamp": dict(NO_STAMP),
        "dataset": dataset,
        "type": _type(edges),
        "properties": {EDGES: orjson.dumps(edges).decode()},
    }


def is_marked(upstream: JsonObject) -> bool:
    """Whether we wrote an upstream."""
    properties = upstream.get("properties")
    return isinstance(properties, Mapping) and EDGES in properties


def _type(edges: Sequence[Document]) -> str:
    return _TYPES[edges[0].get("type", "TRANSFORMED")]


def _pairs(dataset: str, edges: Sequence[Document], scope: Scope) -> _Pairs:
    """The rows of all columns of the edges from one dataset, if urns can name both ends."""
    found: _Pairs = {}
    for edge in edges:
        for one in edge.get("columns", ()):
            pair = _pair(dataset, one, scope)
            if pair is not None:
                found.setdefault(pair, _row(pair, one))
    return found


def _pair(dataset: str, column: Document, scope: Scope) -> _Pair | None:
    source = to_v1(parse_path(column["from"])) if "from" in column else None
    target = scope.field(column["to"])
    urn = None if source is None else field_urn(dataset, source)
    ours = field_urn(scope.urn, target)
    is_named = bool(target) and source != "" and fits(ours) and fits(urn or "")
    return (urn, ours) if is_named else None


def _row(pair: _Pair, column: Document) -> Aspect:
    source, target = pair
    return drop_none(
        upstreamType="NONE" if source is None else "FIELD_SET",
        upstreams=None if source is None else [source],
        downstreamType="FIELD",
        downstreams=[target],
        transformOperation=column.get("transformation"),
        confidenceScore=min(max(float(column.get("confidence", 1)), 0.0), 1.0),
    )


def _our_lineage(aspect: Aspect, scope: Scope) -> Document:
    rows = dict(_their_rows(aspect))
    found: list[Document] = []
    for upstream in get_list(aspect, "upstreams"):
        dataset = upstream["dataset"]
        edges = _read_own_edges(upstream)
        if _type(edges) != upstream.get("type", _type(edges)):
            edges[0]["type"] = _OUR_TYPES.get(upstream["type"], "TRANSFORMED")
        _correct(edges, dataset, rows, scope)
        urn = scope.identity.of_dataset(dataset)
        found += [{"urn": urn, **edge} for edge in edges]
    distinct = {tuple(one.get(name) for name in ("urn", "origin", "via")): one for one in found}
    return within("lineage", "upstream", value=list(distinct.values()))


def _read_own_edges(upstream: JsonObject) -> list[dict[str, Any]]:
    """The edges that we wrote for an upstream; if none, one edge with its type."""
    try:
        edges = orjson.loads((upstream.get("properties") or {}).get(EDGES) or "[]")
    except orjson.JSONDecodeError:
        edges = []
    is_list = isinstance(edges, list) and all(isinstance(edge, dict) for edge in edges)
    if is_list and all(has_structure({"urn": "lumos://a/b", **edge}, Edge) for edge in edges):
        return edges or [_plain(upstream)]
    return [_plain(upstream)]


def _plain(upstream: JsonObject) -> dict[str, object]:
    return {"type": _OUR_TYPES.get(upstream.get("type", ""), "TRANSFORMED")}


def _their_rows(aspect: Aspect) -> Iterator[tuple[_Pair, Aspect]]:
    for row in get_list(aspect, "fineGrainedLineages"):
        for target in row.get("downstreams") or ():
            for source in row.get("upstreams") or (None,):
                yield (source, target), row


def _correct(edges: list[dict[str, Any]], dataset: str, rows: _Pairs, scope: Scope) -> None:
    """Align the columns of the edges from one dataset with those in the catalog."""
    wrote = _pairs(dataset, edges, scope)
    for edge in edges:
        kept = [_as_shown(one, dataset, wrote, rows, scope) for one in edge.get("columns", ())]
        edge.pop("columns", None)
        if columns := [one for one in kept if one is not None]:
            edge["columns"] = columns
    for pair, row in rows.items():
        if pair not in wrote and pair[0] is not None:
            column = _our_column(pair, row, dataset, scope)
            if column is not None:
                edges[0].setdefault("columns", []).append(column)


def _as_shown(
    column: Document, dataset: str, wrote: _Pairs, rows: _Pairs, scope: Scope
) -> Document | None:
    pair = _pair(dataset, column, scope)
    if pair is None:
        return column
    if pair not in rows:
        return None
    if _says(rows[pair]) == _says(wrote[pair]):
        return column
    ends: Document = {name: column[name] for name in ("from", "to") if name in column}
    return {**ends, **_details(rows[pair])}


def _says(row: JsonObject) -> tuple[object, ...]:
    # The server stores the score as a 32-bit float.
    return row.get("transformOperation") or None, round(row.get("confidenceScore", 1.0), 5)


def _details(row: JsonObject) -> Document:
    operation, score = _says(row)
    return drop_none(
        transformation=operation,
        confidence=None if score == 1 else f"{score:f}".rstrip("0").rstrip("."),
    )


def _our_column(pair: _Pair, row: JsonObject, dataset: str, scope: Scope) -> Document | None:
    source, target = of_field_urn(pair[0] or ""), of_field_urn(pair[1])
    if source is None or target is None or source[0] != dataset or target[0] != scope.urn:
        return None
    ends: Document = {"from": scope.our_field(source[1]), "to": scope.our_field(target[1])}
    return {**ends, **_details(row)}


LINEAGE = Codec(
    "upstreamLineage",
    (
        Home("lineage.upstream[].urn", "upstreams[].dataset"),
        Home("lineage.upstream[].type", "upstreams[].type", "the first one, if there are several"),
        *(
            Home(f"lineage.upstream[].{name}", f"upstreams[].properties[{EDGES}]")
            for name in ("via", "origin", "confidence", "share", "description")
        ),
        Home("lineage.upstream[].columns[].from", "fineGrainedLineages[].upstreams[0]"),
        Home("lineage.upstream[].columns[].to", "fineGrainedLineages[].downstreams[0]"),
        Home(
            "lineage.upstream[].columns[].transformation",
            "fineGrainedLineages[].transformOperation",
        ),
        Home(
            "lineage.upstream[].columns[].confidence",
            "fineGrainedLineages[].confidenceScore",
            f"exactly in `{EDGES}`",
        ),
    ),
    _lineage,
    _our_lineage,
)

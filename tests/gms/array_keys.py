"""Arrays as maps and back: how DataHub's patches name an item of an array by its keys.

`{"tags": [{"tag": "urn:li:tag:a"}]}` is patched as `{"tags": {"urn:li:tag:a": {...}}}`. A key may
lie deeper in an item: `attribution␟source`; an item without it stands under "".
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = Any
Keys = Mapping[str, Sequence[str]]
"""By the place of an array, the keys of its items; none where the items are plain text."""

SEPARATOR = "\u241f"
EDGES = "fineGrainedLineages"
_NONE = "NONE"


def as_map(items: Sequence[Json], keys: Sequence[str]) -> dict[str, Json]:
    """An array as maps in maps, one level for each key."""
    found: dict[str, Json] = {}
    for item in items:
        *outer, last = [_key(item, key) for key in keys] or [str(item)]
        inside = found
        for key in outer:
            inside = inside.setdefault(key, {})
        inside[last] = item
    return found


def as_array(found: Json, keys: Sequence[str]) -> list[Json]:
    """The array that maps in maps stand for; what was set as an array stays as it is."""
    return found if isinstance(found, list) else list(_leaves(found, max(len(keys), 1)))


def _leaves(found: Json, depth: int) -> Iterator[Json]:
    if depth == 0:
        yield found
    elif isinstance(found, dict):
        for inner in found.values():
            yield from _leaves(inner, depth - 1)


def _key(item: Json, key: str) -> str:
    for part in key.split(SEPARATOR):
        item = item.get(part) if isinstance(item, dict) else None
    return "" if item is None else str(item)


def edges_as_map(edges: Sequence[Json]) -> dict[str, Json]:
    """Edges between columns: by operation, downstream, query and upstream."""
    found: dict[str, Json] = {}
    for edge in edges:
        operation, query = edge.get("transformOperation", _NONE), edge.get("query", _NONE)
        for down in edge.get("downstreams", ()):
            under = found.setdefault(operation, {}).setdefault(down, {}).setdefault(query, {})
            for up in edge.get("upstreams", ()):
                under[up] = {"confidenceScore": edge.get("confidenceScore", 1.0)}
    return found


def edges_as_array(found: Json) -> list[Json]:
    """Edges with one downstream each, and all upstreams of it."""
    if isinstance(found, list):
        return found
    return [
        _edge(operation, down, query, ups)
        for operation, downs in found.items()
        for down, queries in downs.items()
        for query, ups in queries.items()
        if ups
    ]


def _edge(operation: str, down: str, query: str, ups: Mapping[str, Json]) -> dict[str, Json]:
    named = {"transformOperation": operation, "query": query}
    return {
        "upstreamType": "FIELD_SET",
        "upstreams": list(ups),
        "downstreamType": "FIELD",
        "downstreams": [down],
        "confidenceScore": min(one.get("confidenceScore", 1.0) for one in ups.values()),
        **{name: one for name, one in named.items() if one != _NONE},
    }

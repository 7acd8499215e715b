"""The floor of asking the index of lineage: reading it, and parsing what stands on its lines."""

import sys

import orjson

upstream: dict[bytes, list[object]] = {}
with open(sys.argv[1], "rb") as file:  # noqa: PTH123 - the floor is bare
    next(file)
    for line in file:
        urn, consumer, rest = line.split(b"\0")
        if consumer and urn:
            upstream.setdefault(urn, []).append((consumer, orjson.loads(rest)))
print(len(upstream))

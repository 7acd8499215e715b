"""Two snapshots of 2,000 columns with 50 changes between them, parsed and compared, many times."""

import copy
import sys
from typing import Any

import orjson

from benchmarks import lake
from lumos_snap.canonical.encode import encode_document
from lumos_snap.diff import diff
from lumos_snap.model.snapshot import Snapshot

COLUMNS, CHANGES, TIMES = 2_000, 50, 40


def sides() -> tuple[bytes, bytes]:
    """Both sides: columns renamed, removed, retyped and made nullable."""
    old: dict[str, Any] = lake.document(1, columns=COLUMNS)
    new = copy.deepcopy(old)
    fields = new["schema"]["fields"]
    for number, place in enumerate(range(0, COLUMNS, COLUMNS // CHANGES)):
        field = fields[place]
        if number % 3 == 0:
            field["nullable"] = not field["nullable"]
        elif number % 3 == 1:
            fields[place] = {"name": field["name"], "type": "BINARY", "nullable": True}
        else:
            field["name"] = f"renamed_{number}"
    return encode_document(old, Snapshot), encode_document(new, Snapshot)


before, after = sides()
for _ in range(TIMES):
    one, other = orjson.loads(before), orjson.loads(after)
    if "--floor" not in sys.argv:
        assert len(diff(one, other)) >= CHANGES

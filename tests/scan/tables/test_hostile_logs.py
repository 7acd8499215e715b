"""Whatever JSON stands in a log, a table is described by a sound snapshot, or refused."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.scan.stores.store import BadFileError
from tests.scan.tables.delta.delta_tables import add, column, lines, metadata, protocol, struct
from tests.scan.tables.delta.test_delta_columns import MAPPED
from tests.scan.tables.hudi.hudi_tables import TRIPS, data_file, stated, table
from tests.scan.tables.iceberg.iceberg_tables import current, field, held, stored, view
from tests.scan.tables.lake import described

pytestmark = pytest.mark.slow

ARRAY = {"type": "array", "elementType": struct(column("x")), "containsNull": True}
DOMAIN = {
    "domain": "delta.clustering",
    "configuration": json.dumps({"clusteringColumns": [["col-2"], ["s", "in"]]}),
    "removed": False,
}
DELTA: list[Any] = [
    protocol(3, 7, reader=["columnMapping"], writer=["columnMapping"]),
    metadata(
        *MAPPED,
        column("a", ARRAY, **{"delta.invariants": '{"expression":{"expression":"1"}}'}),
        partitioning=["name"],
        configuration={"delta.columnMapping.mode": "id", "delta.constraints.c": "1 > 0"},
        name="n",
        description="d",
    ),
    add("f", 1, 2),
    {"domainMetadata": DOMAIN},
]
PARTS = [
    {"name": "a_bucket", "transform": "bucket[4]", "source-id": 1, "field-id": 1000},
    {"name": "b", "transform": "identity", "source-id": 2, "field-id": 1001},
]
KEYS = [{"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-last"}]
INSIDE = {"type": "list", "element-id": 4, "element": "string", "element-required": False}
ICEBERG = held(
    version=3,
    schemas=[
        {
            "type": "struct",
            "schema-id": 0,
            "identifier-field-ids": [1],
            "fields": [
                field(1, "a", required=True, doc="d", **{"initial-default": 1}),
                field(2, "b", "decimal(4,2)"),
                field(3, "c", INSIDE),
            ],
        }
    ],
    refs={"main": {"type": "branch"}, "t": {"type": "tag"}},
    properties={"write.format.default": "parquet", "comment": "c"},
    **{
        "partition-specs": [{"spec-id": 0, "fields": PARTS}],
        "sort-orders": [{"order-id": 0, "fields": KEYS}],
        **current(**{"total-records": "1", "total-data-files": "1", "total-files-size": "1"}),
    },
)
VIEW = view(field(1, "a", doc="d"), table={"namespace": ["n"], "name": "t"})
HUDI: Any = stated(TRIPS)


def delta(folder: Path, content: Any) -> None:
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log" / f"{0:020}.json").write_bytes(lines(*content))


def iceberg(folder: Path, content: Any) -> None:
    stored(folder, content)


def hudi(folder: Path, content: Any) -> None:
    table(folder)
    (folder / ".hoodie" / "20260101000000000.commit").write_text(json.dumps(content))


def hudi_files(folder: Path, content: Any) -> None:
    hudi(folder, content)
    data_file(folder, "dt=a/f.parquet", "id")


MADE: Mapping[str, tuple[Callable[[Path, Any], None], Any]] = {
    "delta": (delta, DELTA),
    "iceberg": (iceberg, ICEBERG),
    "iceberg view": (iceberg, VIEW),
    "hudi": (hudi, HUDI),
    "hudi without a schema": (hudi_files, stated(None)),
}
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2**70), st.floats(allow_nan=False),
    st.text(max_size=4),
    st.sampled_from(
        ("struct", "list", "array", "map", "long", "udt", "identity", "truncate", "void", "a", "b",
         "name", "id", "\x00", "\ud800", "fixed[99999999999]", "decimal(9999,1)", "char(0)", "1")
    ),
)  # fmt: skip
ANYTHING = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=3),
    st.dictionaries(st.sampled_from(("type", "fields", "name", "id", "")), SCALARS, max_size=3),
)


def places(tree: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything in a document."""
    if at:
        yield at
    if isinstance(tree, dict | list):
        inside = tree.items() if isinstance(tree, dict) else enumerate(tree)
        for name, one in inside:
            yield from places(one, (*at, name))


IN_TEXT = {"schemaString", "configuration", "schema"}


def unpacked(tree: Any) -> Any:
    """JSON inside JSON as what it stands for."""
    if isinstance(tree, dict):
        return {
            name: {"JSON": unpacked(json.loads(one))}
            if name in IN_TEXT and isinstance(one, str)
            else unpacked(one)
            for name, one in tree.items()
        }
    return [unpacked(one) for one in tree] if isinstance(tree, list) else tree


def packed(tree: Any) -> Any:
    """And back."""
    if isinstance(tree, dict):
        if tree.keys() == {"JSON"}:
            return json.dumps(packed(tree["JSON"]))
        return {name: packed(one) for name, one in tree.items()}
    return [packed(one) for one in tree] if isinstance(tree, list) else tree


@settings(deadline=None, max_examples=600)
@given(data=st.data())
@pytest.mark.parametrize("kind", MADE)
def test_other_json_in_a_log_is_described_or_refused(
    kind: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    write, sound = MADE[kind]
    tree = copy.deepcopy(unpacked(sound))
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(sorted(places(tree), key=str)))
        holder = tree
        for step in way:
            holder = holder[step]
        if data.draw(st.booleans()) and isinstance(holder, dict):
            del holder[last]
        else:
            holder[last] = data.draw(ANYTHING)
        if not tree:
            break
    folder = tmp_path_factory.mktemp("table")
    write(folder, packed(tree))
    with suppress(BadFileError):
        described(folder)

"""Many schemas become one, whatever the order and however the work was split."""

import itertools
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import lumos_snap
from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.read import read
from lumos_snap.model import Field, Schema, Snapshot, Storage
from lumos_snap.model.types import Kind
from lumos_snap.scan.dataset import Evidence
from lumos_snap.scan.description import describe_dataset
from lumos_snap.scan.schemas.union import union_schemas
from tests.strategies import LAW, SMALL
from tests.strategies.types import types

_names = st.sampled_from(["a", "b", "c", "d"])


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """A schema whose columns often are those of another one."""
    names = draw(st.lists(_names, max_size=4, unique=True))
    ids = draw(st.sampled_from([None, 1]))
    fields = [
        replace(draw(types(Field, 2)), name=name, id=None if ids is None else number)
        for number, name in enumerate(names)
    ]
    return Schema(fields=tuple(fields), inferred=draw(st.booleans()))


several = st.lists(schemas(), min_size=1, max_size=4)


def _alike(schemas: list[Schema]) -> list[Schema]:
    """A dataset's files are all guessed or all declared."""
    return [replace(one, inferred=schemas[0].inferred) for one in schemas]


@LAW
@given(several, st.randoms(use_true_random=False))
def test_no_order_changes_the_result(schemas: list[Schema], random: Any) -> None:
    listed = _alike(schemas)
    shuffled = random.sample(listed, len(listed))
    assert union_schemas(shuffled).schema == union_schemas(listed).schema


@LAW
@given(several)
def test_what_was_said_twice_counts_once(schemas: list[Schema]) -> None:
    listed = _alike(schemas)
    assert union_schemas([*listed, *listed]).schema.fields == union_schemas(listed).schema.fields


@LAW
@given(several)
def test_the_union_makes_a_valid_snapshot(schemas: list[Schema]) -> None:
    listed = [replace(one, fields=_without_references(one)) for one in _alike(schemas)]
    snapshot = Snapshot(
        lumos_version=FORMAT_VERSION,
        urn="lumos://file/lake/x",
        name="x",
        platform="file",
        schema=union_schemas(listed).schema,
        storage=Storage(format="parquet"),  # as of files: they may have two columns of one name
    )
    problems = read(lumos_snap.encode(snapshot), Snapshot).problems
    assert [one.message for one in problems] == []


def _without_references(schema: Schema) -> tuple[Field, ...]:
    return tuple(one for one in schema.fields if one.type is not Kind.REF)


@LAW
@given(several)
def test_no_column_is_lost_and_none_is_more_certain_than_its_files(schemas: list[Schema]) -> None:
    listed = _alike(schemas)
    found = {one.name: one for one in union_schemas(listed).schema.fields}
    if all(one.id is None for schema in listed for one in schema.fields):
        for schema, one in ((s, f) for s in listed for f in s.fields):
            assert found[one.name].nullable or not one.nullable
            lacking = any(one.name not in {f.name for f in other.fields} for other in listed)
            assert found[one.name].nullable or not lacking, schema


_LINES = [
    {
        "format": "avro",
        "schema": schema,
        "files": 1,
        "rows": None,
        "versions": [],
        "codecs": [codec],
    }
    for schema, codec in (
        ('{"type":"record","name":"r","fields":[{"name":"a","type":"int"}]}', "null"),
        ('{"type":"record","name":"r","fields":[{"name":"a","type":"long"}]}', "null"),
        ('{"type":"record","name":"r","fields":[{"name":"b","type":"string"}]}', "deflate"),
    )
]


@SMALL
@given(st.lists(st.sampled_from(_LINES), min_size=1, max_size=8), st.data())
def test_no_split_of_the_work_changes_the_description(
    lines: list[dict[str, Any]], data: st.DataObject
) -> None:
    numbered = [{**line, "examples": [f"f{n}"]} for n, line in enumerate(lines)]
    whole, dealt = Evidence(), Evidence()
    for key, some in itertools.groupby(sorted(numbered, key=_said), key=_said):
        files = list(some)
        whole.add(
            {
                **files[0],
                "files": len(files),
                "examples": sorted(f["examples"][0] for f in files)[:3],
            }
        )
        assert key == _said(files[0])
    for line in data.draw(st.permutations(numbered)):
        dealt.add(line)
    assert describe_dataset(whole) == describe_dataset(dealt)


def _said(line: dict[str, Any]) -> str:
    return str(line["schema"])

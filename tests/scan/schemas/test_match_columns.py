"""Which columns of several files are one, in which order they stand, and which ids they keep."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lumos_snap.model import Field, Schema
from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.types import Kind
from lumos_snap.scan.schemas.union import SchemaUnion, union_schemas
from tests.scan.schemas.unions import columns, schema, spoken
from tests.strategies import SMALL


@pytest.mark.parametrize(
    ("listings", "expected"),
    [
        ([("a", "b"), ("a", "b", "c")], ["a", "b", "c"]),
        ([("a", "c", "d"), ("a", "b", "c")], ["a", "b", "c", "d"]),
        ([("b",), ("a", "c")], ["b", "a", "c"]),
        ([("b", "z", "y"), ("x", "b")], ["x", "b", "z", "y"]),
        ([("a", "A"), ("A",)], ["a", "A"]),
        ([("a", "a"), ("a",)], ["a", "a"]),
    ],
)
def test_columns_keep_the_order_of_the_widest(
    listings: list[tuple[str, ...]], expected: list[str]
) -> None:
    found = union_schemas([columns(*names) for names in listings]).schema.fields
    assert [one.name for one in found] == expected


def test_with_a_leading_schema_its_order_stays() -> None:
    found = union_schemas([columns("b", "a"), columns("a", "b", "c")], leading=True)
    assert [one.name for one in found.schema.fields] == ["b", "c", "a"]
    assert found.order == (0, 1)


def test_a_column_that_some_files_lack_is_nullable_and_named() -> None:
    found = union_schemas([columns("a", "b"), columns("a")])
    assert [one.nullable for one in found.schema.fields] == [False, True]
    assert found.lacking == {(1,): ("b",)}
    assert found.disagreements == ()


def test_columns_that_the_same_files_lack_are_named_together() -> None:
    inner = schema("STRUCT<a: INT8, b: INT8>").fields
    wide = columns("a", "b", "c", "d")
    listed = [
        replace(wide, fields=(*wide.fields, *inner)),
        columns("a", "b"),
        columns("a", "d"),
        replace(wide, fields=(*wide.fields, *schema("STRUCT<a: INT8>").fields)),
    ]
    assert union_schemas(listed).lacking == {
        (2,): ("b",),
        (1, 2): ("c", "x"),
        (1,): ("d",),
        (3,): ("x.b",),
    }


IDS = [
    # (what each file has by id, what the union has, the paths whose ids contradict each other)
    ([{1: "a", 2: "b"}, {1: "a", 2: "b", 3: "c"}], {"a": 1, "b": 2, "c": 3}, []),
    ([{1: "a", 2: "b"}, {1: "a", 2: "renamed"}], {"a": 1, "b": 2}, []),
    ([{1: "a"}, {2: "a"}], {"a": None}, ["a"]),
    ([{1: "a", 2: "b"}, {1: "b", 2: "a"}], {"a": None, "b": None}, ["a", "b"]),
    (
        [{1: "a", 2: "b"}, {1: "a", 2: "x", 3: "b"}],
        {"a": 1, "x": None, "b": None},
        ["x", "b"],
    ),
    ([{1: "a", 2: "b"}, {1: "b", 3: "a"}], {"a": None, "b": None}, ["a", "b"]),
    ([{1: "a"}, {None: "a"}], {"a": None}, []),
    ([{1: "a", None: "b"}, {1: "c"}], {"a": None, "b": None, "c": None}, ["a", "c"]),
    ([{1: "a", None: "b"}, {1: "a"}], {"a": 1, "b": None}, []),
]


@pytest.mark.parametrize(("files", "expected", "renumbered"), IDS)
def test_ids_are_kept_where_files_do_not_contradict_each_other(
    files: list[dict[int | None, str]], expected: dict[str, int | None], renumbered: list[str]
) -> None:
    found = union_schemas([columns(*one.values(), ids=tuple(one)) for one in files])
    assert {one.name: one.id for one in found.schema.fields} == expected
    assert sorted(found.renumbered) == sorted(renumbered)


def test_a_name_that_stands_twice_in_a_file_is_known_by_its_ids() -> None:
    found = union_schemas([columns("a", "a", ids=(1, 2)), columns("a", "a", "b", ids=(1, 2, 3))])
    assert [(one.name, one.id) for one in found.schema.fields] == [("a", 1), ("a", 2), ("b", 3)]


def test_a_column_that_was_renamed_is_told_with_both_names() -> None:
    old, new = columns("a", "b", ids=(1, 2)), columns("a", "renamed", "c", ids=(1, 2, 3))
    found = union_schemas([old, new])
    assert [one.name for one in found.schema.fields] == ["a", "renamed", "c"]
    assert spoken(found) == {"renamed": ["called b", "called renamed"]}
    assert found.disagreements[0].became is None
    assert found.lacking == {(0,): ("c",)}


def test_ids_of_members_are_judged_level_by_level() -> None:
    def nested(*ids: int) -> Schema:
        inner = columns("a", "b", ids=ids).fields
        return Schema(
            fields=(Field(name="s", nullable=True, type=Kind.STRUCT, fields=inner, id=1),)
        )

    found = union_schemas([nested(1, 2), nested(2, 1)])
    assert [one.id for _, one in walk(found.schema.fields) if isinstance(one, Field)] == [
        1, None, None,
    ]  # fmt: skip
    assert found.renumbered == ("s.a", "s.b")


def test_the_number_of_a_name_is_that_in_the_union() -> None:
    texts = schema("STRING", name="a").fields
    wide = columns("a", "b")
    found = union_schemas([replace(wide, fields=(*wide.fields, *texts)), columns("a", "a")])
    assert spoken(found) == {"a#2": ["INT64", "STRING"]}


_names = st.sampled_from("abc")
_ids = st.one_of(st.none(), st.integers(1, 4))


@st.composite
def _fields(draw: st.DrawFn, depth: int = 1) -> tuple[Field, ...]:
    names = draw(st.lists(_names, max_size=4))
    ids = draw(
        st.one_of(
            st.permutations(range(1, 5)),
            st.just(range(1, 5)),
            st.just((None,) * 4),
            st.lists(_ids, min_size=4, max_size=4),
        )
    )
    return tuple(
        draw(_field(name, number, depth)) for name, number in zip(names, ids, strict=False)
    )


@st.composite
def _field(draw: st.DrawFn, name: str, number: int | None, depth: int) -> Field:
    given: dict[str, Any] = {"type": Kind.INT64}
    if depth and draw(st.booleans()):
        given = {"type": Kind.STRUCT, "fields": draw(_fields(depth - 1))}
    return Field(name=name, nullable=False, id=number, **given)


_schemas = st.lists(_fields().map(lambda fields: Schema(fields=fields)), min_size=2, max_size=4)


@SMALL
@given(_schemas)
def test_no_id_stands_twice_and_no_name_more_often_than_in_a_file(listed: list[Schema]) -> None:
    assume(any(one != listed[0] for one in listed))
    found = union_schemas(listed)
    often: dict[str, int] = {}
    for one in listed:
        for level in _levels("", one.fields):
            for (path, name), number in Counter((level[0], f.name) for f in level[1]).items():
                often[f"{path}/{name}"] = max(number, often.get(f"{path}/{name}", 0))
    for path, fields in _levels("", found.schema.fields):
        ids = [one.id for one in fields if one.id is not None]
        assert len(set(ids)) == len(ids)
        if not path or not _renamed(found):
            for name, number in Counter(one.name for one in fields).items():
                assert number <= often[f"{path}/{name}"]


def _levels(path: str, fields: Sequence[Field]) -> Iterator[tuple[str, Sequence[Field]]]:
    """Every struct, by the names on the way to it: those of one name are not told apart."""
    yield path, fields
    for one in fields:
        if one.type is Kind.STRUCT:
            yield from _levels(f"{path}/{one.name}", one.fields)


def _renamed(found: SchemaUnion) -> bool:
    return any(
        opinion.says.startswith("called ")
        for one in found.disagreements
        for opinion in one.opinions
    )


@SMALL
@given(_schemas)
def test_what_is_noticed_names_columns_of_the_union(listed: list[Schema]) -> None:
    found = union_schemas(listed)
    paths = {format_path(path) for path, _ in walk(found.schema.fields)}
    assert {one.path for one in found.disagreements} <= paths
    assert set(found.renumbered) <= paths
    lacking = [path for some in found.lacking.values() for path in some]
    assert set(lacking) <= paths
    assert len(set(lacking)) == len(lacking)
    assert len(set(found.renumbered)) == len(found.renumbered)


@SMALL
@given(_schemas, st.randoms(use_true_random=False))
def test_ids_are_the_same_in_any_order(listed: list[Schema], random: Any) -> None:
    shuffled = random.sample(listed, len(listed))
    assert union_schemas(shuffled).schema == union_schemas(listed).schema
    assert sorted(union_schemas(shuffled).renumbered) == sorted(union_schemas(listed).renumbered)

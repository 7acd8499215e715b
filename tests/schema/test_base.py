"""Stored values: sets in order, empty is absent, nothing unknown."""

import json
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model.contract import Schedule, Sla
from lumos_snap.model.curated_metadata import Governance, Link, Owner, Ownership
from lumos_snap.model.entities import Job
from lumos_snap.model.lineage import Edge, Lineage
from lumos_snap.model.snapshot import Partition, Schema, Snapshot, Storage, UniqueKey
from lumos_snap.model.types import DataType, Element, Field, Kind, MapKey, Unit
from lumos_snap.schema import Holds, document_of, keys_of, sortable
from tests.strategies import LAW
from tests.strategies.documents import STORED, documents, stored_classes

EVERY_CLASS = sorted({inner for cls in STORED for inner in stored_classes(cls)}, key=str)


def test_a_set_stands_in_order_however_it_was_given():
    assert Governance(tags=("b", "a")).tags == ("a", "b")
    assert Governance(tags=("b", "a")) == Governance(tags=("a", "b"))
    assert Field(name="f", type=Kind.DATE, nullable=True, aliases=("z", "a")).aliases == ("a", "z")


def test_a_set_of_objects_stands_in_the_order_of_its_keys():
    edges = [Edge(urn="lumos://s3/b"), Edge(urn="lumos://s3/a", via="j"), Edge(urn="lumos://s3/a")]
    assert Lineage(upstream=tuple(edges)).upstream == (edges[2], edges[1], edges[0])
    owners = [Owner(user="a"), Owner(group="z"), Owner(user="a", type="STEWARD")]
    assert Ownership(owners=tuple(owners)).owners == (owners[1], owners[0], owners[2])


def test_a_set_is_ordered_by_lists_item_by_item():
    keys = [UniqueKey(columns=columns) for columns in (("b",), ("a", "b"), ("a",), ("a\0",))]
    assert [key.columns for key in Schema(unique=tuple(keys)).unique] == [
        ("a",), ("a", "b"), ("a\0",), ("b",),
    ]  # fmt: skip


def test_a_sequence_keeps_its_order():
    schema = Schema(primary_key=("b", "a"))
    assert schema.primary_key == ("b", "a")


@pytest.mark.parametrize(
    ("one", "other"),
    [(None, ""), (["a\0b"], ["a", "b"]), ([], [""]), (["a", "b"], ["b", "a"]), (1, 2)],
)
def test_what_differs_has_another_rank(one, other):
    assert sortable(one) != sortable(other)


def test_a_value_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Link(url="u").url = "v"  # type: ignore[misc]


def test_what_is_empty_is_absent():
    assert document_of(Schedule(cron="", sla=Sla())) == {"cron": ""}
    assert document_of(Schedule(sla=Sla(freshness="P1D"))) == {"sla": {"freshness": "P1D"}}
    assert document_of(Schema(inferred=False)) == {}
    assert document_of(Schema(inferred=True)) == {"inferred": True}
    assert document_of(Governance()) == {}
    assert document_of(Governance(pii=False)) == {"pii": False}


def test_reserved_words_lose_their_underscore():
    assert list(keys_of(Edge)) == [
        "urn", "type", "via", "origin", "confidence", "share", "description", "columns",
    ]  # fmt: skip
    column = keys_of(Edge)["columns"].item
    assert column is not None
    assert [key.attribute for key in keys_of(column).values()][:2] == ["from_", "to"]
    assert list(keys_of(column))[:2] == ["from", "to"]


def test_a_key_says_what_it_holds():
    snapshot = keys_of(Snapshot)
    assert snapshot["storage"].holds is Holds.OBJECT
    assert snapshot["properties"].holds is Holds.FREE
    assert snapshot["name"].holds is Holds.SCALAR
    assert keys_of(Schema)["fields"].holds is Holds.OBJECTS
    assert keys_of(Schema)["fields"].set_by is None
    assert keys_of(Schema)["unique"].set_by == ("columns",)
    assert keys_of(Storage)["features"].set_by == ()
    assert keys_of(Schema)["primary_key"].holds is Holds.SCALARS


@pytest.mark.parametrize("cls", EVERY_CLASS, ids=lambda cls: cls.__name__)
def test_a_set_is_keyed_by_keys_that_its_items_have(cls):
    for key in keys_of(cls).values():
        if key.set_by:
            assert key.item is not None
            assert set(key.set_by) <= set(keys_of(key.item))


@pytest.mark.parametrize("cls", EVERY_CLASS, ids=lambda cls: cls.__name__)
def test_what_nests_stands_after_what_does_not(cls):
    """Inside an item scalars come first, then what nests, then what opens over several lines."""
    if issubclass(cls, DataType):
        holds = [key.holds for key in keys_of(cls).values()]
        assert Holds.SCALAR not in holds[holds.index(Holds.OBJECT) :]


@LAW
@given(documents)
def test_a_document_is_plain_json(value):
    assert json.loads(json.dumps(document_of(value))) == document_of(value)


@LAW
@given(documents)
def test_a_document_holds_nothing_empty_outside_of_what_belongs_to_the_user(value):
    for key, held in document_of(value).items():
        if keys_of(type(value))[key].holds is not Holds.FREE:
            assert held not in ([], {}, None)


KINDS = [
    ({"type": Kind.DECIMAL, "precision": 1}, "DECIMAL has `precision` and `scale`, or neither"),
    ({"type": Kind.DECIMAL, "scale": 0}, "DECIMAL has `precision` and `scale`, or neither"),
    ({"type": Kind.VARCHAR}, "VARCHAR needs `length`"),
    ({"type": Kind.ARRAY}, "ARRAY needs `element`"),
    ({"type": Kind.MAP, "key": MapKey(type=Kind.STRING)}, "MAP needs `key` and `value`"),
    ({"type": Kind.REF}, "REF needs `ref`"),
    ({"type": Kind.UNKNOWN}, "UNKNOWN needs `native`"),
    ({"type": Kind.INT64, "precision": 3}, "INT64 has no `precision`"),
    ({"type": Kind.INT64, "symbols": ("a",)}, "INT64 has no `symbols`"),
    ({"type": Kind.STRING, "length": 0}, "STRING has no `length`"),
    ({"type": Kind.DATE, "unit": Unit.SECOND}, "DATE has no `unit`"),
    ({"type": Kind.STRUCT, "element": Element(type=Kind.DATE, nullable=True)}, "has no `element`"),
    ({"type": Kind.TIME, "unit": Unit.DAY_TIME}, "TIME has no unit `day-time`"),
]


@pytest.mark.parametrize(("arguments", "message"), KINDS, ids=[message for _, message in KINDS])
def test_a_type_has_the_parameters_of_its_kind(arguments, message):
    with pytest.raises(ValueError, match=message):
        DataType(**arguments)


def test_a_partition_is_a_type_with_parameters():
    with pytest.raises(ValueError, match="DECIMAL has"):
        Partition(name="p", type=Kind.DECIMAL, precision=1)


@pytest.mark.parametrize("arguments", [{}, {"user": "a", "group": "b"}])
def test_an_owner_is_one_of_two(arguments):
    with pytest.raises(ValueError, match="either a `user` or a `group`"):
        Owner(**arguments)


@LAW
@given(st.permutations(["lumos://s3/a", "lumos://s3/b", "lumos://s3/c"]))
def test_the_order_in_which_a_set_is_given_carries_no_meaning(urns):
    job = Job(lumos_version="1.0.0", id="j", inputs=tuple(urns))
    assert job == Job(lumos_version="1.0.0", id="j", inputs=tuple(sorted(urns)))


def test_empty_free_properties_of_a_field_are_absent():
    field = Field(name="f", type=Kind.DATE, nullable=True)
    assert replace(field, properties={}) == field
    assert "properties" not in document_of(field)

"""Canonical bytes: one layout for each document, and nothing lost in it."""

import difflib
import hashlib
import json
from dataclasses import replace

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.encode import OPENS, canonical_document, digest, encode, encode_document
from lumos_snap.canonical.read import read
from lumos_snap.model.snapshot import ForeignKey, Partition, Schema, Snapshot, Storage, UniqueKey
from lumos_snap.model.types import Definition, Element, Field, Kind
from lumos_snap.schema import Holds, document_of, keys_of
from tests.strategies import LAW
from tests.strategies.documents import STORED, documents, snapshots
from tests.strategies.layouts import shuffled, shuffles, written
from tests.strategies.types import of_kind, types

every_class = pytest.mark.parametrize("cls", STORED, ids=lambda cls: cls.__name__)


@every_class
def test_what_is_written_is_read_as_it_was(cls):
    @LAW
    @given(STORED[cls])
    def comes_back(value):
        raw = encode(value)
        reading = read(raw, cls)
        assert reading.problems == ()
        assert reading.value == value
        assert reading.canonical == raw

    comes_back()


@pytest.mark.parametrize("kind", Kind)
def test_a_column_of_any_kind_is_read_as_it_was(kind):
    node = Definition(name="node", type=Kind.STRUCT)

    @LAW
    @given(of_kind(kind, Field, 2, ("node",)), of_kind(kind, Partition, 1, ("node",)))
    def comes_back(column, partition):
        partition = replace(partition, source="x")
        storage = Storage(format="parquet", partitioning=(partition,))
        named = Field(name="x", type=Kind.STRING, nullable=True)
        schema = Schema(fields=(column, named), definitions=(node,))
        snapshot = replace(WIDE, schema=schema, storage=storage)
        reading = read(encode(snapshot), Snapshot)
        assert reading.problems == ()
        assert reading.value == snapshot
        assert encode(snapshot) == reading.canonical

    comes_back()


@every_class
def test_order_and_layout_of_a_file_change_nothing(cls):
    @LAW
    @given(STORED[cls], shuffles)
    def changes_nothing(value, chance):
        raw = written(shuffled(document_of(value), cls, chance), chance)
        reading = read(raw, cls)
        assert reading.problems == ()
        assert reading.value == value
        assert reading.canonical == encode(value)

    changes_nothing()


@every_class
def test_canonical_bytes_are_stable(cls):
    @LAW
    @given(STORED[cls])
    def is_stable(value):
        raw = encode(value)
        document = json.loads(raw)
        assert encode_document(document, cls) == raw
        assert canonical_document(document, cls) == document == document_of(value)

    is_stable()


@LAW
@given(documents)
def test_bytes_are_lines_of_utf8(value):
    raw = encode(value)
    text = raw.decode()
    assert raw.endswith(b"}\n")
    assert b"\r" not in raw
    assert all(line == line.rstrip() and line for line in text.split("\n")[:-1])


@LAW
@given(snapshots)
def test_every_item_of_a_section_stands_on_a_line_of_its_own(snapshot):
    lines = [line.strip().removesuffix(",") for line in encode(snapshot).decode().split("\n")]
    objects = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
    document = document_of(snapshot)
    sections = [document[name] for name in document.keys() & SECTIONS]
    lists = [held for section in sections for held in section.values() if is_list_of_objects(held)]
    assert all(item in objects for items in lists for item in items if not opens(item))


SECTIONS = {key.name for key in keys_of(Snapshot).values() if key.holds is Holds.OBJECT}


def is_list_of_objects(held: object) -> bool:
    return isinstance(held, list) and bool(held) and isinstance(held[0], dict)


def opens(item: object) -> bool:
    """Whether some part of an item takes lines of its own."""
    if isinstance(item, dict):
        return any(
            (key in OPENS and is_list_of_objects(held)) or opens(held) for key, held in item.items()
        )
    return isinstance(item, list) and any(map(opens, item))


WIDE = Snapshot(
    lumos_version=FORMAT_VERSION,
    urn="lumos://s3/lake/wide",
    name="wide",
    platform="s3",
    schema=Schema(
        fields=tuple(
            Field(name=f"column_{number}", type=Kind.INT32, nullable=number % 2 == 0)
            for number in range(300)
        )
    ),
)


@LAW
@given(st.integers(0, 299), types(Field, 0))
def test_one_changed_column_is_one_changed_line(number, changed):
    fields = WIDE.schema.fields
    other = replace(changed, name=f"column_{number}")
    if other == fields[number]:
        return
    schema = replace(WIDE.schema, fields=(*fields[:number], other, *fields[number + 1 :]))
    assert changed_lines(WIDE, replace(WIDE, schema=schema)) == ["-", "+"]


def test_one_changed_member_of_a_nested_column_is_one_changed_line():
    def snapshot(kind: Kind) -> Snapshot:
        inner = tuple(Field(name=name, type=kind, nullable=True) for name in "a")
        rest = tuple(Field(name=name, type=Kind.STRING, nullable=True) for name in "bcd")
        struct = Element(type=Kind.STRUCT, nullable=True, fields=(*inner, *rest))
        field = Field(name="items", type=Kind.ARRAY, nullable=True, element=struct)
        return replace(WIDE, schema=Schema(fields=(field,)))

    assert changed_lines(snapshot(Kind.INT32), snapshot(Kind.INT64)) == ["-", "+"]


def changed_lines(old: Snapshot, new: Snapshot) -> list[str]:
    lines = [encode(one).decode().split("\n") for one in (old, new)]
    return [line[0] for line in list(difflib.unified_diff(lines[0], lines[1], n=0))[3:]]


def test_the_layout_of_a_snapshot():
    raw = b"""{
  "lumos_version": "1.0.0",
  "urn": "lumos://s3/lake/clicks",
  "name": "clicks",
  "platform": "s3",
  "storage": {
    "format": "parquet",
    "features": [
      "a",
      "b"
    ],
    "partitioning": [
      {"name": "day", "type": "DATE", "format": "yyyy/MM/dd"}
    ],
    "bucketing": {"count": 4, "columns": ["id"]},
    "options": {
      "header": "true"
    }
  },
  "schema": {
    "inferred": true,
    "fields": [
      {"name": "id", "type": "STRING", "nullable": false, "aliases": ["key", "uid"]},
      {"name": "page", "type": "STRUCT", "nullable": true, "fields": [
        {"name": "url", "type": "STRING", "nullable": true},
        {"name": "tags", "type": "MAP", "nullable": true, "key": {"type": "DATE"}, "value": {\
"type": "STRUCT", "nullable": true, "fields": [
          {"name": "word", "type": "STRING", "nullable": true}
        ]}}
      ]}
    ],
    "primary_key": ["id"]
  },
  "lineage": {
    "upstream": [
      {"urn": "lumos://s3/lake/raw", "columns": [
        {"from": "key", "to": "id"}
      ]}
    ]
  },
  "properties": {
    "free": {"a": [1, {"b": null}]}
  },
  "versioning": {
    "schema_version": "1.0.0"
  }
}
"""
    reading = read(raw, Snapshot)
    assert reading.problems == ()
    assert reading.canonical == raw


@LAW
@given(snapshots, shuffles)
def test_a_digest_is_of_what_a_snapshot_says(snapshot, chance):
    document = document_of(snapshot)
    content = {key: held for key, held in document.items() if key != "versioning"}
    expected = hashlib.sha256(rfc8785.dumps(content)).hexdigest()
    assert digest(document) == expected
    assert digest(shuffled(document, Snapshot, chance)) == expected


@LAW
@given(snapshots, snapshots)
def test_versions_play_no_part_in_a_digest(snapshot, other):
    versioned = replace(snapshot, versioning=other.versioning)
    assert digest(document_of(versioned)) == digest(document_of(snapshot))


@LAW
@given(snapshots, snapshots)
def test_all_else_plays_a_part_in_a_digest(snapshot, other):
    bare = [document_of(replace(one, versioning=WIDE.versioning)) for one in (snapshot, other)]
    assert (digest(bare[0]) == digest(bare[1])) == (bare[0] == bare[1])


@LAW
@given(snapshots, st.sampled_from(["storage", "schema", "lineage", "properties", "environment"]))
def test_a_changed_section_changes_the_digest(snapshot, section):
    other = getattr(FULL, section)
    if getattr(snapshot, section) != other:
        changed = replace(snapshot, **{section: other})
        assert digest(document_of(changed)) != digest(document_of(snapshot))


FULL = replace(
    WIDE,
    environment="PROD",
    storage=replace(WIDE.storage, format="parquet"),
    properties={"team": "web"},
)


def test_keys_of_several_columns_keep_their_order_and_their_difference():
    """A zero character in a name must not make two keys look alike."""
    unique = (
        UniqueKey(columns=("b",)),
        UniqueKey(columns=("`a\0b`",)),
        UniqueKey(columns=("a", "b")),
    )
    snapshot = replace(WIDE, schema=Schema(unique=unique))
    assert read(encode(snapshot), Snapshot).problems == ()
    assert snapshot == replace(WIDE, schema=Schema(unique=unique[::-1]))


@pytest.mark.parametrize("key", ["unique", "foreign_keys"])
def test_a_key_without_columns_is_refused(key):
    """What is empty is left out; a key without its columns could not be read again."""
    item = {"columns": [], "urn": "lumos://s3/a"} if key == "foreign_keys" else {"columns": []}
    document = {**document_of(WIDE), "schema": {key: [item]}}
    reading = read(json.dumps(document).encode(), Snapshot)
    assert [problem.message for problem in reading.problems] == ["`columns` must not be empty"]
    assert ForeignKey(urn="lumos://s3/a", columns=("a",)).columns == ("a",)

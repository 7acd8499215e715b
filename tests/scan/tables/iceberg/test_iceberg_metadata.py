"""What metadata files say that pyiceberg does not write, and which of them is the current one."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.table.metadata import TableMetadataUtil

from lumos_snap.model.type_syntax import format_type
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import BadFileError
from lumos_snap.scan.tables.registry import read_table
from tests.scan.tables.iceberg.iceberg_tables import (
    Held,
    as_iceberg,
    by_pyiceberg,
    current,
    field,
    held,
    stored,
)
from tests.scan.tables.lake import columns, described, logs, said

TYPES = {
    "timestamp_ns": "TIMESTAMP(ns)", "timestamptz_ns": "TIMESTAMP(ns, UTC)",
    "variant": "VARIANT", "unknown": "NULL", "geometry": "UNKNOWN('geometry')",
    "geography(srid:4269, karney)": "UNKNOWN('geography(srid:4269, karney)')",
    "decimal(9,2)": "DECIMAL(9,2)", "fixed[16]": "FIXED(16)", "fixed[x]": "UNKNOWN('fixed[x]')",
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_types_by_name(name: str, tmp_path: Path) -> None:
    stored(tmp_path, held(field(1, "x", name), version=3))
    (found,) = described(tmp_path).schema.fields
    assert format_type(found) == TYPES[name]


BY_PYICEBERG = ("timestamp_ns", "timestamptz_ns", "unknown", "fixed[16]", "decimal(9,2)", "uuid")


@pytest.mark.parametrize("name", BY_PYICEBERG)
def test_types_are_those_that_pyiceberg_reads(name: str, tmp_path: Path) -> None:
    numbers = {"last-column-id": 1, "last-partition-id": 999, "last-sequence-number": 0}
    content = held(field(1, "x", name), version=3, **numbers, **{"next-row-id": 0})
    stored(tmp_path, content)
    schema = TableMetadataUtil.parse_obj(content).schema()
    assert as_iceberg(described(tmp_path).schema.fields) == by_pyiceberg(schema)


def test_the_first_version_has_one_schema_and_one_spec(tmp_path: Path) -> None:
    parts = [{"name": "day", "transform": "day", "source-id": 2, "field-id": 1000}]
    old = {
        "format-version": 1,
        "schema": {"type": "struct", "fields": [field(1, "id"), field(2, "at", "timestamp")]},
        "partition-spec": parts,
    }
    stored(tmp_path, old)
    assert columns(tmp_path) == ["id INT64 #1", "at TIMESTAMP(us) #2"]
    assert [(one.source, one.transform) for one in described(tmp_path).partitioning or ()] == [
        ("at", "day")
    ]
    assert said(tmp_path)[2:4] == (0, "iceberg 1")


def test_defaults_are_json(tmp_path: Path) -> None:
    defaults = {"initial-default": "ü", "write-default": 1.5}
    stored(tmp_path, held(field(1, "x", "string", **defaults), version=3))
    (found,) = described(tmp_path).schema.fields
    assert (found.default, found.write_default) == ('"ü"', "1.5")


def test_the_current_schema_is_taken_of_several(tmp_path: Path) -> None:
    schemas = [
        {"type": "struct", "schema-id": 4, "fields": [field(1, "old")]},
        {"type": "struct", "schema-id": 9, "fields": [field(1, "new")]},
    ]
    stored(tmp_path, held(schemas=schemas, **{"current-schema-id": 9}))
    assert columns(tmp_path) == ["new INT64 #1"]


def partitioned(*fields: Held) -> Held:
    return {"partition-specs": [{"spec-id": 5, "fields": list(fields)}], "default-spec-id": 5}


def test_partitions_that_are_gone_or_not_known(tmp_path: Path) -> None:
    parts = (
        {"name": "a", "transform": "void", "source-id": 1, "field-id": 1000},
        {"name": "b", "transform": "void", "source-id": 99, "field-id": 1001},
        {"name": "c", "transform": "zorder[4]", "source-ids": [2, 1], "field-id": 1002},
    )
    stored(tmp_path, held(field(1, "x"), field(2, "y"), field(3, "b"), **partitioned(*parts)))
    found = described(tmp_path).partitioning or ()
    assert [(one.name, one.source, one.transform, one.argument) for one in found] == [
        ("a", "x", "void", None),
        ("c", "y", "zorder", 4),
    ]
    assert format_type(found[1]) == "UNKNOWN('zorder')"


def test_a_partition_of_a_column_that_is_gone_is_told(tmp_path: Path) -> None:
    part = {"name": "x", "transform": "identity", "source-id": 99, "field-id": 1000}
    stored(tmp_path, held(field(1, "x"), **partitioned(part)))
    found = described(tmp_path)
    assert found.partitioning == ()
    assert found.notes == ("it is divided by x, whose column is gone",)


def test_the_current_snapshot_counts(tmp_path: Path) -> None:
    summary = {"total-records": "12", "total-data-files": "3", "total-files-size": "4096"}
    stored(tmp_path, held(field(1, "x"), **current(**summary)))
    facts = described(tmp_path).table
    assert facts is not None
    assert (facts.version, facts.files, facts.bytes, said(tmp_path).rows) == ("7", 3, 4096, 12)


@pytest.mark.parametrize("name", ["total-position-deletes", "total-equality-deletes"])
def test_rows_are_not_told_where_some_are_marked_as_deleted(tmp_path: Path, name: str) -> None:
    stored(tmp_path, held(field(1, "x"), **current(**{"total-records": "12", name: "0"})))
    assert said(tmp_path).rows == 12
    stored(tmp_path, held(field(1, "x"), **current(**{"total-records": "12", name: "1"})))
    assert said(tmp_path).rows is None


def test_a_snapshot_without_counts_tells_none(tmp_path: Path) -> None:
    stored(tmp_path, held(field(1, "x"), **current()))
    facts = described(tmp_path).table
    assert facts is not None
    assert (facts.files, facts.bytes, said(tmp_path).rows) == (None, None, None)


def test_properties_that_matter_to_readers_are_kept(tmp_path: Path) -> None:
    properties = {
        "write.format.default": "ORC", "write.orc.compression-codec": "zstd", "comment": "Orders",
        "write.delete.mode": "merge-on-read", "write.data.path": "s3://elsewhere/data",
        "owner": "jane", "s3.secret-access-key": "k1", "write.own.password": "k2",
    }  # fmt: skip
    stored(tmp_path, held(field(1, "x"), properties=properties))
    found = described(tmp_path)
    assert found.properties == {"write.delete.mode": "merge-on-read"}
    assert found.description == "Orders"
    assert found.storage is not None
    assert (found.storage.file_format, found.storage.compression) == ("orc", "zstd")


def test_a_format_that_is_newer_is_told(tmp_path: Path) -> None:
    stored(tmp_path, held(field(1, "x"), version=9))
    assert described(tmp_path).notes == (
        "version 9 of the format is newer than what is known here",
    )


def versions(folder: Path, *names: str) -> None:
    """Metadata files whose only column says which one is read."""
    for name in names:
        stored(folder, held(field(1, name)), name)


def read(folder: Path) -> str:
    (found,) = described(folder).schema.fields
    return found.name


HINTS = {
    "": "v12.metadata.json",
    "12": "v12.metadata.json",
    "9": "v10.metadata.json",  # whoever wrote 10 has not yet said so; 12 stands apart
    "7": "v12.metadata.json",  # too old to mean anything
    "99": "v12.metadata.json",
    "no number": "v12.metadata.json",
    "v9": "v10.metadata.json",
    "²": "v12.metadata.json",
}


@pytest.mark.parametrize("hint", HINTS)
def test_which_version_is_current(tmp_path: Path, hint: str) -> None:
    versions(tmp_path, *(f"v{number}.metadata.json" for number in (1, 8, 9, 10, 12)))
    if hint:
        (tmp_path / "metadata/version-hint.text").write_text(f"{hint}\n")
    assert read(tmp_path) == HINTS[hint]


@pytest.mark.parametrize(
    ("hint", "is_missing"), [("2", False), ("v2", False), ("5", True), ("x", True)]
)
def test_a_hint_that_names_a_missing_file_is_noted(
    tmp_path: Path, hint: str, *, is_missing: bool
) -> None:
    versions(tmp_path, "v1.metadata.json", "v2.metadata.json")
    (tmp_path / "metadata/version-hint.text").write_text(hint)
    assert read(tmp_path) == "v2.metadata.json"
    notes = (f"version-hint.text names {hint!r}, which is missing: the newest other is described",)
    assert described(tmp_path).notes == (notes if is_missing else ())


def test_numbers_are_compared_as_numbers_and_may_be_compressed(tmp_path: Path) -> None:
    versions(tmp_path, "00009-a.metadata.json", "00010-b.gz.metadata.json")
    assert read(tmp_path) == "00010-b.gz.metadata.json"
    versions(tmp_path, "00011-c.metadata.json.gz")
    assert read(tmp_path) == "00011-c.metadata.json.gz"


@pytest.mark.parametrize(
    "name",
    ["vfinal.metadata.json", "vlatest.gz.metadata.json", "vcurrent.metadata.json.gz"],
)
def test_a_word_may_stand_in_place_of_the_version(tmp_path: Path, name: str) -> None:
    versions(tmp_path, name)
    assert read(tmp_path) == name
    versions(tmp_path, "v1.metadata.json")
    assert read(tmp_path) == "v1.metadata.json"
    assert described(tmp_path).notes == ()


@pytest.mark.parametrize("hint", ["final", "vfinal", "vfinal.metadata.json"])
def test_a_hint_may_name_a_file_without_a_version(tmp_path: Path, hint: str) -> None:
    versions(tmp_path, "vfinal.metadata.json", "vlatest.metadata.json")
    versions(tmp_path, *(f"v{number}.metadata.json" for number in range(1, 9)))
    (tmp_path / "metadata/version-hint.text").write_text(hint)
    assert read(tmp_path) == "vfinal.metadata.json"
    assert described(tmp_path).notes == ()


def test_several_files_without_a_version_are_told(tmp_path: Path) -> None:
    versions(tmp_path, "vfinal.metadata.json", "vlatest.metadata.json")
    assert described(tmp_path).notes == (
        "2 metadata files have no version in their names: the newest is described",
    )


@pytest.mark.parametrize("hint", ["00010-b", "00010-b.gz.metadata.json", "010", "10"])
def test_a_hint_may_name_a_file_in_every_way_that_readers_know(tmp_path: Path, hint: str) -> None:
    versions(tmp_path, "00010-b.gz.metadata.json", "00012-c.metadata.json")
    (tmp_path / "metadata/version-hint.text").write_text(hint)
    assert read(tmp_path) == "00010-b.gz.metadata.json"


def test_an_old_hint_is_not_called_wrong(tmp_path: Path) -> None:
    versions(tmp_path, *(f"v{number}.metadata.json" for number in range(1, 9)))
    (tmp_path / "metadata/version-hint.text").write_text("2")
    assert read(tmp_path) == "v8.metadata.json"
    assert described(tmp_path).notes == ()


def test_two_files_that_claim_one_version_are_told(tmp_path: Path) -> None:
    versions(tmp_path, "00001-a.metadata.json", "00001-b.metadata.json")
    assert described(tmp_path).notes == (
        "2 metadata files claim version 1: the newest is described",
    )


DAMAGE = {
    "half": b'{"format-version": 2, "sche', "empty": b"", "no JSON": b"}", "no object": b"[]",
    "nothing in it": b"{}", "bad gzip": b"\x1f\x8b\x08rubbish", "cut gzip": b"\x1f\x8b\x08\0\0\0\0",
    "no schema": json.dumps({"format-version": 2, "current-schema-id": 3}).encode(),
    "no snapshot": json.dumps(held(field(1, "x"), **{"current-snapshot-id": 5})).encode(),
    "a field without a name": json.dumps(held({"id": 1, "type": "long"})).encode(),
    "a struct without fields": json.dumps(held(field(1, "x", {"type": "struct"}))).encode(),
    "a type that is none": json.dumps(held(field(1, "x", {"type": "set"}))).encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_where_the_newest_is_damaged_the_one_before_speaks(tmp_path: Path, name: str) -> None:
    versions(tmp_path, "v1.metadata.json", "v2.metadata.json")
    (tmp_path / "metadata/v3.metadata.json").write_bytes(DAMAGE[name])
    (tmp_path / "metadata/version-hint.text").write_text("3")
    assert read(tmp_path) == "v2.metadata.json"
    (note,) = described(tmp_path).notes
    assert note.startswith("its newest metadata cannot be read (v3.metadata.json: ")


@pytest.mark.parametrize("name", DAMAGE)
def test_where_all_are_damaged_the_newest_is_named(tmp_path: Path, name: str) -> None:
    for number in (1, 2):
        stored(tmp_path, {}, f"v{number}.metadata.json")
        (tmp_path / f"metadata/v{number}.metadata.json").write_bytes(DAMAGE[name])
    with pytest.raises(BadFileError) as refusal:
        said(tmp_path)
    assert refusal.value.detail.startswith("v2.metadata.json: ")
    assert refusal.value.reason in {error_codes.DAMAGED, error_codes.EMPTY, error_codes.TRUNCATED}


def test_what_cannot_be_reached_is_not_taken_for_damaged(tmp_path: Path) -> None:
    versions(tmp_path, "v1.metadata.json", "v2.metadata.json")
    (((root, kind), found),) = logs(tmp_path).items()
    newest = tmp_path / "metadata/v2.metadata.json"
    newest.unlink()
    newest.mkdir()  # what the system refuses to read as a file
    with pytest.raises(BadFileError) as refusal:
        read_table(LocalStore(str(tmp_path)), kind, root, [one.path for one in found.parts()])
    assert refusal.value.reason == error_codes.UNREADABLE


def test_a_schema_that_nests_without_end_is_refused_or_cut(tmp_path: Path) -> None:
    deep: Any = "long"
    for _ in range(80):
        deep = {"type": "list", "element": deep, "element-id": 2, "element-required": False}
    stored(tmp_path, held(field(1, "x", deep)))
    assert described(tmp_path).notes == (
        "types nest over 64 levels deep: what is below is left out",
    )
    for _ in range(300):
        deep = {"type": "list", "element": deep, "element-id": 2, "element-required": False}
    stored(tmp_path, held(field(1, "x", deep)))
    with pytest.raises(BadFileError, match="over 300 deep"):
        said(tmp_path)


WHOLE = json.dumps(held(field(1, "x"), **current(**{"total-records": "1"}))).encode()


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(1, 255)), max_size=4))
def test_metadata_with_other_bytes_is_described_or_refused(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    folder = stored(tmp_path_factory.mktemp("table"), {})
    data = bytearray(WHOLE)
    for at, mask in flips:
        data[at] ^= mask
    (folder / "metadata/v1.metadata.json").write_bytes(bytes(data))
    with suppress(BadFileError):
        columns(folder)


@given(st.integers(0, len(WHOLE) - 1))
def test_metadata_that_is_cut_never_yields_a_schema(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    folder = stored(tmp_path_factory.mktemp("table"), {})
    (folder / "metadata/v1.metadata.json").write_bytes(WHOLE[:length])
    with pytest.raises(BadFileError):
        said(folder)

"""What a Hudi table's properties and its timeline say of it."""

from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model.type_syntax import format_type
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.schemas.supertype import TableFacts
from lumos_snap.scan.stores.store import BadFileError
from lumos_snap.scan.tables.hudi.commit import parse_commit
from lumos_snap.scan.tables.hudi.log import parse_properties
from tests.scan.tables.hudi.hudi_tables import (
    META,
    TRIPS,
    avro,
    block,
    data_file,
    field,
    in_avro,
    instants,
    stated,
    table,
    write,
    write_8,
    write_bare,
)
from tests.scan.tables.lake import columns, described, said

ONE, TWO, THREE = instants(1, 2, 3)
WIDER = avro(field("id"), field("dt", "string"), field("price", "double"))
OLDER = avro(field("id"), field("dt", "string"))


def own(folder: Path) -> list[str]:
    """The columns, without those of Hudi itself, which come first."""
    found = columns(folder)
    assert tuple(found[: len(META)]) == META
    return found[len(META) :]


def test_columns_are_those_of_the_last_write(tmp_path: Path) -> None:
    write(write(table(tmp_path), ONE, OLDER), TWO, TRIPS)
    assert own(tmp_path) == [
        "id INT64 !", "name STRING", "ts TIMESTAMP(us, UTC) !", "dt STRING !",
    ]  # fmt: skip
    found = described(tmp_path)
    assert found.schema.fields[6].description == "Who rode"
    assert found.table == TableFacts(version=TWO)
    assert said(tmp_path)[2:4] == (None, "hudi 6")
    assert found.notes == ()


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_columns_of_a_table_of_version_eight(tmp_path: Path, codec: str) -> None:
    table(tmp_path, hoodie__table__version="8", hoodie__timeline__layout__version="2")
    write_8(tmp_path, ONE, THREE, TRIPS, codec=codec)
    write_8(tmp_path, TWO, TWO, WIDER, action="deltacommit", codec=codec)
    assert own(tmp_path)[:2] == ["id INT64 !", "name STRING"]
    assert described(tmp_path).table == TableFacts(version=ONE)
    assert said(tmp_path).version == "hudi 8"


@pytest.mark.parametrize("action", ["commit", "deltacommit", "replacecommit"])
def test_every_kind_of_write_states_the_columns(tmp_path: Path, action: str) -> None:
    write(write(table(tmp_path), ONE, TRIPS), TWO, WIDER, action, "INSERT_OVERWRITE")
    assert own(tmp_path) == ["id INT64 !", "dt STRING !", "price FLOAT64 !"]


@pytest.mark.parametrize("operation", ["COMPACT", "cluster", "INDEX", "log_compact"])
def test_rearranging_data_says_nothing_new_of_columns(tmp_path: Path, operation: str) -> None:
    write(table(tmp_path), TWO, OLDER, "replacecommit", operation)
    assert own(tmp_path) == ["id INT64 !", "dt STRING !"]
    write(tmp_path, ONE, WIDER)
    assert own(tmp_path) == ["id INT64 !", "dt STRING !", "price FLOAT64 !"]


def test_a_write_that_states_no_columns_is_passed_over(tmp_path: Path) -> None:
    write(write(write(table(tmp_path), ONE, WIDER), TWO, None), THREE, "")
    assert own(tmp_path) == ["id INT64 !", "dt STRING !", "price FLOAT64 !"]
    assert described(tmp_path).table == TableFacts(version=THREE)


def test_a_table_without_a_write_has_the_columns_it_was_created_with(tmp_path: Path) -> None:
    table(tmp_path, hoodie__table__create__schema=WIDER.replace(":", "\\:"))
    assert own(tmp_path) == ["id INT64 !", "dt STRING !", "price FLOAT64 !"]
    assert described(tmp_path).table == TableFacts()


def test_keys_partitions_and_properties(tmp_path: Path) -> None:
    write(table(tmp_path, hoodie__table__recordkey__fields="id, ts"), ONE, TRIPS)
    found = described(tmp_path)
    assert found.schema.primary_key == ("id", "ts")
    assert [
        (one.name, format_type(one), one.source, one.transform, one.style)
        for one in found.partitioning or ()
    ] == [("dt", "STRING", "dt", "identity", "hive")]
    assert found.storage is not None
    assert found.storage.file_format == "parquet"
    assert found.properties["hoodie.table.type"] == "COPY_ON_WRITE"
    assert "hoodie.table.checksum" not in found.properties


def test_a_key_inside_a_struct_and_one_that_is_gone(tmp_path: Path) -> None:
    inner = {"type": "record", "name": "in", "fields": [field("id")]}
    table(tmp_path, hoodie__table__recordkey__fields="a.id,gone")
    write(tmp_path, ONE, avro(field("a", inner), field("dt", "string")))
    assert described(tmp_path).schema.primary_key == ("a.id",)


def test_partitions_that_are_written_from_times(tmp_path: Path) -> None:
    table(
        tmp_path,
        hoodie__table__partition__fields="ts:timestamp,dt:simple",
        hoodie__table__keygenerator__class="org.apache.hudi.keygen.CustomKeyGenerator",
        hoodie__datasource__write__hive_style_partitioning="false",
    )
    write(tmp_path, ONE, TRIPS)
    assert [
        (one.name, format_type(one), one.source, one.transform, one.style)
        for one in described(tmp_path).partitioning or ()
    ] == [("ts", "STRING", "ts", "timestamp", "path"), ("dt", "STRING", "dt", "identity", "path")]


@pytest.mark.parametrize("name", ["class", "type"])
def test_a_generator_of_keys_that_is_made_for_times(tmp_path: Path, name: str) -> None:
    given = {"class": "org.apache.hudi.keygen.TimestampBasedKeyGenerator", "type": "TIMESTAMP"}
    no_class = {"hoodie__table__keygenerator__class": None}
    table(tmp_path, **{**no_class, f"hoodie__table__keygenerator__{name}": given[name]})
    write(tmp_path, ONE, TRIPS)
    assert [one.transform for one in described(tmp_path).partitioning or ()] == ["timestamp"]


def test_a_partition_that_stands_in_the_path_only(tmp_path: Path) -> None:
    write(table(tmp_path), ONE, avro(field("id")))
    assert [(one.name, one.source) for one in described(tmp_path).partitioning or ()] == [
        ("dt", None)
    ]


def test_columns_of_hudi_itself(tmp_path: Path) -> None:
    write(table(tmp_path), ONE, avro(field("_hoodie_commit_time", "string"), field("id")))
    assert columns(tmp_path)[-2:] == ["_hoodie_commit_time STRING !", "id INT64 !"]
    assert len(columns(tmp_path)) == 6
    table(tmp_path, hoodie__allow__operation__metadata__field="true")
    assert "_hoodie_operation STRING" in columns(tmp_path)
    table(tmp_path, hoodie__populate__meta__fields="false")
    write(tmp_path, TWO, OLDER)
    assert columns(tmp_path) == ["id INT64 !", "dt STRING !"]


def test_what_opens_doors_never_leaves_the_properties(tmp_path: Path) -> None:
    doors = {"fs__s3a__secret__key": "k1", "hoodie__table__keygenerator__secret": "k2"}
    write(table(tmp_path, **doors), ONE, TRIPS)
    assert "k1" not in said(tmp_path).schema
    assert "k2" not in said(tmp_path).schema


def test_the_copy_of_the_properties_counts_where_they_are_lost(tmp_path: Path) -> None:
    write(table(tmp_path), ONE, TRIPS)
    before = said(tmp_path)
    place = tmp_path / ".hoodie"
    (place / "hoodie.properties").rename(place / "hoodie.properties.backup")
    assert said(tmp_path) == before
    (place / "hoodie.properties").touch()
    assert said(tmp_path) == before


FILE = "dt=a/f-0_0-1-1_20260101000000000"
OF_A_FILE = "no write states a schema: that of a data file is described"


@pytest.mark.parametrize("ending", ["parquet", "orc"])
@pytest.mark.parametrize("extra", [None, {"schema": ""}])
def test_columns_stand_in_a_file_where_no_write_states_them(
    tmp_path: Path, ending: str, extra: dict[str, str] | None
) -> None:
    data_file(tmp_path, f"{FILE}.{ending}", "id", "dt")
    write_bare(table(tmp_path), ONE, f"{FILE}.{ending}", extra=extra)
    assert own(tmp_path) == ["id INT64", "dt INT64"]
    assert described(tmp_path).notes == (OF_A_FILE,)
    assert described(tmp_path).table == TableFacts(version=ONE)


def test_columns_of_hudi_are_added_where_a_file_lacks_them(tmp_path: Path) -> None:
    place = data_file(tmp_path, f"{FILE}.parquet")
    pq.write_table(pa.table({"id": [1], "dt": ["a"]}), place)
    write_bare(table(tmp_path), ONE, f"{FILE}.parquet")
    assert own(tmp_path) == ["id INT64", "dt STRING"]


def test_the_file_is_one_of_the_newest_write_that_wrote_any(tmp_path: Path) -> None:
    for name in ("old", "new"):
        data_file(tmp_path, f"dt=a/{name}.parquet", name)
    log = "dt=a/.f-0_20260101000000000.log.1_0-1-1"
    write_bare(table(tmp_path), ONE, "dt=a/old.parquet")
    write_bare(tmp_path, TWO, log, "../x.parquet", "dt=a/new.parquet", action="deltacommit")
    write_bare(tmp_path, THREE, action="replacecommit")
    assert own(tmp_path) == ["new INT64"]
    assert described(tmp_path).table == TableFacts(version=THREE)


def test_a_schema_that_is_stated_counts_more_than_a_file(tmp_path: Path) -> None:
    data_file(tmp_path, f"{FILE}.parquet", "other")
    write(table(tmp_path), ONE, OLDER)
    write_bare(tmp_path, TWO, f"{FILE}.parquet")
    assert own(tmp_path) == ["id INT64 !", "dt STRING !"]
    write_bare(tmp_path, ONE, f"{FILE}.parquet")
    table(tmp_path, hoodie__table__create__schema=WIDER.replace(":", "\\:"))
    assert own(tmp_path) == ["id INT64 !", "dt STRING !", "price FLOAT64 !"]


def test_why_a_file_does_not_tell_the_columns_is_said(tmp_path: Path) -> None:
    write_bare(table(tmp_path), ONE)
    why = "no write states a schema or a file, and it has no hoodie.table.create.schema"
    assert refused(tmp_path) == (error_codes.EMPTY, f"hoodie.properties: {why}")
    write_bare(tmp_path, ONE, "dt=a/f.hfile")
    why = "it states no schema, and its files have none that can be read, such as f.hfile"
    assert refused(tmp_path) == (error_codes.UNKNOWN, f"{ONE}.commit: {why}")
    write_bare(tmp_path, ONE, "dt=a/f.parquet")
    assert refused(tmp_path) == (
        error_codes.MISSING,
        f"{ONE}.commit: it states no schema, and its file f.parquet is missing",
    )
    data_file(tmp_path, "dt=a/f.parquet").write_bytes(b"PAR1 no")
    assert refused(tmp_path)[1].startswith("f.parquet: ")


LOG = "dt=a/.f-0_20260101000000000.log.1_0-1-1"
AVRO_DATA, DELETE = 3, 1
BLOCKS = (
    block(AVRO_DATA, instant=ONE, schema=OLDER)
    + block(AVRO_DATA, instant=ONE, schema=WIDER)
    + block(DELETE, instant=ONE)
)


def log_file(folder: Path, content: bytes) -> None:
    place = folder / LOG
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    write_bare(table(folder), ONE, LOG, action="deltacommit")


@pytest.mark.parametrize("more", [b"", block(AVRO_DATA, schema=OLDER)[:60], b"#HUDI#", b"else"])
def test_the_last_whole_data_block_of_a_log_file_tells_the_columns(
    tmp_path: Path, more: bytes
) -> None:
    log_file(tmp_path, BLOCKS + more)
    assert own(tmp_path) == ["id INT64 !", "dt STRING !", "price FLOAT64 !"]
    assert described(tmp_path).notes == (OF_A_FILE,)


@pytest.mark.parametrize("content", [b"", b"PAR1", block(DELETE), block(AVRO_DATA, instant=ONE)])
def test_a_log_file_without_a_schema_is_refused(tmp_path: Path, content: bytes) -> None:
    log_file(tmp_path, content)
    name = LOG.rpartition("/")[2]
    assert refused(tmp_path) == (
        error_codes.DAMAGED,
        f"{name}: it has no data block with a schema",
    )


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, len(BLOCKS) - 1), st.integers(1, 255)), max_size=4))
def test_a_log_file_with_other_bytes_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    data = bytearray(BLOCKS)
    for at, mask in flips:
        data[at] ^= mask
    folder = tmp_path_factory.mktemp("table")
    log_file(folder, bytes(data))
    with suppress(BadFileError):
        described(folder)


DROPS = {"hoodie__datasource__write__drop__partition__columns": "true"}


def test_a_partition_column_that_files_lack_is_text_behind_the_others(tmp_path: Path) -> None:
    table(tmp_path, hoodie__table__partition__fields="dt,region", **DROPS)
    write(tmp_path, ONE, avro(field("id"), field("price", "double")))
    assert own(tmp_path) == ["id INT64 !", "price FLOAT64 !", "dt STRING", "region STRING"]
    assert [
        (one.name, format_type(one), one.source, one.transform)
        for one in described(tmp_path).partitioning or ()
    ] == [("dt", "STRING", "dt", "identity"), ("region", "STRING", "region", "identity")]


def test_a_partition_column_that_is_stated_is_not_added(tmp_path: Path) -> None:
    write(table(tmp_path, **DROPS), ONE, TRIPS)
    assert own(tmp_path)[-1] == "dt STRING !"
    assert len(own(tmp_path)) == 4


def test_a_dropped_column_of_times_is_what_the_path_says(tmp_path: Path) -> None:
    table(tmp_path, hoodie__table__partition__fields="at:timestamp", **DROPS)
    write(tmp_path, ONE, avro(field("id")))
    (found,) = described(tmp_path).partitioning or ()
    assert (found.source, found.transform) == ("at", "identity")


def refused(folder: Path) -> tuple[str, str]:
    with pytest.raises(BadFileError) as refusal:
        said(folder)
    return refusal.value.reason, refusal.value.detail


def test_what_is_wrong_and_where_is_said(tmp_path: Path) -> None:
    table(tmp_path)
    assert refused(tmp_path) == (
        error_codes.EMPTY,
        "hoodie.properties: no write was completed, and it has no hoodie.table.create.schema",
    )
    write(tmp_path, ONE, TRIPS)
    path = tmp_path / ".hoodie" / f"{ONE}.commit"
    path.write_bytes(path.read_bytes()[:-5])
    assert refused(tmp_path) == (error_codes.TRUNCATED, f"{ONE}.commit: it ends inside its JSON")
    path.write_bytes(b"")
    assert refused(tmp_path)[0] == error_codes.EMPTY
    write(tmp_path, ONE, "{no schema")
    assert refused(tmp_path)[0] == error_codes.DAMAGED
    (tmp_path / ".hoodie" / "hoodie.properties").unlink()
    assert refused(tmp_path) == (error_codes.DAMAGED, "hoodie.properties: is missing")


AVRO = in_avro(stated(TRIPS))


def test_what_an_avro_file_states() -> None:
    found = parse_commit(AVRO)
    assert (found.operation, dict(found.extra)) == ("UPSERT", {"schema": TRIPS, "other": "x"})
    assert found.files == ("ü",)


@given(st.integers(4, len(AVRO) - 17))
def test_an_avro_file_that_is_cut_is_refused(length: int) -> None:
    with pytest.raises(BadFileError):
        parse_commit(AVRO[:length])


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(4, len(AVRO) - 1), st.integers(1, 255)), max_size=4))
def test_an_avro_file_with_other_bytes_is_read_or_refused(flips: list[tuple[int, int]]) -> None:
    data = bytearray(AVRO)
    for at, mask in flips:
        data[at] ^= mask
    try:
        parse_commit(bytes(data))
    except (BadFileError, LookupError, TypeError, ValueError):  # as the reading of tables expects
        return


JAVA = r"""
# a comment
! another
a=1
b : two words
c = x\=y\:z
d\:e=\u00fc\ud83d\ude00\t.
long=first,\
    second,\
  third
empty=
alone
back=a\\
next=1
"""


def test_properties_as_java_writes_them() -> None:
    assert parse_properties(JAVA) == {
        "a": "1", "b": "two words", "c": "x=y:z", "d:e": "ü😀\t.", "long": "first,second,third",
        "empty": "", "back": "a\\", "next": "1",
    }  # fmt: skip

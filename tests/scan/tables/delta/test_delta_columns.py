"""What a Delta log says of columns, beyond what a plain writer puts there."""

import json
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import Field, Kind
from tests.scan.tables.delta.delta_tables import (
    CREATED,
    add,
    column,
    log,
    metadata,
    protocol,
    struct,
)
from tests.scan.tables.lake import columns, described


def one(folder: Path, held: dict[str, Any], **more: Any) -> Field:
    """The only column of a table."""
    log(folder, [protocol(3, 7), metadata(held, **more)])
    (found,) = described(folder).schema.fields
    return found


TYPES = {
    "timestamp": "TIMESTAMP(us, UTC)", "timestamp_ntz": "TIMESTAMP(us)", "variant": "VARIANT",
    "decimal(38,18)": "DECIMAL(38,18)", "decimal( 5 , 0 )": "DECIMAL(5,0)", "void": "NULL",
    "interval day to second": "INTERVAL(day-time)", "interval year": "INTERVAL(year-month)",
    "time(6)": "TIME(us)", "time(3)": "TIME(us)",
    "varchar(7)": "VARCHAR(7)", "geometry(OGC:CRS84)": "UNKNOWN('geometry(OGC:CRS84)')",
    "decimal(0,0)": "UNKNOWN('decimal(0,0)')", "struct": "UNKNOWN('struct')",
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_types_by_name(name: str, tmp_path: Path) -> None:
    assert format_type(one(tmp_path, column("x", name))) == TYPES[name]


def test_a_type_that_is_an_object_of_its_own_is_known_by_its_name(tmp_path: Path) -> None:
    assert one(tmp_path, column("x", {"type": "variant"})).type is Kind.VARIANT


def test_a_type_of_a_user_is_what_it_is_stored_as(tmp_path: Path) -> None:
    held = {"type": "udt", "class": "org.Vector", "sqlType": struct(column("a"))}
    found = one(tmp_path, column("x", held))
    assert (found.type, found.native, len(found.fields)) == (Kind.STRUCT, "org.Vector", 1)


def test_lists_and_maps_say_what_may_be_null(tmp_path: Path) -> None:
    items = {"type": "array", "elementType": "integer", "containsNull": False}
    pairs = {"type": "map", "keyType": "string", "valueType": items, "valueContainsNull": True}
    found = one(tmp_path, column("x", pairs, nullable=False))
    assert not found.nullable
    assert found.value
    assert found.value.nullable
    assert found.value.element
    assert not found.value.element.nullable


def test_declared_lengths_and_collations_of_texts(tmp_path: Path) -> None:
    found = one(tmp_path, column("x", "string", __CHAR_VARCHAR_TYPE_STRING="char(3)"))
    assert (format_type(found), dict(found.properties)) == ("CHAR(3)", {})
    log(
        tmp_path,
        [metadata(column("x", "string", __COLLATIONS={"x": "ICU.UNICODE_CI"}))],
        first=1,
    )
    (found,) = described(tmp_path).schema.fields
    assert (found.type, found.collation) == (Kind.STRING, "ICU.UNICODE_CI")


def test_words_and_own_properties_of_a_column(tmp_path: Path) -> None:
    found = one(tmp_path, column("x", comment="The “key”", own={"a": 1.5}))
    assert found.description == "The “key”"
    assert found.properties == {"own": {"a": "1.5"}}


def test_a_widened_type_is_the_present_one(tmp_path: Path) -> None:
    changes = [{"toType": "long", "fromType": "integer"}]
    found = one(tmp_path, column("x", "long", **{"delta.typeChanges": changes}))
    assert (found.type, dict(found.properties)) == (Kind.INT64, {})


def test_generated_columns_have_their_expression(tmp_path: Path) -> None:
    found = one(tmp_path, column("x", "date", **{"delta.generationExpression": "CAST(t AS DATE)"}))
    assert found.generated == "CAST(t AS DATE)"


def test_how_far_an_identity_has_come_is_a_value_of_the_data(tmp_path: Path) -> None:
    identity = {"delta.identity.start": 1, "delta.identity.step": 1}
    mark = {"delta.identity.highWaterMark": 4711}
    assert one(tmp_path, column("x", **identity, **mark)).properties == identity


DEFAULTS = {
    "42": "42", "-1.50": "-1.50", "'it''s'": '"it\'s"', "NULL": "null", " TRUE ": "true",
    "current_timestamp()": None, "1 + 1": None, "'a' || 'b'": None, "007": None, "X'00'": None,
}  # fmt: skip


@pytest.mark.parametrize("expression", DEFAULTS)
def test_defaults_are_json_where_they_are_literals(expression: str, tmp_path: Path) -> None:
    found = one(tmp_path, column("x", CURRENT_DEFAULT=expression))
    assert found.write_default == DEFAULTS[expression]
    assert found.default is None
    kept = {} if found.write_default else {"CURRENT_DEFAULT": expression}
    assert found.properties == kept


def test_conditions_of_columns_and_of_the_table_are_constraints(tmp_path: Path) -> None:
    invariant = json.dumps({"expression": {"expression": "b > 3"}})
    inner = column("b", **{"delta.invariants": invariant})
    log(
        tmp_path,
        [
            protocol(),
            metadata(
                column("a", struct(inner)),
                column("c", **{"delta.invariants": "no JSON"}),
                configuration={"delta.constraints.positive": "a.b > 0"},
            ),
        ],
    )
    found = described(tmp_path)
    assert {(one.name, one.expression) for one in found.schema.constraints} == {
        ("positive", "a.b > 0"),
        ("invariant of a.b", "b > 3"),
    }
    assert found.properties == {}


def mapped(number: int, physical: str, **more: Any) -> dict[str, Any]:
    ids = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical}
    return {**ids, **more}


NESTED = {"x-1.element": 5, "x-1.element.key": 6, "x-1.element.value": 7}
PAIRS = {"type": "map", "keyType": "string", "valueType": "long", "valueContainsNull": True}
MAPPED = (
    column("id", **mapped(1, "id")),
    column("name", "string", **mapped(2, "col-2")),
    column(
        "x",
        {"type": "array", "elementType": PAIRS, "containsNull": True},
        **mapped(3, "x-1", **{"delta.columnMapping.nested.ids": NESTED}),
    ),
    column("s", struct(column("in", **mapped(8, "in"))), **mapped(4, "s")),
)


def test_column_mapping_gives_ids_and_the_names_in_files(tmp_path: Path) -> None:
    mode = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "8"}
    log(tmp_path, [protocol(2, 5), metadata(*MAPPED, partitioning=["name"], configuration=mode)])
    found = described(tmp_path)
    assert columns(tmp_path)[0] == "id INT64 #1"
    assert [one.physical_name for one in found.schema.fields] == ["id", "col-2", "x-1", "s"]
    element = found.schema.fields[2].element
    assert element
    assert element.key
    assert element.value
    assert (element.id, element.key.id, element.value.id) == (5, 6, 7)
    assert found.schema.fields[3].fields[0].id == 8
    assert found.storage is not None
    assert found.storage.column_mapping == "name"
    assert found.properties == {}
    assert [one.source for one in found.partitioning or ()] == ["name"]


def test_ids_count_only_where_columns_are_mapped(tmp_path: Path) -> None:
    log(tmp_path, [protocol(2, 5), metadata(*MAPPED)])
    found = described(tmp_path)
    assert [one.id for one in found.schema.fields] == [None] * 4
    assert [one.physical_name for one in found.schema.fields] == [None] * 4
    assert found.storage is not None
    assert found.storage.column_mapping is None


def test_odd_names_of_columns(tmp_path: Path) -> None:
    odd = ("a b", "a.b", "`", "", "ü", "a\nb")
    log(tmp_path, [protocol(), metadata(*map(column, odd), partitioning=["A.B"])])
    found = described(tmp_path)
    assert tuple(one.name for one in found.schema.fields) == odd
    assert [(one.name, one.source) for one in found.partitioning or ()] == [("a.b", "`a.b`")]


def test_a_table_that_is_divided_by_no_column_of_it_is_described_all_the_same(
    tmp_path: Path,
) -> None:
    log(tmp_path, [protocol(), metadata(column("a"), partitioning=["gone"])])
    found = described(tmp_path)
    assert found.partitioning == ()
    assert found.notes == ("it is divided by gone, which is no column of it",)


def test_clustering_names_columns_as_they_are_called_now(tmp_path: Path) -> None:
    paths = json.dumps({"clusteringColumns": [["col-2"], ["s", "in"]]})
    domain = {"domain": "delta.clustering", "configuration": paths, "removed": False}
    mode = {"delta.columnMapping.mode": "id"}
    made = [protocol(3, 7), metadata(*MAPPED, configuration=mode), {"domainMetadata": domain}]
    log(tmp_path, made, [add("a")])
    assert described(tmp_path).properties["clustering"] == ["name", "s.in"]
    log(tmp_path, [{"domainMetadata": {**domain, "removed": True}}], first=2)
    assert "clustering" not in described(tmp_path).properties


def test_types_that_nest_without_end_are_cut(tmp_path: Path) -> None:
    deep: Any = "long"
    for _ in range(100):
        deep = {"type": "array", "elementType": deep, "containsNull": True}
    log(tmp_path, [protocol(), metadata(column("a", deep))])
    assert described(tmp_path).notes == (
        "types nest over 64 levels deep: what is below is left out",
    )


def test_features_that_are_not_known_are_told(tmp_path: Path) -> None:
    known = ["deletionVectors", "columnMapping"]
    needs = protocol(3, 7, reader=[*known, "timeTravelByTea"], writer=["appendOnly", *known])
    log(tmp_path, [needs, CREATED[1]])
    found = described(tmp_path)
    assert found.notes == (
        "readers need the table feature `timeTravelByTea`, which is not known here",
    )
    assert found.storage is not None
    assert set(found.storage.features) == {*known, "timeTravelByTea", "appendOnly"}


def test_commits_that_only_a_catalog_knows_are_told(tmp_path: Path) -> None:
    log(tmp_path, [protocol(3, 7, reader=["catalogManaged"], writer=[]), CREATED[1]])
    assert described(tmp_path).notes == (
        "its catalog manages commits: those that lie only there are not seen",
    )


def test_properties_that_open_doors_never_leave_the_log(tmp_path: Path) -> None:
    configuration = {
        "delta.appendOnly": "true", "delta.enableChangeDataFeed": "true", "delta.own": "kept",
        "fs.azure.account.key": "k1", "delta.store.secret": "k2", "delta.accessKey": "k3",
        "delta.source": "https://u:k4@host/x", "delta.feed": "https://host/x?sig=k5",
        "delta.inCommitTimestampEnablementTimestamp": "1767225600000",
    }  # fmt: skip
    log(tmp_path, [protocol(), metadata(column("a"), configuration=configuration)])
    assert described(tmp_path).properties == {
        "delta.appendOnly": "true", "delta.enableChangeDataFeed": "true", "delta.own": "kept",
    }  # fmt: skip

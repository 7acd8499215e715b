"""Single decisions: where a value of an older dataset lands, and what is said of it."""

import pytest

from lumos_snap.canonical.migrations import MigrationResult, shape_of
from lumos_snap.canonical.migrations.values import DEEPEST
from lumos_snap.json_object import JsonObject
from tests.canonical.migrations.golden import upgraded

A, B, C = "lumos://s3/a", "lumos://s3/b", "lumos://s3/c"


def alone(**said: object) -> JsonObject:
    (snapshot,) = upgraded({"urn": A, **said}).snapshots
    return snapshot


def observed(**said: object) -> JsonObject:
    (observation,) = upgraded({"urn": A, **said}).observations
    return observation


def exported(*datasets: object, **said: object) -> MigrationResult:
    return upgraded({"datasets": list(datasets), **said})


def test_an_edge_stands_with_the_dataset_that_it_leads_to():
    result = exported({"urn": A, "lineage": {"downstream": [B, C]}}, {"urn": B})
    a, b = result.snapshots
    assert b["lineage"]["upstream"] == [{"urn": A}]
    assert a["properties"]["imported"]["lineage"]["downstream"] == {"[1]": C}
    assert ("lineage.downstream", f"{B}: lineage.upstream") in {
        (note.source, note.target) for note in result.notes
    }


def test_an_edge_that_both_ends_tell_of_is_one_edge():
    told = {"urn": A, "type": "copied"}
    result = exported(
        {"urn": A, "lineage": {"downstream": [B]}}, {"urn": B, "lineage": {"upstream": [told]}}
    )
    assert result.snapshots[1]["lineage"]["upstream"] == [{"urn": A, "type": "COPIED"}]


def test_an_edge_of_another_environment_keeps_its_urn():
    other = "urn:li:dataset:(csv,x,DEV)"
    snapshot = alone(environment="PROD", lineage={"upstream": [other]})
    assert snapshot["lineage"]["upstream"] == [{"urn": "lumos://csv/x"}]
    assert snapshot["properties"]["imported"] == {"lineage": {"upstream": [other]}}


def test_a_dataset_is_not_made_from_itself():
    assert "lineage" not in alone(lineage={"upstream": [A], "downstream": [A]})


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{yyyy}/{mm}/{dd}/{hh}", [("year", "INT32", "yyyy"), ("month", "INT32", "MM"),
                                   ("day", "INT32", "dd"), ("hour", "INT32", "HH")]),
        ("dt={yyyy-MM-dd}", [("dt", "DATE", "yyyy-MM-dd")]),
        ("region={region}", [("region", "STRING", None)]),
    ],
)  # fmt: skip
def test_a_pattern_becomes_partition_columns(pattern: str, expected: list[tuple[str, str, str]]):
    snapshot = alone(location={"partitioning": pattern})
    found = [(p["name"], p["type"], p.get("format")) for p in snapshot["storage"]["partitioning"]]
    assert found == expected


@pytest.mark.parametrize("pattern", ["", "/", "year={yyyy}/files", "plain", "{a}{b}"])
def test_a_pattern_that_cannot_be_read_is_kept(pattern: str):
    snapshot = alone(location={"partitioning": pattern})
    assert snapshot["properties"]["imported"]["location"]["partitioning"] == pattern
    assert "storage" not in snapshot


def test_a_partition_column_that_is_a_field_names_it_as_its_source():
    fields = [{"name": "day", "type": "DATE", "nullable": False}]
    snapshot = alone(location={"partitioning": "day={dd}"}, schema={"fields": fields})
    (partition,) = snapshot["storage"]["partitioning"]
    assert (partition["source"], partition["transform"]) == ("day", "identity")


def test_a_field_that_repeats_a_name_has_words_of_its_own():
    fields = [{"name": "id", "type": "STRING"}, {"name": "id", "type": "DATE", "pii": False}]
    (entry,) = alone(schema={"fields": fields})["governance"]["fields"]
    assert entry == {"path": "id#2", "pii": False}


def test_numbers_beside_a_type_belong_to_it():
    fields = [{"name": "x", "type": "DECIMAL", "precision": 12, "scale": 2, "nullable": True}]
    (field,) = alone(schema={"fields": fields})["schema"]["fields"]
    assert field == {
        "name": "x", "type": "DECIMAL", "precision": 12, "scale": 2, "nullable": True,
    }  # fmt: skip


def test_a_name_that_the_urn_does_not_hold_is_a_title():
    snapshot = alone(name="Everything about A")
    assert snapshot["name"] == "a"
    assert snapshot["documentation"] == {"title": "Everything about A"}


def test_unknown_keys_are_kept_and_noted():
    result = upgraded({"urn": A, "colour": {"hue": "blue"}})
    assert result.snapshots[0]["properties"] == {"imported": {"colour": {"hue": "blue"}}}
    (note,) = result.notes
    assert (note.source, note.target) == ("colour", "properties.imported.colour")


def test_a_point_in_time_is_kept_out_of_the_snapshot():
    moment = "2024-01-15T10:30:00Z"
    observation = observed(colour={"seen": moment}, custom_properties={"loaded": moment})
    assert observation["properties"] == {"imported": {"colour": {"seen": moment}}, "loaded": moment}
    assert "properties" not in alone(colour={"seen": moment})


def test_a_property_of_the_user_that_is_called_imported_hides_nothing():
    snapshot = alone(custom_properties={"imported": "x"}, colour="blue")
    kept = {"custom_properties": {"imported": "x"}, "colour": "blue"}
    assert snapshot["properties"]["imported"] == kept


def test_a_history_that_begins_with_the_newest_is_turned_round():
    history = [
        {"version": "S-2", "timestamp": "2024-02-01T00:00:00Z"},
        {"version": "S-1", "timestamp": "2024-01-01T00:00:00Z"},
    ]
    found = alone(versioning={"version_history": history})["versioning"]["history"]
    assert [release["cloud_version"] for release in found] == ["S-1", "S-2"]


@pytest.mark.parametrize(
    ("item", "pointer"),
    [
        ("text", ("datasets", 1)),
        ({}, ("datasets", 1)),
        ({"urn": 5}, ("datasets", 1, "urn")),
        ({"urn": "lumos://"}, ("datasets", 1, "urn")),
        ({"urn": A}, ("datasets", 1, "urn")),
    ],
)
def test_a_bad_item_does_not_stop_the_rest(item: object, pointer: tuple[str | int, ...]):
    result = exported({"urn": A}, item, {"urn": B})
    assert [one["urn"] for one in result.snapshots] == [A, B]
    assert [problem.pointer for problem in result.problems] == [pointer]


def test_what_is_nested_too_deep_is_left_out_and_told():
    deep: object = "bottom"
    for _ in range(DEEPEST + 10):
        deep = [deep]
    result = exported({"urn": A, "deep": deep}, {"urn": B})
    assert len(result.snapshots) == 2
    (problem,) = result.problems
    assert problem.pointer[:3] == ("datasets", 0, "deep")


def test_a_password_in_an_address_is_left_out_and_told():
    result = exported({"urn": A, "location": "https://me:secret@host/x"})
    assert result.snapshots[0]["storage"]["location"] == "https://host/x"
    assert [problem.pointer for problem in result.problems] == [("datasets", 0, "location")]


def test_listed_people_and_words_become_entities():
    result = exported(
        {"urn": A},
        users=["urn:li:corpuser:jane", {"username": "joe", "email": "j@example.org", "shoe": 44}],
        glossary=[{"name": "Customer", "definition": "Who pays"}],
        groups=[{"no": "id"}],
    )
    jane, joe = result.entities["users"]
    assert jane == {"lumos_version": "1.0.0", "id": "jane"}
    assert (joe["email"], joe["properties"]) == ("j@example.org", {"imported": {"shoe": 44}})
    (term,) = result.entities["glossary"]
    assert (term["id"], term["description"]) == ("Customer", "Who pays")
    assert [problem.pointer for problem in result.problems] == [("groups", 0)]


def test_what_a_document_says_of_itself_is_kept_with_each_observation():
    result = exported(
        {"urn": A}, {"urn": B}, exported_by="a tool", exported_at="2024-01-15T10:30:00Z"
    )
    for observation in result.observations:
        assert observation["observed_at"] == "2024-01-15T10:30:00Z"
        assert observation["properties"]["imported"]["document"] == {"exported_by": "a tool"}


@pytest.mark.parametrize(
    "today",
    [
        {"document": "lumos-export", "datasets": []},
        {"lumos_version": "1.0.0", "urn": A, "name": "a", "platform": "s3"},
        {"lumos_version": "1.0.0", "urn": A, "quality": {"score": "1"}, "cost": {"storage": "1"}},
        {"urn": A, "name": "a", "platform": "s3", "storage": {"format": "parquet"}},
        {"lumos_version": "1.0.0", "id": "jane"},
        {},
        [],
        None,
        "lumos://s3/a",
    ],
)
def test_todays_documents_and_other_values_have_no_older_shape(today: object):
    assert shape_of(today) is None


def test_a_dataset_with_a_mark_of_an_older_shape_is_told_by_it():
    older = {"lumos_version": "1.0.0", "urn": A, "governance": {"glossary_terms": ["x"]}}
    shape = shape_of(older)
    assert shape is not None
    assert shape.upgrade(older).snapshots[0]["governance"] == {"terms": ["x"]}

"""`lumos snap sync` says who edited what in DataHub, and when."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Lumos
from tests.cli.hub import JDOE, Hub, column, urn
from tests.gms import running

MOMENT = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@pytest.fixture(params=["openapi", "rest.li"])
def hub(
    request: pytest.FixtureRequest, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hub]:
    monkeypatch.setenv("HOME", str(tmp_path))  # DataHub's package writes into it once it is loaded
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
    with running(token="secret") as gms:  # noqa: S106
        made = Hub(tmp_path / "home", gms, lumos, request.param)
        for name in ("a", "b"):
            made.put(name, documentation={"description": f"The {name}."})
        made.commit("Start")
        made.apply()
        yield made


def told(hub: Hub, name: str = "a") -> list[tuple[Any, ...]]:
    drifts = hub.planned()[name]["drifts"]
    assert all(re.fullmatch(MOMENT, one["when"]) for one in drifts if "when" in one)
    return [(one["subject"], one["becomes"], one.get("by"), "when" in one) for one in drifts]


def test_the_plan_says_who_edited_what_and_when(hub: Hub) -> None:
    hub.edit("a", "editableDatasetProperties", {"description": "What people say."})
    hub.edit("a", "globalTags", {"tags": [{"tag": "urn:li:tag:gold"}]}, "urn:li:corpuser:ann")
    assert told(hub) == [
        ("documentation.description", "pulled", "jdoe", True),
        ("governance.tags", "pulled", "ann", True),
    ]
    said = rf"< changed by jdoe, {MOMENT}: documentation.description: .*goes into the tree"
    assert re.search(said, hub.run().out)


def test_who_edited_a_schema_that_is_restored_is_told(hub: Hub) -> None:
    def as_text(schema: Any) -> Any:
        kind: Any = {"type": {"com.linkedin.schema.StringType": {}}}
        (field,) = schema["fields"]
        return {**schema, "fields": [{**field, "type": kind, "nativeDataType": "STRING"}]}

    hub.edit("a", "schemaMetadata", as_text)
    assert told(hub) == [("field.type", "reverted", "jdoe", True)]


def test_whoever_wrote_the_same_again_is_no_editor(hub: Hub) -> None:
    words = {"description": "What people say."}
    hub.edit("a", "editableDatasetProperties", words)
    hub.edit("a", "editableDatasetProperties", words, "urn:li:corpuser:ann")
    assert told(hub) == [("documentation.description", "pulled", "jdoe", True)]


def test_our_own_write_makes_us_nobodys_editor(hub: Hub) -> None:
    hub.edit("a", "globalTags", {"tags": [{"tag": "urn:li:tag:gold"}]})
    hub.put("a", documentation={"description": "The a."}, governance={"tags": ["raw"]})
    hub.apply()
    assert hub.gms.system(
        "urn:li:dataset:(urn:li:dataPlatform:s3,lake/a,PROD)", "globalTags"
    )["aspectModified"]["actor"].endswith("lumos")  # fmt: skip
    assert told(hub) == [("governance.tags", "pulled", None, False)]


@pytest.mark.parametrize(
    ("actor", "by"),
    [
        ("urn:li:corpuser:unknown", None),
        ("urn:li:corpuser:__datahub_system", "__datahub_system"),
        ("urn:li:corpuser:jane@example.com", "jane@example.com"),
    ],
)
def test_who_is_no_person_is_told_as_it_is(hub: Hub, actor: str, by: str | None) -> None:
    hub.edit("a", "editableDatasetProperties", {"description": "Other."}, actor)
    assert told(hub) == [("documentation.description", "pulled", by, True)]


def test_what_nobody_touched_is_told_of_nobody(hub: Hub) -> None:
    hub.edit("a", "editableDatasetProperties", {"description": "Other."}, JDOE)
    assert set(hub.planned()) == {"a"}


def test_who_tagged_a_column_is_known_under_its_new_name(hub: Hub) -> None:
    hub.put("a", column("id"), column("amount", id=7))
    hub.apply()
    tag = {"tag": "urn:li:tag:money"}
    term = {"urn": "urn:li:glossaryTerm:price"}
    entry = {"description": "In euro", "globalTags": {"tags": [tag]}}
    audit = {"time": 1, "actor": JDOE}
    entry["glossaryTerms"] = {"terms": [term], "auditStamp": audit}
    entries = [{"fieldPath": "amount", **entry}, {"fieldPath": "id", "description": "Which"}]
    hub.edit("a", "editableSchemaMetadata", {"editableSchemaFieldInfo": entries})
    hub.put("a", column("id"), column("price", id=7))
    hub.commit()
    hub.apply()
    held = hub.gms.value(urn("a"), "editableSchemaMetadata")["editableSchemaFieldInfo"]
    now = {one["fieldPath"]: one for one in held}
    assert set(now) == {"id", "price"}
    assert now["price"]["description"] == "In euro"
    assert now["price"]["globalTags"]["tags"] == [tag]  # nobody else has put it there
    assert now["price"]["glossaryTerms"]["terms"] == [term]
    assert hub.run("--pull").code == 0
    said = hub.read("a")
    fields = [{"path": "id", "description": "Which"}, {"path": "price", "description": "In euro"}]
    assert said["documentation"]["fields"] == fields
    assert said["governance"]["fields"] == [
        {"path": "price", "tags": ["money"], "terms": ["price"]}
    ]
    assert hub.run("--check").code == 0

"""Writing ours into what is there: nothing of others goes."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.datahub.aspect_merge import merge_aspects, same_aspect
from lumos_snap.catalogs.datahub.custom_properties import missing
from lumos_snap.catalogs.datahub.mapping import from_aspects, project_document, to_aspects
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper
from tests.strategies import LAW
from tests.strategies.datahub import documents_of

NAMING = NamingSettings()
IDENTITY = UrnMapper(NAMING)
SOURCE = NAMING.source
OURS = {"time": 0, "actor": NAMING.actor, "source": SOURCE, "sourceDetail": {}}
URN = IDENTITY.dataset("lumos://s3/a/b")
documents = documents_of(SNAPSHOT)


def _aspects(document: dict[str, Any], **identity: str) -> dict[str, Any]:
    return to_aspects({**document, **identity}, SNAPSHOT, IDENTITY).aspects


def _placed(document: dict[str, Any]) -> dict[str, Any]:
    """A document as that of one dataset."""
    return {**document, "urn": "lumos://s3/a/b", "name": "b", "platform": "s3"}


def _by_others(held: Any) -> Any:
    """Aspects as people and other sources would have written them."""
    if isinstance(held, dict):
        return {name: _by_others(one) for name, one in held.items() if name != "attribution"}
    return [_by_others(one) for one in held] if isinstance(held, list) else held


ITEMS = (
    ("globalTags", "tags", "tag"),
    ("glossaryTerms", "terms", "urn"),
    ("ownership", "owners", "owner"),
    ("institutionalMemory", "elements", "url"),
    ("upstreamLineage", "upstreams", "dataset"),
    ("editableSchemaMetadata", "editableSchemaFieldInfo", "fieldPath"),
)


def _names(aspects: dict[str, Any], aspect: str, items: str, key: str) -> set[str]:
    return {one[key] for one in aspects.get(aspect, {}).get(items, ())}


@LAW
@given(documents, documents)
def test_what_others_added_stays_beside_what_we_write(
    theirs: dict[str, Any], ours: dict[str, Any]
) -> None:
    existing = _by_others(_aspects(_placed(theirs)))
    wanted = _aspects(_placed(ours))
    merged = merge_aspects(existing, wanted, SOURCE)
    for row in ITEMS:
        if row[0] in merged:
            assert _names(merged, *row) == _names(existing, *row) | _names(wanted, *row)
    texts = merged["datasetProperties"]["customProperties"]
    for name, one in existing["datasetProperties"]["customProperties"].items():
        if not name.startswith("lumos."):
            assert texts[name] == wanted["datasetProperties"]["customProperties"].get(name, one)


@LAW
@given(documents, documents)
def test_all_that_we_write_is_there(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    existing = _by_others(_aspects(_placed(theirs)))
    wanted = to_aspects(_placed(ours), SNAPSHOT, IDENTITY)
    merged = merge_aspects(existing, wanted.aspects, SOURCE)
    found = from_aspects(SNAPSHOT, URN, merged, IDENTITY, wanted.companions)
    said = project_document(_placed(ours), SNAPSHOT, IDENTITY)
    assert said is not None
    assert missing(said, found, SNAPSHOT.cls) == {}
    assert found.get("schema") == said.get("schema") or "schemaMetadata" not in wanted.aspects


@LAW
@given(documents, documents)
def test_writing_it_again_changes_nothing(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    wanted = _aspects(_placed(ours))
    once = merge_aspects(_by_others(_aspects(_placed(theirs))), wanted, SOURCE)
    assert merge_aspects(once, wanted, SOURCE) == once
    assert merge_aspects(once, wanted, SOURCE, before=wanted) == once


@LAW
@given(documents)
def test_where_nothing_is_there_ours_is_written(document: dict[str, Any]) -> None:
    ours = _aspects(_placed(document))
    assert merge_aspects({}, ours, SOURCE) == ours
    assert merge_aspects(ours, ours, SOURCE) == ours


@LAW
@given(documents, documents)
def test_ours_follows_ours_without_a_trace(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = to_aspects(_placed(old), SNAPSHOT, IDENTITY)
    after = to_aspects(_placed(new), SNAPSHOT, IDENTITY)
    merged = merge_aspects(before.aspects, after.aspects, SOURCE, before.aspects)
    found = from_aspects(SNAPSHOT, URN, merged, IDENTITY, after.companions)
    assert found == project_document(_placed(new), SNAPSHOT, IDENTITY)


KEYS = ("somethingNew", "externalUrl", "lifecycleStage", "uri")


@LAW
@given(documents, st.sampled_from(KEYS))
def test_keys_that_we_do_not_know_stay(document: dict[str, Any], name: str) -> None:
    ours = _aspects(_placed(document))
    existing = {aspect: {**held, name: {"x": [1]}} for aspect, held in ours.items()}
    merged = merge_aspects(existing, ours, SOURCE)
    assert all(held[name] == {"x": [1]} for held in merged.values())


def _tags(*given: tuple[str, bool]) -> dict[str, Any]:
    rows = [{"tag": tag, **({"attribution": OURS} if ours else {})} for tag, ours in given]
    return {"globalTags": {"tags": rows}}


def test_only_what_we_added_is_removed() -> None:
    existing = _tags(("a", True), ("b", False), ("c", True))
    before = _tags(("a", True), ("b", True))
    merged = merge_aspects(existing, {}, SOURCE, before)
    assert [one["tag"] for one in merged["globalTags"]["tags"]] == ["b", "c"]


def test_what_somebody_else_added_is_not_claimed() -> None:
    merged = merge_aspects(_tags(("a", False)), _tags(("a", True)), SOURCE)
    assert merged == _tags(("a", False))


def test_what_we_say_of_an_owner_is_noted_with_somebody_elses_entry() -> None:
    owner = {"owner": "urn:li:corpuser:a", "type": "NONE"}
    detail = {**OURS, "sourceDetail": {"description": "asks first"}}
    merged = merge_aspects(
        {"ownership": {"owners": [owner]}},
        {"ownership": {"owners": [{**owner, "attribution": detail}]}},
        SOURCE,
    )
    (one,) = merged["ownership"]["owners"]
    assert one["attribution"]["sourceDetail"] == {"description": "asks first"}
    assert one["attribution"].get("source") is None


def _info(**said: Any) -> dict[str, Any]:
    return {"editableSchemaMetadata": {"editableSchemaFieldInfo": [{"fieldPath": "a", **said}]}}


def test_a_word_that_we_take_back_leaves_the_tags_of_others() -> None:
    existing = _info(description="ours", globalTags={"tags": [{"tag": "x"}]})
    merged = merge_aspects(existing, {}, SOURCE, _info(description="ours"))
    assert merged == _info(globalTags={"tags": [{"tag": "x"}]})
    assert merge_aspects(_info(description="ours"), {}, SOURCE, _info(description="ours")) == {
        "editableSchemaMetadata": {"editableSchemaFieldInfo": []}
    }


def test_a_word_that_somebody_changed_meanwhile_is_not_taken_away() -> None:
    merged = merge_aspects(_info(description="theirs"), {}, SOURCE, _info(description="ours"))
    assert merged == _info(description="theirs")


def test_a_field_is_known_by_either_version_of_its_path() -> None:
    existing = {
        "editableSchemaMetadata": {
            "editableSchemaFieldInfo": [
                {"fieldPath": "[version=2.0].[type=struct].[type=int].a", "description": "old"}
            ]
        }
    }
    merged = merge_aspects(existing, _info(description="new"), SOURCE)
    assert merged == _info(description="new")


def test_tags_that_a_source_put_on_columns_survive_a_new_schema() -> None:
    def schema(*names: str, **more: Any) -> dict[str, Any]:
        return {"schemaMetadata": {"fields": [{"fieldPath": name, **more} for name in names]}}

    terms = {"terms": [{"urn": "urn:li:glossaryTerm:x"}], "auditStamp": {"time": 1, "actor": "a"}}
    merged = merge_aspects(
        schema("a", "gone", glossaryTerms=terms, description="old"), schema("b", "a"), SOURCE
    )
    assert merged["schemaMetadata"]["fields"] == [
        {"fieldPath": "b"},
        {"fieldPath": "a", "glossaryTerms": terms},
    ]


def test_stamps_of_the_server_stay() -> None:
    stamp = {"time": 99, "actor": "urn:li:corpuser:jdoe"}
    merged = merge_aspects(
        {"ownership": {"owners": [], "lastModified": stamp}},
        {"ownership": {"owners": [], "lastModified": {"time": 0, "actor": "x"}}},
        SOURCE,
    )
    assert merged["ownership"]["lastModified"] == stamp


def test_an_aspect_that_we_take_back_still_says_what_it_must() -> None:
    before = {"deprecation": {"deprecated": True, "note": "old", "actor": NAMING.actor}}
    merged = merge_aspects(before, {}, SOURCE, before)
    assert same_aspect(
        merged["deprecation"], {"deprecated": False, "note": "", "actor": NAMING.actor}
    )


def test_a_property_that_was_ours_goes_unless_somebody_changed_it() -> None:
    def texts(**said: str) -> dict[str, Any]:
        return {"datasetProperties": {"customProperties": said}}

    existing = texts(team="blue", cost="9", theirs="x")
    merged = merge_aspects(existing, texts(), SOURCE, texts(team="blue", cost="5"))
    assert merged == texts(cost="9", theirs="x")

"""A first push, and what there is left to do after it: nothing."""

from tests.datahub.home import Home
from tests.datahub.hub import Hub

ASPECTS = ("schemaMetadata", "datasetProperties", "globalTags", "ownership")


def put_three(home: Home) -> list[str]:
    owners = {"owners": [{"group": home.named("analytics"), "type": "TECHNICAL_OWNER"}]}
    tags = {"tags": [home.named("raw")]}
    return [home.put(name, ownership=owners, governance=tags) for name in ("a", "b", "c")]


def test_a_look_writes_nothing(home: Home, hub: Hub) -> None:
    urns = put_three(home)
    assert home.plan()["counts"]["created"] == 3
    assert [hub.value(urn, "schemaMetadata") for urn in urns] == [{}, {}, {}]


def test_a_first_push_is_there_as_datahub_shows_it(home: Home, hub: Hub) -> None:
    urns = put_three(home)
    assert "3 written" in home.push().out
    for urn in urns:
        fields = hub.value(urn, "schemaMetadata")["fields"]
        assert [one["fieldPath"] for one in fields] == ["id", "note"]
        (tag,) = hub.value(urn, "globalTags")["tags"]
        assert tag["tag"] == f"urn:li:tag:{home.named('raw')}"
        (owner,) = hub.value(urn, "ownership")["owners"]
        assert owner["owner"] == f"urn:li:corpGroup:{home.named('analytics')}"
    assert home.is_settled()


def test_a_second_apply_sends_nothing(home: Home, hub: Hub) -> None:
    urns = put_three(home)
    home.push()
    before = [hub.stamp(urn, one) for urn in urns for one in ASPECTS]
    assert all(before)
    home.push()
    assert [hub.stamp(urn, one) for urn in urns for one in ASPECTS] == before


def test_only_what_changed_is_written(home: Home, hub: Hub) -> None:
    a, b, _ = put_three(home)
    home.push()
    kept = [hub.stamp(urn, one) for urn in (a, b) for one in ASPECTS if one != "schemaMetadata"]
    more = {"fields": [{"name": "id", "type": "INT64", "nullable": True}]}
    home.change("a", schema=more)
    assert "1 written" in home.push().out
    now = [hub.stamp(urn, one) for urn in (a, b) for one in ASPECTS if one != "schemaMetadata"]
    assert now == kept
    assert len(hub.value(a, "schemaMetadata")["fields"]) == 1
    assert home.is_settled()

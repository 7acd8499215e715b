"""A server that others have filled becomes a tree, and stays as they left it."""

import time

import pytest

from lumos_snap.cli import main
from tests.datahub.home import Home
from tests.datahub.hub import Hub

NAMES = ("a", "b", "c")
PATIENCE = 60.0
"""Seconds that the index of a server may take to see what was written."""


def fill(home: Home, hub: Hub) -> list[str]:
    """Datasets with columns of both spellings, words, a tag and lineage, each from the last."""
    urns = [home.urn(name) for name in NAMES]
    said = {"type": {"type": {"com.linkedin.schema.StringType": {}}}, "nativeDataType": "text"}
    for number, urn in enumerate(urns):
        path = "[version=2.0].[type=struct].[type=string].id" if number else "id"
        schema = {
            "schemaName": urn,
            "platform": "urn:li:dataPlatform:s3",
            "version": 0,
            "hash": "",
            "platformSchema": {"com.linkedin.schema.Schemaless": {}},
            "fields": [{"fieldPath": path, "nullable": True, **said}],
        }
        hub.write(urn, "schemaMetadata", schema)
        hub.write(urn, "editableDatasetProperties", {"description": f"What people say of {urn}"})
        hub.write(urn, "globalTags", {"tags": [{"tag": f"urn:li:tag:{home.named('theirs')}"}]})
        if number:
            edge = {"dataset": urns[number - 1], "type": "COPY"}
            hub.write(urn, "upstreamLineage", {"upstreams": [edge]})
    return urns


def adopt(home: Home) -> None:
    """Import until the index of the server has seen everything."""
    until = time.monotonic() + PATIENCE
    command = ["snap", "import", "--from", "hub", "--only", f"*{home.hub.prefix}*"]
    while not all(home.file(name).exists() for name in NAMES):
        assert time.monotonic() < until, "the index does not see what was written"
        assert main([*command, "-C", str(home.folder)]) == 0
    home.commit("What the catalog has")


def test_the_first_plan_is_empty_and_nothing_is_written(home: Home, hub: Hub) -> None:
    urns = fill(home, hub)
    before = [hub.stamp(urn, "globalTags") for urn in urns]
    adopt(home)
    assert home.plan()["documents"] == []
    home.push()
    assert [hub.stamp(urn, "globalTags") for urn in urns] == before
    assert home.read("b")["documentation"]["description"].startswith("What people say of ")
    assert home.read("b")["lineage"]["upstream"][0]["urn"] == home.our_urn("a")


@pytest.mark.parametrize("has_synced", [True, False])
def test_a_tag_of_theirs_stays_when_it_leaves_the_tree(
    *, has_synced: bool, home: Home, hub: Hub
) -> None:
    urns = fill(home, hub)
    adopt(home)
    if has_synced:
        home.push()
    home.change("a", governance={"tags": [home.named("ours")]})
    home.push()
    tags = {one["tag"] for one in hub.value(urns[0], "globalTags")["tags"]}
    assert tags == {f"urn:li:tag:{home.named(name)}" for name in ("ours", "theirs")}
    home.change("a", governance=None)
    home.push()
    tags = {one["tag"] for one in hub.value(urns[0], "globalTags")["tags"]}
    assert tags == {f"urn:li:tag:{home.named('theirs')}"}

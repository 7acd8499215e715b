"""`lumos snap import --from`: a DataHub that others have filled becomes a tree, over real HTTP."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.catalogs.foreign_datahub import JOB, fill, spoil, urn_of
from tests.cli.conftest import Lumos
from tests.cli.lake import git
from tests.gms import Gms, running

MODES = ("openapi", "rest.li")
REMOVED = 20
"""Every twentieth dataset was removed there."""


@pytest.fixture
def gms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Gms]:
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    with running(token="secret") as gms:  # noqa: S106 - of a test
        yield gms


@pytest.fixture(params=MODES)
def hub(request: pytest.FixtureRequest, gms: Gms, empty: Path) -> Path:
    """An empty tree, and a catalog of another mode each time."""
    named = f"{{name: hub, type: datahub, server: '{gms.url}', mode: {request.param}}}"
    (empty / "lumos.yaml").write_text(f"version: 1\ncatalogs: [{named}]\n")
    git(empty, "init", "-qb", "main")
    git(empty, "add", "-A")
    git(empty, "commit", "-qm", "Start")
    return empty


ENTITIES = 7
"""A tag, a term, a user, a group, a domain, a property and a job."""


def reads(gms: Gms) -> Counter[str]:
    """Requests that read by urn, by kind; in rest.li they do not tell."""
    found = (one for one in gms.asked if "batchGet" in one.path or "entitiesV2" in one.path)
    return Counter(one.path.rsplit("/", 2)[-2] for one in found)


def documents(tree: Path) -> dict[str, bytes]:
    found = (one for part in ("snapshots", "entities") for one in (tree / part).rglob("*.json"))
    return {str(one.relative_to(tree)): one.read_bytes() for one in found}


@pytest.mark.slow
def test_a_full_catalog_is_adopted_and_the_first_plan_is_empty(
    hub: Path, gms: Gms, lumos: Lumos
) -> None:
    fill(gms, 1000)
    before = gms.dump()
    gms.asked.clear()
    ran = lumos("snap", "import", "--from", "hub", "--json")
    assert (ran.code, ran.json["findings"]) == (0, [])
    assert ran.json["datasets"] == 1000 - 1000 // REMOVED
    assert ran.json["entities"] == ENTITIES
    assert sum("graphql" in one.path for one in gms.asked) <= 10  # a page or two of each kind
    assert sum(reads(gms).values()) <= (15 if "openapi" in settings(hub) else 60)
    assert not gms.asked.writes()
    assert lumos("snap", "validate").code == 0
    git(hub, "add", "-A")
    git(hub, "commit", "-qm", "What the catalog has")
    assert lumos("snap", "sync", "--json").json["documents"] == []
    ran = lumos("snap", "sync", "--apply", "--yes")
    assert (ran.code, "no difference" in ran.out) == (0, True)
    assert not gms.asked.writes()
    assert gms.dump() == before
    assert lumos("snap", "import", "--from", "hub", "--json").json["unchanged"] == 950 + ENTITIES


def settings(tree: Path) -> str:
    return (tree / "lumos.yaml").read_text()


def test_what_others_made_is_told_in_our_words(hub: Path, gms: Gms, lumos: Lumos) -> None:
    fill(gms, 98)
    assert lumos("snap", "import", "--from", "hub").code == 0
    plain = json.loads((hub / "snapshots/hive/db2/t30.json").read_text())
    assert plain["documentation"] == {"description": "What people say"}
    assert plain["governance"]["domain"] == "sales"
    assert plain["governance"]["tags"] == ["Legacy"]
    assert {tuple(one.values()) for one in plain["ownership"]["owners"]} == {
        ("jdoe", "DATAOWNER"),
        ("ops",),
    }
    assert plain["properties"] == {"cost": "12.5", "owner": "ops"}
    nested = json.loads((hub / "snapshots/s3/db3.t31.json").read_text())["schema"]["fields"]
    assert [one["name"] for one in nested] == ["id", "customer"]
    (edge,) = plain["lineage"]["upstream"]
    assert edge["columns"][0]["to"] == "id"
    foreign = [path for path in documents(hub) if path.startswith("snapshots/datahub/")]
    assert len(foreign) == 2
    (job,) = (hub / "entities/jobs").rglob("*.json")
    assert json.loads(job.read_text())["id"] == JOB


def test_a_tag_of_others_stays_when_it_leaves_git(hub: Path, gms: Gms, lumos: Lumos) -> None:
    fill(gms, 3)
    lumos("snap", "import", "--from", "hub")
    git(hub, "add", "-A")
    git(hub, "commit", "-qm", "What the catalog has")
    assert lumos("snap", "sync", "--apply", "--yes").code == 0
    path = next((hub / "snapshots/s3").rglob("*.json"))
    path.write_text(path.read_text().replace('"Legacy"', '"mine"'))
    lumos("snap", "fmt")
    assert lumos("snap", "sync", "--apply", "--yes").code == 0
    tags = {one["tag"] for one in gms.value(urn_of(1), "globalTags")["tags"]}
    assert tags == {"urn:li:tag:Legacy", "urn:li:tag:mine"}


def test_filters_choose_and_what_is_not_meant_is_not_asked_for(
    hub: Path, gms: Gms, lumos: Lumos
) -> None:
    fill(gms, 30)
    gms.asked.clear()
    ran = lumos("snap", "import", "--from", "hub", "--platform", "s3", "--kind", "datasets")
    assert ran.code == 0
    assert {path.split("/")[1] for path in documents(hub)} == {"s3"}
    assert sum(reads(gms).values()) == 1
    ran = lumos("snap", "import", "--from", "hub", "--only", "hive/db3/**", "--dry-run", "--json")
    assert (ran.code, ran.json["datasets"]) == (0, 2)
    assert {path.split("/")[1] for path in documents(hub)} == {"s3"}


def test_what_cannot_be_brought_in_is_named_and_the_rest_comes(
    hub: Path, gms: Gms, lumos: Lumos
) -> None:
    fill(gms, 10)
    spoil(gms, urn_of(4), "schemaMetadata", {"fields": [{"fieldPath": 7}]})
    gms.edit(urn_of(5), "globalTags", {"tags": [{"tag": "urn:li:tag:"}]})
    ran = lumos("snap", "import", "--from", "hub")
    assert ran.code == 3
    assert "snapshots/s3/db4.t4.json:1:1: unreadable" in ran.out
    assert "an aspect there is not what DataHub writes" in ran.out
    assert lumos("snap", "validate").code == 0
    assert lumos("snap", "sync", "--json").json["documents"] == []
    backup = hub.parent / "backup.json"
    ran = lumos("snap", "export", "--from", "hub", "-o", backup)
    assert (ran.code, backup.exists()) == (3, False)
    assert "nothing is written" in ran.err
    ran = lumos("snap", "export", "--from", "hub", "-o", backup, "--partial")
    assert (ran.code, lumos("snap", "validate", backup).code) == (3, 0)


_PROGRAM = "import sys; from lumos_snap.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.slow
def test_an_adoption_that_is_killed_again_and_again_goes_on_where_it_was(
    hub: Path, gms: Gms, lumos: Lumos
) -> None:
    fill(gms, 1000)
    gms.latency = 0.15
    command = [sys.executable, "-c", _PROGRAM, "snap", "import", "--from", "hub"]
    there, left = 0, 3
    while left:
        with subprocess.Popen(command, cwd=hub, stdout=subprocess.DEVNULL) as running:
            until = time.monotonic() + 60
            while running.poll() is None and time.monotonic() < until:
                if len(documents(hub)) > there + 50:
                    running.kill()
                    break
                time.sleep(0.01)
        there, left = len(documents(hub)), left - 1
    assert ENTITIES < there < 950
    gms.latency = 0
    gms.asked.clear()
    ran = lumos("snap", "import", "--from", "hub", "--json")
    assert (ran.code, ran.json["unchanged"]) == (0, there)
    assert ran.json["datasets"] + ran.json["entities"] == 950 + ENTITIES - there
    assert reads(gms)["dataset"] <= (950 - there) // 200 + 1
    assert lumos("snap", "sync", "--json").json["documents"] == []


def test_a_catalog_out_of_reach_is_told_in_one_line(hub: Path, gms: Gms, lumos: Lumos) -> None:
    fill(gms, 3)
    gms.faults.answer(403, path=".*graphql.*", times=None)
    ran = lumos("snap", "import", "--from", "hub")
    assert (ran.code, ran.err.count("\n")) == (3, 2)
    assert "does not let this token do that" in ran.err
    assert documents(hub) == {}


@pytest.mark.parametrize(
    "arguments", [(), ("a.json", "--from", "hub"), ("a.json", "--kind", "tags")]
)
def test_a_file_or_a_catalog_is_brought_in(
    arguments: tuple[str, ...], empty: Path, lumos: Lumos
) -> None:
    (empty / "lumos.yaml").write_text("version: 1\n")
    ran = lumos("snap", "import", *arguments)
    assert (ran.code, "a FILE, or a catalog" in ran.err) == (2, True)

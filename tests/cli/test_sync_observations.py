"""What was measured goes to a DataHub server, once: through the command, in both wire modes."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.observation import Observation
from tests.cli.conftest import Lumos
from tests.cli.lake import git
from tests.gms import Gms, running

SERIES = ("datasetProfile", "operation", "assertionRunEvent")
REVENUE = "observations/delta/lake/gold/daily_revenue.json"
THEIRS = "urn:li:dataset:(urn:li:dataPlatform:delta,lake.gold.daily_revenue,PROD)"


@pytest.fixture(params=["openapi", "rest.li"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def gms(shop: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gms]:
    """A server that the shop is synced with."""
    with running(token="secret") as found:  # noqa: S106
        monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
        monkeypatch.setenv("HOME", str(shop.parent))
        settings(shop, f"server: '{found.url}', mode: {mode}")
        yield found


def settings(shop: Path, more: str) -> None:
    catalog = f"{{name: hub, type: datahub, {more}}}"
    (shop / "lumos.yaml").write_text(f"version: 1\nenvironment: PROD\ncatalogs: [{catalog}]\n")


def pushed(lumos: Lumos) -> str:
    ran = lumos("snap", "sync", "--apply", "--yes")
    assert ran.code == 0, ran
    return ran.out.splitlines()[-1]


def points(gms: Gms) -> dict[tuple[str, str], list[Any]]:
    return {
        (urn, name): held[name]
        for urn, held in gms.dump().items()
        for name in SERIES
        if name in held
    }


def measure(shop: Path, at: str, **data: Any) -> None:
    path = shop / REVENUE
    found = json.loads(path.read_text())
    found["observed_at"] = at
    found["data"].update(data)
    path.write_bytes(encode_document(found, Observation))


def observations(shop: Path) -> int:
    return sum(1 for _ in (shop / "observations").rglob("*.json"))


def test_readings_are_points_in_time(lumos: Lumos, shop: Path, gms: Gms) -> None:
    assert pushed(lumos).endswith(f", {observations(shop)} observations sent")
    found = points(gms)
    (profile,) = found[THEIRS, "datasetProfile"]
    assert (profile["rowCount"], profile["sizeInBytes"]) == (41_560, 9_120_448)
    snapshot = json.loads((shop / "snapshots/delta/lake/gold/daily_revenue.json").read_text())
    assert profile["columnCount"] == len(snapshot["schema"]["fields"])
    assert profile["timestampMillis"] == 1_762_246_812_000  # 2025-11-04T09:00:12Z
    (operation,) = found[THEIRS, "operation"]
    assert operation["lastUpdatedTimestamp"] == 1_762_227_298_000  # 2025-11-04T03:34:58Z
    checks = {one["name"] for one in snapshot["quality"]["checks"]}
    runs = [run for (_, name), (run,) in found.items() if name == "assertionRunEvent"]
    of_revenue = [one for one in runs if one["asserteeUrn"] == THEIRS]
    assert len(of_revenue) == len(checks & {"net-below-gross", "no-gaps"}) > 0
    assert all(one["result"]["type"] == "SUCCESS" for one in of_revenue)
    assert all(one["assertionUrn"] in gms.dump() for one in of_revenue)


def test_a_second_apply_sends_none(lumos: Lumos, shop: Path, gms: Gms) -> None:
    pushed(lumos)
    gms.asked.clear()
    assert pushed(lumos).endswith("no difference")
    assert gms.asked.writes() == []


def test_many_readings_are_few_requests(lumos: Lumos, shop: Path, gms: Gms) -> None:
    pushed(lumos)
    measured = [one for one in gms.asked.writes() if {w.aspect for w in one.wrote} <= set(SERIES)]
    assert len(measured) <= 2  # one for each kind of entity
    assert sum(len(one.wrote) for one in measured) > observations(shop)


def test_only_what_was_measured_since_is_sent(lumos: Lumos, shop: Path, gms: Gms) -> None:
    pushed(lumos)
    gms.asked.clear()
    measure(shop, "2025-11-05T09:00:00Z", rows=50_000)
    assert lumos("snap", "sync").out.endswith("and `hub`: 1 observation to send\n")
    assert lumos("snap", "sync", "--check").code == 0  # it is no difference
    assert gms.asked.writes() == []
    assert pushed(lumos) == "`hub`: 1 observation sent"
    assert {one.urn for one in gms.asked.written() if one.aspect == "datasetProfile"} == {THEIRS}
    assert [one["rowCount"] for one in points(gms)[THEIRS, "datasetProfile"]] == [50_000, 41_560]


def test_an_older_reading_is_not_sent(lumos: Lumos, shop: Path, gms: Gms) -> None:
    pushed(lumos)
    gms.asked.clear()
    measure(shop, "2025-11-03T09:00:00Z", rows=1)
    assert pushed(lumos).endswith("no difference")
    assert gms.asked.writes() == []


def test_a_lost_base_sends_again_and_adds_no_points(lumos: Lumos, shop: Path, gms: Gms) -> None:
    pushed(lumos)
    before = points(gms)
    git(shop, "update-ref", "-d", "refs/lumos/sync/hub")
    assert f"{observations(shop)} observations sent" in pushed(lumos)
    assert points(gms) == before


def test_a_lost_answer_adds_no_points(lumos: Lumos, shop: Path, gms: Gms) -> None:
    gms.faults.cut_after(aspect="datasetProfile")
    assert f"{observations(shop)} observations sent" in pushed(lumos)
    assert all(len(found) == 1 for found in points(gms).values())


def test_one_that_is_refused_is_named_and_the_rest_is_sent(
    lumos: Lumos, shop: Path, gms: Gms
) -> None:
    gms.faults.answer(400, urn=THEIRS, aspect="datasetProfile", times=None)
    ran = lumos("snap", "sync", "--apply", "--yes")
    assert ran.code == 3
    assert "! delta/lake/gold/daily_revenue  its observation is not sent: " in ran.out
    assert f"{observations(shop) - 1} observations sent" in ran.out
    assert (THEIRS, "datasetProfile") not in points(gms)
    gms.faults.clear()
    assert pushed(lumos) == "`hub`: 1 observation sent"


def test_a_dataset_that_is_not_there_is_not_measured(lumos: Lumos, shop: Path, gms: Gms) -> None:
    gms.faults.answer(400, urn=THEIRS, aspect="schemaMetadata", times=None)
    assert lumos("snap", "sync", "--apply", "--yes").code == 3
    assert (THEIRS, "datasetProfile") not in points(gms)


def test_what_is_asked_for_in_part_is_measured_in_part(lumos: Lumos, shop: Path, gms: Gms) -> None:
    lumos("snap", "sync", "--apply", "--yes", "--only", "delta/**")
    assert {urn for urn, name in points(gms) if name == "datasetProfile"} == {THEIRS}
    lumos("snap", "sync", "--apply", "--yes", "--section", "documentation")
    assert {urn for urn, name in points(gms) if name == "datasetProfile"} == {THEIRS}


def test_one_that_is_damaged_is_named_and_forbids_nothing(
    lumos: Lumos, shop: Path, gms: Gms
) -> None:
    (shop / REVENUE).write_text("{")
    ran = lumos("snap", "sync", "--apply", "--yes")
    assert ran.code == 1
    assert ran.err.startswith(f"{REVENUE}:1:")
    assert "1 invalid observation not sent" in ran.err
    assert f"{observations(shop) - 1} observations sent" in ran.out
    assert (THEIRS, "datasetProfile") not in points(gms)


def test_who_wants_none_sends_none(lumos: Lumos, shop: Path, gms: Gms, mode: str) -> None:
    settings(shop, f"server: '{gms.url}', mode: {mode}, observations: false")
    assert "observation" not in pushed(lumos)
    assert points(gms) == {}


def test_a_tree_without_observations_sends_none(lumos: Lumos, shop: Path, gms: Gms) -> None:
    shutil.rmtree(shop / "observations")
    assert "observation" not in pushed(lumos)
    assert points(gms) == {}


def test_a_queue_takes_them_too(lumos: Lumos, shop: Path, gms: Gms, mode: str) -> None:
    settings(
        shop, f"server: '{gms.url}', mode: {mode}, asynchronous: {str(mode == 'openapi').lower()}"
    )
    assert f"{observations(shop)} observations sent" in pushed(lumos)
    gms.catch_up()
    assert (THEIRS, "datasetProfile") in points(gms)

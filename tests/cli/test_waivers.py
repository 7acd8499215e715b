"""Waivers in `waivers/*.yaml`: which findings they cover, and what is said of them."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Lumos
from tests.cli.lake import Lake, column, git

AT = {"name": "at", "type": "TIMESTAMP", "unit": "us", "timezone": "UTC", "nullable": True}
LOCAL = {key: value for key, value in AT.items() if key != "timezone"}
VALID, PAST = "2999-12-31", "2020-01-31"


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A tree in which two columns break: one is removed, one silently changes its values."""
    made = Lake(tmp_path / "lake").start()
    made.put("a", column("id"), column("note"), AT)
    made.put("b", column("id"), column("note"))
    made.commit("Start")
    made.put("a", column("id"), LOCAL)
    monkeypatch.chdir(made.folder)
    return made


def waive(lake: Lake, *waivers: dict[str, Any], name: str = "a") -> None:
    file = lake.folder / f"waivers/{name}.yaml"
    file.parent.mkdir(exist_ok=True)
    common = {"reason": "agreed", "owner": "ann", "expires": VALID}
    file.write_text(json.dumps({"version": 1, "waivers": [{**common, **one} for one in waivers]}))


def waived(lumos: Lumos) -> set[str]:
    """The rules whose findings are waived."""
    report = lumos("snap", "diff", "--json").json
    found = [one for dataset in report["datasets"] for one in dataset["findings"]]
    assert report["counts"]["waived"] == sum(one["waived"] for one in found)
    return {one["slug"] for one in found if one["waived"]}


def fingerprint(lumos: Lumos, slug: str) -> str:
    report = lumos("snap", "diff", "--json").json
    return next(
        str(one["fingerprint"])
        for dataset in report["datasets"]
        for one in dataset["findings"]
        if one["slug"] == slug
    )


BROAD = {"rule": "field-removed", "dataset": "s3/lake/a"}


@pytest.mark.parametrize(
    ("waiver", "is_waived"),
    [
        (BROAD, True),
        ({**BROAD, "rule": "SC001"}, True),
        ({**BROAD, "rule": "field-added"}, False),
        ({**BROAD, "dataset": "s3/**"}, True),
        ({**BROAD, "dataset": "s3/lake/b"}, False),
        ({**BROAD, "dataset": "s3/*"}, False),
        ({**BROAD, "field": "note"}, True),
        ({**BROAD, "field": "id"}, False),
        ({**BROAD, "expires": PAST}, False),
        ({"rule": "timezone-flipped", "dataset": "**"}, False),
        ({"rule": "timezone-flipped", "dataset": "**", "field": "at"}, False),
    ],
)
def test_a_broad_waiver_covers_the_findings_of_a_rule_unless_they_are_silent(
    lake: Lake, lumos: Lumos, waiver: dict[str, str], is_waived: bool
) -> None:
    waive(lake, waiver)
    assert waived(lumos) == ({"field-removed"} if is_waived else set())


def test_a_broad_waiver_of_a_renamed_column_names_either_name(lumos: Lumos, lake: Lake) -> None:
    iceberg = {"format": "iceberg", "location": "s3://lake/b"}
    lake.put("b", {**column("id"), "id": 1}, {**column("note"), "id": 2}, storage=iceberg)
    lake.commit()
    lake.put("b", {**column("id"), "id": 1}, {**column("remark"), "id": 2}, storage=iceberg)
    for name in ("note", "remark"):
        waive(lake, {"rule": "field-renamed", "dataset": "s3/lake/b", "field": name})
        assert waived(lumos) == {"field-renamed"}


@pytest.mark.parametrize("silent", [True, False])
@pytest.mark.parametrize("slug", ["field-removed", "timezone-flipped"])
def test_an_exact_waiver_covers_one_finding_and_a_silent_one_only_where_it_says_so(
    lake: Lake, lumos: Lumos, slug: str, silent: bool
) -> None:
    waive(lake, {"fingerprint": fingerprint(lumos, slug), "silent": silent})
    assert waived(lumos) == ({slug} if silent or slug == "field-removed" else set())


@pytest.mark.parametrize(("days", "is_waived"), [(-1, False), (0, True), (1, True)])
def test_a_waiver_holds_until_the_end_of_its_last_day(
    lake: Lake, lumos: Lumos, days: int, is_waived: bool
) -> None:
    today = datetime.datetime.now(datetime.UTC).date()
    waive(lake, {**BROAD, "expires": (today + datetime.timedelta(days)).isoformat()})
    found = waived(lumos)
    if today != datetime.datetime.now(datetime.UTC).date():
        pytest.skip("a new day has begun meanwhile")
    assert found == ({"field-removed"} if is_waived else set())


def test_a_finding_is_waived_once_and_another_one_beside_it(lake: Lake, lumos: Lumos) -> None:
    def asked(slug: str) -> int:
        return lumos("snap", "waive", fingerprint(lumos, slug), "--reason", "r").code

    assert [asked("field-removed"), asked("field-removed")] == [0, 2]
    assert [asked("timezone-flipped"), asked("timezone-flipped")] == [0, 2]
    assert waived(lumos) == {"field-removed", "timezone-flipped"}


def test_of_several_waivers_one_that_holds_is_enough(lake: Lake, lumos: Lumos) -> None:
    exact = {"fingerprint": fingerprint(lumos, "field-removed")}
    waive(lake, {**exact, "expires": PAST}, {**BROAD, "expires": PAST}, name="a")
    waive(lake, BROAD, {"rule": "field-added", "dataset": "**"}, name="b")
    git(lake.folder, "checkout", "-q", "HEAD", "--", "snapshots")
    lake.put("a", column("id"), AT)
    ran = lumos("snap", "diff", "--json")
    assert (ran.code, ran.json["counts"]["waived"]) == (0, 1)
    (finding,) = ran.json["datasets"][0]["findings"]
    (decision,) = (one["says"] for one in finding["decisions"] if one["by"] == "waiver")
    assert decision == "waivers/b.yaml: agreed (ann, until 2999-12-31)"
    assert not [reason for reason in ran.json["reasons"] if "expired" in reason]


def test_each_one_that_has_expired_is_named_beside_what_it_covered(
    lake: Lake, lumos: Lumos
) -> None:
    exact = {"fingerprint": fingerprint(lumos, "field-removed"), "expires": PAST}
    waive(lake, exact, name="a")
    waive(lake, {**BROAD, "expires": "2020-02-29"}, name="b")
    waive(lake, {**BROAD, "dataset": "s3/lake/b", "expires": PAST}, name="c")
    ran = lumos("snap", "diff", "--json")
    assert ran.code == 1
    finding = next(
        one for one in ran.json["datasets"][0]["findings"] if one["slug"] == "field-removed"
    )
    told = [one["says"] for one in finding["decisions"] if one["by"] == "waiver"]
    assert told == [
        "waivers/a.yaml expired on 2020-01-31",
        "waivers/b.yaml expired on 2020-02-29",
    ]
    reasons = [reason for reason in ran.json["reasons"] if "expired" in reason]
    assert any("waivers/a.yaml" in one for one in reasons)
    assert any("waivers/b.yaml" in one for one in reasons)
    (spent,) = ran.json["remarks"]
    assert (spent["path"], "delete it" in spent["message"]) == ("waivers/c.yaml", True)


def test_one_that_has_expired_and_covers_what_no_longer_breaks_is_to_be_deleted(
    lake: Lake, lumos: Lumos
) -> None:
    waive(lake, {**BROAD, "expires": PAST})
    settings = lake.folder / "lumos.yaml"
    settings.write_text("version: 1\npolicy: {rules: {field-removed: non-breaking}}\n")
    lake.commit()
    lake.put("b", column("id"))
    ran = lumos("snap", "diff", "--json")
    assert (ran.code, ran.json["reasons"]) == (0, [])
    assert [one["path"] for one in ran.json["remarks"]] == ["waivers/a.yaml"]


def test_a_waived_change_still_steps_the_version(lake: Lake, lumos: Lumos) -> None:
    lake.put("a", column("id"), AT)
    waive(lake, BROAD)
    ran = lumos("snap", "diff", "--json")
    assert (ran.code, ran.json["verdict"], ran.json["bump"]) == (0, "pass", "major")


def test_one_that_holds_and_covers_nothing_is_not_spoken_of(lake: Lake, lumos: Lumos) -> None:
    git(lake.folder, "checkout", "-q", "HEAD", "--", "snapshots")
    waive(lake, BROAD)
    ran = lumos("snap", "diff", "--json")
    assert (ran.code, ran.json["reasons"], ran.json["remarks"]) == (0, [], [])


class TestNewOnesThatDoNotCount:
    """A branch whose target lets a waiver count only once it is there."""

    @pytest.fixture(autouse=True)
    def branch(self, lake: Lake) -> None:
        git(lake.folder, "checkout", "-q", "HEAD", "--", "snapshots")
        (lake.folder / "lumos.yaml").write_text("version: 1\npolicy: {new_waivers: refuse}\n")
        waive(lake, {**BROAD, "field": "note"}, name="old")
        lake.commit()
        git(lake.folder, "switch", "-qc", "feature")

    def told(self, lumos: Lumos, slug: str) -> tuple[Any, list[str]]:
        """The report, and what waivers say of a finding."""
        report = lumos("snap", "diff", "--base", "main", "--json").json
        (finding,) = (
            one
            for dataset in report["datasets"]
            for one in dataset["findings"]
            if one["slug"] == slug
        )
        return report, [one["says"] for one in finding["decisions"] if one["by"] == "waiver"]

    def test_one_is_not_spoken_of_where_another_counts(self, lake: Lake, lumos: Lumos) -> None:
        lake.put("a", column("id"), AT)
        waive(lake, BROAD, name="new")
        report, told = self.told(lumos, "field-removed")
        assert told == ["waivers/old.yaml: agreed (ann, until 2999-12-31)"]
        assert report["verdict"] == "pass"
        assert report["remarks"] == []

    def test_one_is_named_where_none_counts(self, lake: Lake, lumos: Lumos) -> None:
        lake.put("a", column("note"), AT)
        waive(lake, BROAD, name="new")
        report, told = self.told(lumos, "field-removed")
        (says,) = told
        assert says.startswith("waivers/new.yaml does not count: ")
        assert report["verdict"] == "fail"

    def test_one_that_has_expired_is_not_to_be_deleted_as_well(
        self, lake: Lake, lumos: Lumos
    ) -> None:
        lake.put("a", column("note"), AT)
        waive(lake, {**BROAD, "expires": PAST}, name="new")
        report, _ = self.told(lumos, "field-removed")
        assert not any("expired" in reason for reason in report["reasons"])
        assert not any("delete it" in one["message"] for one in report["remarks"])

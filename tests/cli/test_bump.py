import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from tests.cli.conftest import Lumos
from tests.cli.lake import Lake, column, git

KEYS = {
    *("report", "version", "cloudVersion", "schemaVersion", "gitTag", "changesDetected", "bump"),
    *("since", "dryRun", "committed", "pushed", "datasets", "removed"),
}

pytestmark = pytest.mark.slow  # many real repositories


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """Two datasets, committed and never released."""
    made = Lake(tmp_path / "lake").start()
    made.put("a")
    made.put("b")
    made.commit("Start")
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def released(lake: Lake, lumos: Lumos) -> Lake:
    """The same after its first release."""
    assert lumos("snap", "bump", "--tag").code == 0
    return lake


@pytest.fixture
def bump(lumos: Lumos) -> Callable[..., Any]:
    """Release, and the report: it must be as its published schema says."""
    schema = json.loads(lumos("schema", "output/bump").out)

    def run(*arguments: str) -> Any:
        ran = lumos("snap", "bump", "--json", *arguments)
        assert ran.code == 0, ran.err
        Draft202012Validator(schema).validate(ran.json)
        assert ran.json.keys() == KEYS
        return ran.json

    return run


class TestFirst:
    def test_every_dataset_begins_at_1_0_0(self, lake: Lake, bump: Callable[..., Any]) -> None:
        head = lake.git("rev-parse", "HEAD")
        report = bump("--tag")
        assert (report["cloudVersion"], report["gitTag"], report["since"]) == ("S-1", "S-1", "none")
        assert report["schemaVersion"] == "1.0.0"
        assert report["changesDetected"]
        assert report["committed"]
        assert not report["pushed"]
        versioning = lake.read("a")["versioning"]
        assert versioning["cloud_version"] == "S-1"
        (entry,) = versioning["history"]
        assert entry["schema_version"] == "1.0.0"
        assert entry["released_at"] == "2026-01-15T10:00:00Z"
        assert entry["tag"] == "S-1"
        assert "bump" not in entry
        assert lake.is_clean
        assert lake.git("rev-parse", "S-1^{commit}~1") == head

    def test_a_version_that_came_with_a_dataset_stays(
        self, lake: Lake, bump: Callable[..., Any]
    ) -> None:
        lake.put("b", versioning={"schema_version": "3.2.1"})
        lake.put("c", contract={"lifecycle": "draft"})
        lake.commit()
        bump("--tag")
        assert [lake.version(name) for name in "abc"] == ["1.0.0", "3.2.1", "1.0.0"]

    def test_an_empty_tree_has_nothing_to_release(
        self, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake = Lake(tmp_path / "empty").start()
        lake.commit()
        monkeypatch.chdir(lake.folder)
        ran = lumos("snap", "bump", "--tag")
        assert ran.code == 0
        assert "nothing changed" in ran.out
        assert lake.tags == []


class TestSteps:
    def test_each_dataset_by_its_gravest_change(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.put("a", column("id"))
        released.put("b", column("id"), column("note"), column("more"))
        released.commit()
        report = bump("--tag")
        assert report["bump"] == "major"
        assert [
            (one["urn"][-1], one["bump"], one["schemaVersion"]) for one in report["datasets"]
        ] == [
            ("a", "major", "2.0.0"),
            ("b", "minor", "1.1.0"),
        ]
        assert report["datasets"][0]["previousVersion"] == "1.0.0"
        assert report["datasets"][0]["decidedBy"]["slug"] == "field-removed"
        assert report["schemaVersion"] == "2.0.0"
        entry = released.read("a")["versioning"]["history"][-1]
        assert entry["bump"] == "major"
        assert len(released.read("a")["versioning"]["history"]) == 2

    def test_of_one_dataset_the_schema_version_is_its_own(
        self, lake: Lake, bump: Callable[..., Any]
    ) -> None:
        lake.put("b", versioning={"schema_version": "7.0.0"})
        lake.commit()
        assert bump("--tag")["schemaVersion"] == "7.0.0"
        lake.put("a", column("id"), column("note"), column("more"))
        lake.commit()
        assert bump("--tag")["schemaVersion"] == "1.1.0"
        lake.put("a", column("id"), column("note"))
        lake.put("b", column("id"), column("note"), column("more"))
        lake.commit()
        # The tree went 7.0.0, 7.1.0, and something in it breaks now.
        assert bump("--tag")["schemaVersion"] == "8.0.0"

    @pytest.mark.parametrize(
        ("level", "version"),
        [("informational", "1.0.1"), ("non-breaking", "1.1.0"), ("breaking", "2.0.0")],
    )
    def test_the_level_that_a_policy_gives_decides_the_step(
        self, released: Lake, bump: Callable[..., Any], level: str, version: str
    ) -> None:
        """An informational change is a patch, also where its rule would step the minor number."""
        settings = released.folder / "lumos.yaml"
        settings.write_text(f"version: 1\npolicy: {{rules: {{field-added: {level}}}}}\n")
        released.put("a", column("id"), column("note"), column("more"))
        released.commit()
        report = bump("--tag")
        assert [one["schemaVersion"] for one in report["datasets"]] == [version]

    def test_a_description_is_a_patch(self, released: Lake, bump: Callable[..., Any]) -> None:
        released.put("a", documentation={"description": "What it is"})
        released.commit()
        assert bump("--tag")["datasets"][0]["schemaVersion"] == "1.0.1"
        assert released.version("b") == "1.0.0"
        assert released.read("b")["versioning"]["cloud_version"] == "S-1"

    def test_below_stable_what_breaks_is_minor(self, lake: Lake, bump: Callable[..., Any]) -> None:
        lake.put("a", contract={"lifecycle": "beta"})
        lake.commit()
        bump("--tag")
        lake.put("a", column("id"), contract={"lifecycle": "beta"})
        lake.commit()
        assert bump("--tag")["datasets"][0]["schemaVersion"] == "1.1.0"

    @pytest.mark.parametrize(
        ("before", "columns", "after"),
        [
            ("2.1.0-rc.1", ("id", "note", "more"), "2.1.0"),
            ("2.1.0-rc.1", ("id",), "3.0.0"),
            ("2.0.0-rc.3", ("id",), "2.0.0"),
        ],
    )
    def test_a_pre_release_is_finished_or_passed(
        self,
        lake: Lake,
        bump: Callable[..., Any],
        before: str,
        columns: tuple[str, ...],
        after: str,
    ) -> None:
        lake.put("a", versioning={"schema_version": before})
        lake.commit()
        bump("--tag")
        lake.put("a", *map(column, columns))
        lake.commit()
        assert bump("--tag")["datasets"][0]["schemaVersion"] == after

    def test_a_waived_change_still_counts(self, released: Lake, bump: Callable[..., Any]) -> None:
        released.put("a", column("id"))
        waiver = released.folder / "waivers/one.yaml"
        waiver.parent.mkdir()
        waiver.write_text(
            "waivers:\n  - rule: field-removed\n    datasets: ['**']\n    reason: known\n"
            "    owner: analytics\n    expires: 2099-01-01\n"
        )
        released.commit()
        assert bump("--dry-run")["bump"] == "major"

    def test_the_history_goes_on_under_another_name(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.file("a").unlink()
        released.put("z", contract={"renamed_from": "lumos://s3/lake/a"})
        released.commit()
        report = bump("--tag")
        (one,) = report["datasets"]
        assert one["renamedFrom"] == "lumos://s3/lake/a"
        assert one["previousVersion"] == "1.0.0"
        assert report["removed"] == []
        history = released.read("z")["versioning"]["history"]
        assert [entry["cloud_version"] for entry in history] == ["S-1", "S-2"]

    def test_what_is_gone_is_named_and_tagged(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.file("b").unlink()
        head = released.commit()
        assert not bump("--commit")["committed"]
        report = bump("--tag")
        assert [one["urn"] for one in report["removed"]] == ["lumos://s3/lake/b"]
        assert report["removed"][0]["previousVersion"] == "1.0.0"
        assert released.git("rev-parse", "HEAD", "S-2^{commit}").split() == [head, head]
        assert "s3/lake/b removed, it was 1.0.0" in released.git("tag", "-n50", "-l", "S-2")
        assert not bump("--tag")["changesDetected"]

    def test_versions_alone_are_no_change(self, released: Lake, bump: Callable[..., Any]) -> None:
        document = released.read("a")
        document["versioning"]["schema_version"] = "1.5.0"
        released.file("a").write_bytes(encode_document(document, Snapshot))
        released.commit()
        assert not bump()["changesDetected"]

    def test_a_version_that_was_lowered_does_not_count(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.put("a", column("id"), versioning={"schema_version": "0.1.0"})
        released.commit()
        assert bump("--tag")["datasets"][0]["schemaVersion"] == "2.0.0"
        assert len(released.read("a")["versioning"]["history"]) == 2

    def test_versions_that_were_lost_come_back_with_the_next_release(
        self, released: Lake, bump: Callable[..., Any], lumos: Lumos
    ) -> None:
        before = released.file("a").read_bytes()
        released.put("a", versioning={})
        released.commit()
        assert not bump("--tag")["changesDetected"]
        released.put("b", column("id"))
        released.commit()
        assert "put back" in lumos("snap", "bump").out
        assert [one["urn"][-1] for one in bump("--tag")["datasets"]] == ["b"]
        assert released.file("a").read_bytes() == before
        released.put("a", column("id"), versioning={})
        released.commit()
        assert bump("--tag")["datasets"][0]["schemaVersion"] == "2.0.0"
        assert len(released.read("a")["versioning"]["history"]) == 2

    def test_what_another_branch_released_is_gone_on_from(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.git("switch", "-qc", "maintenance")
        released.put("a", documentation={"description": "Mended"})
        released.commit()
        bump("--tag")
        released.git("switch", "-q", "main")
        released.put("b", column("id"))
        released.commit()
        bump("--tag")
        released.git("merge", "-q", "--no-edit", "maintenance")
        assert released.version("a") == "1.0.1"
        released.put("a", documentation={"description": "Mended again"})
        released.commit()
        report = bump("--tag")
        assert (report["since"], report["cloudVersion"]) == ("S-3", "S-4")
        assert [(one["urn"][-1], one["schemaVersion"]) for one in report["datasets"]] == [
            ("a", "1.0.2")
        ]


class TestRepeated:
    def test_right_after_there_is_nothing(self, released: Lake, bump: Callable[..., Any]) -> None:
        head = released.git("rev-parse", "HEAD")
        report = bump("--tag")
        assert not report["changesDetected"]
        assert (report["cloudVersion"], report["gitTag"], report["since"]) == ("S-1", "S-1", "S-1")
        assert report["datasets"] == []
        assert released.git("rev-parse", "HEAD") == head
        assert released.tags == ["S-1"]

    def test_what_was_only_written_goes_on(self, lake: Lake, lumos: Lumos) -> None:
        assert "wrote 2 of 2 files" in lumos("snap", "bump").out
        written = lake.file("a").read_bytes()
        ran = lumos("snap", "bump")
        assert "S-1 was written by an earlier run" in ran.out
        assert lake.file("a").read_bytes() == written
        ran = lumos("snap", "bump", "--commit")
        assert "committed" in ran.out
        assert lake.is_clean
        assert lake.file("a").read_bytes() == written

    def test_what_a_hook_has_refused_goes_on_when_it_is_mended(
        self, lake: Lake, lumos: Lumos
    ) -> None:
        hook = lake.folder / ".git/hooks/commit-msg"
        hook.write_text("#!/bin/sh\necho the message needs a ticket >&2\nexit 1\n")
        hook.chmod(0o755)
        ran = lumos("snap", "bump", "--tag")
        assert ran.code == 3
        assert "needs a ticket" in ran.err
        assert lake.tags == []
        hook.unlink()
        ran = lumos("snap", "bump", "--tag")
        assert ran.code == 0
        assert "S-1 was written by an earlier run" in ran.out
        assert lake.tags == ["S-1"]

    def test_only_the_missing_tag_is_made(self, lake: Lake, lumos: Lumos) -> None:
        lumos("snap", "bump", "--commit")
        head = lake.git("rev-parse", "HEAD")
        lake.git("commit", "-q", "--allow-empty", "-m", "Something else")
        assert "no tag yet" in lumos("snap", "bump").out
        assert "tagged S-1" in lumos("snap", "bump", "--tag").out
        assert lake.git("rev-parse", "S-1^{commit}") == head
        assert "nothing changed since S-1" in lumos("snap", "bump", "--tag").out

    def test_a_release_without_a_tag_counts(self, lake: Lake, bump: Callable[..., Any]) -> None:
        bump("--commit")
        lake.put("a", column("id"))
        lake.commit()
        report = bump("--tag")
        assert report["since"] == "S-1"
        assert [one["schemaVersion"] for one in report["datasets"]] == ["2.0.0"]
        assert lake.tags == ["S-1", "S-2"]

    def test_what_was_written_and_is_not_wanted_any_more_goes_back(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        before = released.file("a").read_bytes()
        released.put("a", column("id"))
        released.commit()
        bump()
        assert released.version("a") == "2.0.0"
        # The change is taken back, and the versions that were written stay behind.
        versioning = released.read("a")["versioning"]
        released.git("reset", "-q", "--hard", "HEAD~1")
        released.put("a", versioning=versioning)
        assert not bump()["changesDetected"]
        assert released.file("a").read_bytes() == before

    def test_an_imported_number_is_no_release(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.put("a", column("id"))
        released.put("c", versioning={"cloud_version": "S-40", "schema_version": "5.0.0"})
        released.commit()
        report = bump("--tag")
        assert (report["since"], report["cloudVersion"]) == ("S-1", "S-41")
        assert [released.version(name) for name in "abc"] == ["2.0.0", "1.0.0", "5.0.0"]


class TestRefuses:
    @pytest.mark.parametrize("how", ["edited", "staged", "new", "gone", "settings"])
    def test_what_is_not_committed(self, released: Lake, lumos: Lumos, how: str) -> None:
        name = "snapshots/s3/lake/a.json"
        match how:
            case "edited" | "staged":
                released.put("a", column("id"))
            case "new":
                name = "snapshots/s3/lake/c.json"
                released.put("c")
            case "gone":
                released.file("a").unlink()
            case _:
                name = "lumos.yaml"
                (released.folder / name).write_text("version: 1\nenvironment: X\n")
        if how == "staged":
            released.git("add", "-A")
        ran = lumos("snap", "bump", "--tag")
        assert ran.code == 2
        assert name in ran.err
        assert released.tags == ["S-1"]

    def test_not_what_lies_elsewhere(self, released: Lake, lumos: Lumos) -> None:
        released.put("a", column("id"))
        released.commit()
        (released.folder / "notes.txt").write_text("mine")
        released.git("add", "notes.txt")
        assert lumos("snap", "bump", "--tag").code == 0
        assert released.git("status", "--porcelain") == "A  notes.txt"
        assert (
            released.git("show", "--name-only", "--format=", "HEAD") == "snapshots/s3/lake/a.json"
        )

    def test_versions_that_somebody_edits(self, released: Lake, lumos: Lumos) -> None:
        document = released.read("a")
        document["versioning"]["schema_version"] = "9.0.0"
        released.file("a").write_bytes(encode_document(document, Snapshot))
        ran = lumos("snap", "bump")
        assert ran.code == 2
        assert "a.json" in ran.err

    def test_a_broken_file(self, released: Lake, lumos: Lumos) -> None:
        released.file("a").write_text("{")
        released.commit()
        ran = lumos("snap", "bump", "--tag")
        assert ran.code == 1
        assert "snapshots/s3/lake/a.json:1:" in ran.err

    def test_a_bare_repository(
        self, released: Lake, lumos: Lumos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        git(tmp_path, "clone", "-q", "--bare", str(released.repository), "bare")
        monkeypatch.chdir(tmp_path / "bare")
        monkeypatch.setenv("GIT_DIR", str(tmp_path / "bare"))
        ran = lumos("snap", "bump")
        assert ran.code == 2
        assert "bare repository" in ran.err

    def test_a_head_on_no_branch(self, released: Lake, lumos: Lumos) -> None:
        released.put("a", column("id"))
        released.commit()
        released.git("checkout", "-q", "--detach")
        assert lumos("snap", "bump", "--dry-run").code == 0
        ran = lumos("snap", "bump", "--commit")
        assert ran.code == 2
        assert "git switch main" in ran.err
        assert released.is_clean

    def test_a_committer_that_git_does_not_know(
        self, released: Lake, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        released.put("a", column("id"))
        released.commit()
        released.git("config", "user.useConfigOnly", "true")
        for who in ("AUTHOR", "COMMITTER"):
            for what in ("NAME", "EMAIL"):
                monkeypatch.delenv(f"GIT_{who}_{what}")
        ran = lumos("snap", "bump", "--tag")
        assert ran.code == 2
        assert "git config user.name" in ran.err
        assert released.version("a") == "1.0.0"
        assert released.is_clean

    def test_a_tree_that_is_not_committed(
        self, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake = Lake(tmp_path / "new").start()
        monkeypatch.chdir(lake.folder)
        assert lumos("snap", "bump").code == 3
        (lake.folder / "lumos.yaml").rename(tmp_path / "lumos.yaml")
        (lake.folder / "other").write_text("x")
        lake.commit()
        (tmp_path / "lumos.yaml").rename(lake.folder / "lumos.yaml")
        ran = lumos("snap", "bump")
        assert ran.code == 2
        assert "lumos.yaml: is not committed" in ran.err

    def test_another_prefix_unless_told_where_to_go_on(
        self, released: Lake, lumos: Lumos, bump: Callable[..., Any]
    ) -> None:
        settings = "version: 1\nversions:\n  cloud_prefix: R\n  tag_prefix: lake/\n"
        (released.folder / "lumos.yaml").write_text(settings)
        released.put("a", column("id"))
        released.commit()
        ran = lumos("snap", "bump")
        assert ran.code == 2
        assert "--since S-1" in ran.err
        report = bump("--tag", "--since", "S-1")
        assert (report["cloudVersion"], report["gitTag"]) == ("R1", "lake/R1")
        assert released.version("a") == "2.0.0"
        assert released.version("b") == "1.0.0"
        assert not bump()["changesDetected"]


class TestSince:
    def test_what_was_released_later_is_not_released_again(
        self, released: Lake, lumos: Lumos, bump: Callable[..., Any]
    ) -> None:
        released.put("a", column("id"))
        released.commit()
        bump("--tag")
        for since in ("S-1", "none", "S-1~1"):
            ran = lumos("snap", "bump", "--since", since)
            assert "nothing changed since S-2" in ran.out
            assert f"S-2 was released after {since}" in ran.err

    def test_a_later_commit_leaves_out_what_was_before(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.put("a", column("id"))
        middle = released.commit()
        released.put("b", column("id"))
        released.commit()
        report = bump("--since", middle, "--tag")
        assert [one["urn"][-1] for one in report["datasets"]] == ["b"]

    def test_tags_of_other_branches_do_not_count(
        self, released: Lake, bump: Callable[..., Any]
    ) -> None:
        released.git("switch", "-qc", "other")
        released.put("b", column("id"))
        released.commit()
        bump("--tag")
        released.git("switch", "-q", "main")
        released.put("a", column("id"))
        released.commit()
        report = bump("--tag")
        assert (report["since"], report["cloudVersion"]) == ("S-1", "S-3")


class TestOutput:
    def test_a_dry_run_writes_nothing(self, lake: Lake, bump: Callable[..., Any]) -> None:
        before = lake.git("for-each-ref")
        report = bump("--tag", "--dry-run")
        assert report["dryRun"]
        assert report["cloudVersion"] == "S-1"
        assert not report["committed"]
        assert lake.is_clean
        assert lake.git("for-each-ref") == before
        assert not (lake.folder / ".lumos").exists()

    def test_the_deciding_change_is_explained(self, released: Lake, lumos: Lumos) -> None:
        released.put("a", column("id"), documentation={"description": "D"})
        released.commit()
        out = lumos("snap", "bump", "--dry-run", "--explain").out
        assert "field-removed" in out
        assert "description" not in out
        fingerprint = lumos("snap", "bump", "--dry-run", "--json").json["datasets"][0]["decidedBy"]
        assert fingerprint["fingerprint"] in out

    def test_the_message_names_datasets_versions_and_changes(
        self, released: Lake, lumos: Lumos
    ) -> None:
        released.put("a", column("id"))
        released.commit()
        lumos("snap", "bump", "--tag", "--message", "chore: {cloudVersion} ({bump}) [skip ci]")
        message = released.git("log", "-1", "--format=%B")
        assert message.startswith("chore: S-2 (major) [skip ci]\n\n1 dataset: 1 major\n")
        assert "s3/lake/a 1.0.0 → 2.0.0 (major)" in message
        assert message.endswith("Schema-Version: 2.0.0")
        assert released.git("for-each-ref", "--format=%(contents)", "refs/tags/S-2") == message
        assert released.git("cat-file", "-t", "S-2") == "tag"

    def test_names_of_datasets_cannot_write_the_message(self, released: Lake, lumos: Lumos) -> None:
        evil = column("x\nSchema-Version: 99.0.0\x1b[2J")
        released.put("a", column("id"), column("note"), evil)
        released.commit()
        assert lumos("snap", "bump", "--tag").code == 0
        message = released.git("log", "-1", "--format=%B")
        assert "\x1b" not in message
        assert [line for line in message.splitlines() if line.startswith("Schema-Version")] == [
            "Schema-Version: 1.1.0"
        ]

    def test_what_is_written_is_valid(self, released: Lake, lumos: Lumos) -> None:
        released.put("a", column("id"))
        released.commit()
        lumos("snap", "bump", "--tag")
        assert lumos("snap", "validate").code == 0


def test_a_tree_in_a_folder_of_a_repository(
    tmp_path: Path, bump: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(tmp_path / "mono", prefix="data/lake").start(
        settings="version: 1\nversions: {tag_prefix: lake/}\n"
    )
    lake.put("a")
    (lake.repository / "lumos.txt").write_text("other")
    lake.commit()
    monkeypatch.chdir(lake.folder)
    (lake.repository / "lumos.txt").write_text("changed, and of no interest")
    assert bump("--tag")["gitTag"] == "lake/S-1"
    assert (
        lake.git("show", "--name-only", "--format=", "HEAD") == "data/lake/snapshots/s3/lake/a.json"
    )
    assert not bump("--tag")["changesDetected"]


def test_sha256(tmp_path: Path, bump: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    lake = Lake(tmp_path / "lake").start("--object-format=sha256")
    lake.put("a")
    lake.commit()
    monkeypatch.chdir(lake.folder)
    assert bump("--tag")["cloudVersion"] == "S-1"
    assert not bump("--tag")["changesDetected"]


def test_the_same_commit_is_released_alike(tmp_path: Path, lake: Lake, lumos: Lumos) -> None:
    git(tmp_path, "clone", "-q", str(lake.repository), "copy")
    lumos("snap", "bump")
    lumos("snap", "bump", "-C", tmp_path / "copy")
    written = (tmp_path / "copy/snapshots/s3/lake/a.json").read_bytes()
    assert written == lake.file("a").read_bytes()


def test_a_shallow_clone_finds_the_last_release(
    released: Lake, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        released.put("a", documentation={"description": f"D{number}"})
        released.commit()
    url = f"file://{released.repository}"
    git(tmp_path, "clone", "-q", "--depth=1", "--no-tags", url, "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    ran = lumos("snap", "bump", "--no-fetch")
    assert ran.code == 3
    assert "fetch-depth: 0" in ran.err
    ran = lumos("snap", "bump", "--dry-run", "--json")
    assert (ran.json["since"], ran.json["cloudVersion"]) == ("S-1", "S-2")
    assert [one["schemaVersion"] for one in ran.json["datasets"]] == ["1.0.1"]
    assert "shallow" in ran.err


@pytest.mark.parametrize("moment", ["write", "commit", "tag"])
def test_killed_at_any_moment_the_next_run_completes(
    lake: Lake, bump: Callable[..., Any], moment: str
) -> None:
    """The process ends without any clean-up, right before a step."""
    for number in range(30):
        lake.put(f"d{number}")
    lake.commit()
    program = f"""
import os, signal
from lumos_snap.git import commits
from lumos_snap.tree.writer import Writer
die = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)
if {moment!r} == "write":
    rename, left = Writer._rename, iter(range(10))
    Writer._rename = lambda *a: rename(*a) if next(left, None) is not None else die()
else:
    commits.{"commit" if moment == "write" else moment} = die
from lumos_snap.cli import main
main(["snap", "bump", "--tag"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=lake.folder, env=os.environ, check=False
    )
    assert done.returncode == -signal.SIGKILL
    for file in lake.folder.glob("snapshots/**/*.json"):
        json.loads(file.read_bytes())
    bump("--tag")
    assert lake.is_clean
    assert lake.tags == ["S-1"]
    assert {lake.version(f"d{number}") for number in range(30)} == {"1.0.0"}
    assert lake.git("rev-list", "--count", "HEAD") == "3"
    assert not bump("--tag")["changesDetected"]


class TestVersion:
    def test_says_what_it_is_and_what_is_not_released(self, released: Lake, lumos: Lumos) -> None:
        assert lumos("snap", "version", "a").out == "1.0.0 (S-1)\n"
        released.put("a", column("id"))
        ran = lumos("snap", "version", "a")
        assert ran.out.startswith("1.0.0 (S-1), unreleased changes: major\n")
        assert "would be 2.0.0" in ran.out
        released.commit()
        lumos("snap", "bump", "--tag")
        assert lumos("snap", "version", "a").out == "2.0.0 (S-2)\n"
        assert lumos("snap", "version", "a", "--at", "S-1").out == "1.0.0 (S-1)\n"

    def test_tells_its_history(self, released: Lake, lumos: Lumos) -> None:
        released.put("a", column("id"))
        released.commit()
        lumos("snap", "bump", "--tag")
        out = lumos("snap", "version", "a", "--history").out
        assert out.index("2.0.0  S-2  major  2026-01-15T10:00:00Z") < out.index("1.0.0  S-1  first")
        report = lumos("snap", "version", "a", "--history", "--json").json
        schema = json.loads(lumos("schema", "output/version").out)
        Draft202012Validator(schema).validate(report)
        assert [one["schema_version"] for one in report["history"]] == ["2.0.0", "1.0.0"]

    def test_of_what_was_never_released(self, lake: Lake, lumos: Lumos) -> None:
        ran = lumos("snap", "version", "a")
        assert ran.out.startswith("never released, unreleased changes: ")
        assert "would be 1.0.0" in ran.out

    def test_goes_with_a_rename(self, released: Lake, lumos: Lumos) -> None:
        released.file("a").unlink()
        released.put("z", contract={"renamed_from": "lumos://s3/lake/a"})
        released.commit()
        ran = lumos("snap", "version", "z", "--json")
        assert ran.json["unreleased"]["next_version"] == "2.0.0"

    def test_outside_of_a_repository(
        self, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake = Lake(tmp_path / "plain")
        lake.folder.mkdir()
        (lake.folder / "lumos.yaml").write_text("version: 1\n")
        lake.put("a", versioning={"schema_version": "1.4.0"})
        monkeypatch.chdir(lake.folder)
        assert lumos("snap", "version", "a").out == "1.4.0\n"

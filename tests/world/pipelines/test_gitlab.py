"""The job of the GitLab template, and its note, against a server that keeps notes."""

import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.lake import Lake
from tests.world.pipelines.conftest import Ended, push
from tests.world.pipelines.jobs import checkout, ran, template
from tests.world.pipelines.servers import Answer, Asked, Listener, listening

pytestmark = pytest.mark.world

TOKEN = "glpat-secret"  # noqa: S105 - of a server of ours
ME, SOMEBODY = 7, 8
NOTES = "/api/v4/projects/42/merge_requests/3/notes"


@dataclass
class GitLab:
    """Notes of one merge request, ten to a page."""

    notes: list[dict[str, Any]] = field(default_factory=list)
    failures: list[Answer] = field(default_factory=list)

    def answer(self, asked: Asked) -> Answer:
        if asked.headers.get("Private-Token", asked.headers.get("PRIVATE-TOKEN")) != TOKEN:
            return Answer(401, {"message": "401 Unauthorized"})
        if self.failures:
            return self.failures.pop(0)
        path = urlsplit(asked.path).path
        return Answer(body={"id": ME}) if path == "/api/v4/user" else self._noted(asked, path)

    def _noted(self, asked: Asked, path: str) -> Answer:
        if asked.method == "GET" and path == NOTES:
            page = int(parse_qs(urlsplit(asked.path).query)["page"][0])
            after = str(page + 1) if len(self.notes) > page * 10 else ""
            return Answer(
                body=self.notes[(page - 1) * 10 : page * 10], headers={"X-Next-Page": after}
            )
        if asked.method == "POST" and path == NOTES:
            self.notes.append({"id": len(self.notes) + 1, "author": {"id": ME}, **asked.body})
            return Answer(201, self.notes[-1])
        note = next(one for one in self.notes if path == f"{NOTES}/{one['id']}")
        if asked.method != "PUT" or note["author"]["id"] != ME:
            return Answer(403, {"message": "403 Forbidden"})
        note.update(asked.body)
        return Answer(body=note)


@pytest.fixture
def gitlab() -> GitLab:
    return GitLab()


@pytest.fixture
def server(gitlab: GitLab) -> Iterator[Listener]:
    with listening(gitlab.answer) as listener:
        yield listener


@pytest.fixture
def variables(server: Listener, plain_environment: Mapping[str, str]) -> dict[str, str]:
    return {
        **plain_environment,
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "3",
        "CI_API_V4_URL": f"{server.address}/api/v4",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "LUMOS_GITLAB_TOKEN": TOKEN,
        "LUMOS_TREE": ".",
    }


class TestJob:
    def job(self, root: Path, folder: Path, variables: Mapping[str, str]) -> Ended:
        target = folder / "ci/gitlab/merge_request_note.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "ci/gitlab/merge_request_note.py", target)
        lines = template(root / "ci/gitlab/lumos.gitlab-ci.yml")["lumos-gate"]["script"]
        assert "pip install" in lines[0]
        return ran("\n".join(lines[1:]), folder, variables)

    def test_what_breaks_fails_and_is_said_once(
        self, root: Path, remote: Path, author: Lake, gitlab: GitLab,
        variables: dict[str, str], tmp_path: Path,
    ) -> None:  # fmt: skip
        push(author, "a", "id")
        folder = checkout(remote, tmp_path / "build", "feature")
        ended = self.job(root, folder, variables)
        assert ended.code == 1, ended.log
        assert "wrote a note" in ended.log
        assert len(gitlab.notes) == 1
        assert gitlab.notes[0]["body"].startswith("<!-- lumos-note:gate -->\n## ❌")
        assert TOKEN not in ended.log
        push(author, "a", "id", "note", "more")
        shutil.rmtree(folder)
        ended = self.job(root, checkout(remote, folder, "feature"), variables)
        assert ended.code == 0, ended.log
        assert "edited the note" in ended.log
        assert len(gitlab.notes) == 1
        assert "✅" in gitlab.notes[0]["body"]

    def test_a_dead_server_changes_no_verdict(
        self, root: Path, remote: Path, author: Lake, gitlab: GitLab,
        variables: dict[str, str], tmp_path: Path,
    ) -> None:  # fmt: skip
        variables["CI_API_V4_URL"] = "http://127.0.0.1:9/api/v4"
        folder = checkout(remote, tmp_path / "build", "feature")
        assert self.job(root, folder, variables).code == 0
        push(author, "a", "id")
        shutil.rmtree(folder)
        ended = self.job(root, checkout(remote, folder, "feature"), variables)
        assert ended.code == 1
        assert "no note: " in ended.log

    @pytest.mark.parametrize("lacks", ["a token", "a role"])
    def test_a_note_that_is_required_fails_a_pass_and_replaces_no_failure(
        self, root: Path, remote: Path, author: Lake,
        variables: dict[str, str], tmp_path: Path, lacks: str,
    ) -> None:  # fmt: skip
        variables["LUMOS_GITLAB_TOKEN"] = "" if lacks == "a token" else "wrong"
        variables["LUMOS_REQUIRE_NOTE"] = "true"
        folder = checkout(remote, tmp_path / "build", "feature")
        assert self.job(root, folder, variables).code == 3
        push(author, "a", "id")
        shutil.rmtree(folder)
        assert self.job(root, checkout(remote, folder, "feature"), variables).code == 1


class TestNote:
    @pytest.fixture(autouse=True)
    def _said(self, tmp_path: Path) -> None:
        (tmp_path / "diff.md").write_text("## Fail\n")
        (tmp_path / "diff.env").write_text("verdict=fail\nchangesDetected=true\n")

    def note(self, root: Path, tmp_path: Path, variables: Mapping[str, str]) -> Ended:
        program = root / "ci/gitlab/merge_request_note.py"
        command = f"{sys.executable} {program} diff.md diff.env"
        return ran(command, tmp_path, variables)

    def test_without_a_token_there_is_none(
        self, root: Path, tmp_path: Path, server: Listener, variables: dict[str, str]
    ) -> None:
        del variables["LUMOS_GITLAB_TOKEN"]
        ended = self.note(root, tmp_path, variables)
        assert (ended.code, server.asked) == (0, [])

    def test_where_nothing_changed_there_is_none_unless_there_is_one(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str]
    ) -> None:
        quiet = "verdict=pass\nchangesDetected=false\n"
        loud = (tmp_path / "diff.env").read_text()
        (tmp_path / "diff.env").write_text(quiet)
        assert self.note(root, tmp_path, variables).code == 0
        assert gitlab.notes == []
        (tmp_path / "diff.env").write_text(loud)
        self.note(root, tmp_path, variables)
        (tmp_path / "diff.env").write_text(quiet)
        (tmp_path / "diff.md").write_text("No dataset changed.")
        self.note(root, tmp_path, variables)
        assert ["No dataset changed." in one["body"] for one in gitlab.notes] == [True]

    @pytest.mark.parametrize("edit", ["newWaivers", "policyChanges"])
    def test_an_edit_of_the_policy_has_a_note_where_no_dataset_changed(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str], edit: str
    ) -> None:
        facts = f"verdict=pass\nchangesDetected=false\nnewWaivers=0\npolicyChanges=0\n{edit}=1\n"
        (tmp_path / "diff.env").write_text(facts)
        assert self.note(root, tmp_path, variables).code == 0
        assert len(gitlab.notes) == 1

    def test_notes_of_others_are_left_alone_and_ours_is_found_on_any_page(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str]
    ) -> None:
        marker = "<!-- lumos-note:gate -->"
        gitlab.notes += [
            {"id": n, "author": {"id": SOMEBODY}, "body": f"{marker} hello"} for n in range(1, 25)
        ]
        assert self.note(root, tmp_path, variables).code == 0
        (tmp_path / "diff.md").write_text("Other\n")
        assert self.note(root, tmp_path, variables).code == 0
        mine = [one["body"] for one in gitlab.notes if one["author"]["id"] == ME]
        assert mine == [f"{marker}\nOther"]

    def test_several_notes_have_names(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str]
    ) -> None:
        for name in ("lake", "mart", "lake"):
            self.note(root, tmp_path, {**variables, "LUMOS_NOTE_NAME": name})
        assert len(gitlab.notes) == 2

    def test_no_line_is_a_quick_action(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str]
    ) -> None:
        (tmp_path / "diff.md").write_text("fine\n/merge\n  /close\na/b\n")
        self.note(root, tmp_path, variables)
        lines = gitlab.notes[0]["body"].splitlines()[1:]
        assert lines == ["fine", "\\/merge", "\\  /close", "a/b"]

    def test_what_is_too_long_is_cut(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str]
    ) -> None:
        (tmp_path / "diff.md").write_text("x" * 2_000_000)
        self.note(root, tmp_path, variables)
        assert len(gitlab.notes[0]["body"]) < 1_000_000

    def test_what_passes_by_itself_is_tried_again(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str]
    ) -> None:
        gitlab.failures += [Answer(429, {}, {"Retry-After": "0"}), Answer(502, b"<html>")]
        assert self.note(root, tmp_path, variables).code == 0
        assert len(gitlab.notes) == 1

    @pytest.mark.parametrize(
        ("answer", "says"),
        [
            (Answer(200, b"<html>"), "sends no JSON"),
            (Answer(429, {}, {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}), ""),
        ],
    )
    def test_an_answer_that_is_none_of_gitlab_s_is_no_more_than_one_line(
        self, root: Path, tmp_path: Path, gitlab: GitLab, variables: dict[str, str],
        answer: Answer, says: str,
    ) -> None:  # fmt: skip
        gitlab.failures.append(answer)
        ended = self.note(root, tmp_path, variables)
        assert (ended.code, ended.log.count("\n")) == (3 if says else 0, 1)
        assert says in ended.log

    @pytest.mark.parametrize(("token", "says"), [("wrong", "401"), ("wrong", "scope api")])
    def test_a_wrong_token_is_one_clear_line(
        self, root: Path, tmp_path: Path, variables: dict[str, str], token: str, says: str
    ) -> None:
        ended = self.note(root, tmp_path, {**variables, "LUMOS_GITLAB_TOKEN": token})
        assert ended.code == 3
        assert says in ended.log
        assert ended.log.count("\n") == 1

    def test_a_job_of_no_merge_request_says_so(
        self, root: Path, tmp_path: Path, variables: dict[str, str]
    ) -> None:
        del variables["CI_MERGE_REQUEST_IID"]
        ended = self.note(root, tmp_path, variables)
        assert (ended.code, "CI_MERGE_REQUEST_IID" in ended.log) == (2, True)
        assert "Traceback" not in ended.log

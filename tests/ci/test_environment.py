"""What an event means: what is compared, and which pull request it is."""

from dataclasses import replace
from typing import Any

import pytest

from lumos_snap.ci.environment import Event, PostedComment, event_of, parse_comment
from tests.ci.conftest import HEAD, pull_request

REPOSITORY = {"full_name": "acme/lake", "default_branch": "main"}
BEFORE = "b" * 40


def of(name: str, payload: dict[str, Any]) -> Event:
    return event_of(name, payload, "acme/lake")


def test_a_pull_request_is_compared_with_its_base_branch() -> None:
    event = of("pull_request", pull_request(base="release/2"))
    assert (event.base, event.number, event.head) == ("release/2", 7, HEAD)
    assert event.may_write
    assert event.is_trusted


def test_a_fork_may_only_read() -> None:
    assert not of("pull_request", pull_request(fork="mallory/lake")).may_write
    assert of("pull_request_target", pull_request(fork="mallory/lake")).may_write


def test_an_event_that_checks_out_the_base_has_none_to_compare_with() -> None:
    event = of("pull_request_target", pull_request())
    assert (event.base, event.number) == (None, 7)


def test_a_fork_that_was_deleted_is_a_fork() -> None:
    payload = pull_request()
    payload["pull_request"]["head"]["repo"] = None
    assert not of("pull_request", payload).may_write


def test_a_bot_that_gets_a_fork_s_token_may_only_read() -> None:
    payload = pull_request() | {"sender": {"login": "dependabot[bot]"}}
    assert not of("pull_request", payload).may_write


@pytest.mark.parametrize(
    ("name", "payload", "base"),
    [
        ("push", {"before": BEFORE, "ref": "refs/heads/main", "repository": REPOSITORY}, BEFORE),
        ("push", {"before": "0" * 40, "ref": "refs/heads/x", "repository": REPOSITORY}, "main"),
        ("push", {"before": "0" * 64, "ref": "refs/heads/x", "repository": REPOSITORY}, "main"),
        ("push", {"before": "0" * 40, "ref": "refs/heads/main", "repository": REPOSITORY}, None),
        ("merge_group", {"merge_group": {"base_sha": BEFORE}}, BEFORE),
        ("schedule", {}, None),
        ("workflow_dispatch", {"ref": "refs/heads/main"}, None),
        ("", {}, None),
    ],
)
def test_other_events_say_what_they_come_after_or_nothing(
    name: str, payload: dict[str, Any], base: str | None
) -> None:
    event = of(name, payload)
    assert event.base == base
    assert event.number is None


def test_what_follows_another_run_trusts_only_what_github_says() -> None:
    run = {
        "event": "pull_request",
        "head_sha": HEAD,
        "head_branch": "more",
        "head_repository": {"owner": {"login": "mallory"}},
        "pull_requests": [],
    }
    event = of("workflow_run", {"workflow_run": run})
    assert (event.offered_by, event.head, event.number) == ("mallory:more", HEAD, None)
    assert not event.is_trusted


@pytest.mark.parametrize("payload", [{"pull_request": "text"}, {"pull_request": {"base": 3}}])
def test_an_event_of_another_shape_tells_nothing(payload: dict[str, Any]) -> None:
    event = of("pull_request", payload)
    assert (event.base, event.number, event.head) == (None, None, None)


@pytest.mark.parametrize(
    ("ref", "number"),
    [
        (f"refs/heads/gh-readonly-queue/main/pr-7-{BEFORE}", 7),
        (f"refs/heads/gh-readonly-queue/release/2/pr-1234567890-{BEFORE}", 1_234_567_890),
        (f"refs/heads/gh-readonly-queue/main/pr-12345678901-{BEFORE}", None),
        (f"refs/heads/gh-readonly-queue/main/pr-x-{BEFORE}", None),
        ("refs/heads/gh-readonly-queue/main/pr-7-", None),
        (f"refs/heads/mine/gh-readonly-queue/main/pr-7-{BEFORE}", None),
        (None, None),
    ],
)
def test_a_merge_queue_names_the_pull_request_in_its_branch(
    ref: str | None, number: int | None
) -> None:
    event = of("merge_group", {"merge_group": {"base_sha": BEFORE, "head_ref": ref}})
    assert event.queued == number


USER = {"login": "bob", "id": 4242, "type": "User"}
COMMENT = {"body": "hello", "user": USER, "html_url": "https://github.example/c"}
ISSUE = {"number": 7, "pull_request": {"url": "x"}}
WRITTEN = {"action": "created", "issue": ISSUE, "comment": COMMENT, "repository": REPOSITORY}
HEARD = PostedComment(
    repository="acme/lake", number=7, body="hello", login="bob", user=4242,
    url="https://github.example/c",
)  # fmt: skip


def test_a_comment_of_a_person_on_a_pull_request_is_heard() -> None:
    assert parse_comment("issue_comment", WRITTEN, None) == HEARD
    bare = {"user": {"login": "bob", "id": 4242}}
    told = parse_comment(
        "issue_comment", {**WRITTEN, "comment": bare, "repository": None}, "acme/own"
    )
    assert told == replace(HEARD, repository="acme/own", body="", url="")


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("pull_request", {}),
        ("issue_comment", {"action": "edited"}),
        ("issue_comment", {"issue": None}),
        ("issue_comment", {"comment": "text"}),
        ("issue_comment", {"issue": {"number": 7}}),
        ("issue_comment", {"issue": {**ISSUE, "number": "7"}}),
        ("issue_comment", {"repository": None}),
        ("issue_comment", {"comment": {**COMMENT, "user": None}}),
        ("issue_comment", {"comment": {**COMMENT, "user": {**USER, "type": "Bot"}}}),
        ("issue_comment", {"comment": {**COMMENT, "user": {**USER, "login": None}}}),
        ("issue_comment", {"comment": {**COMMENT, "user": {**USER, "id": "4242"}}}),
    ],
)
def test_any_other_comment_is_not(name: str, changed: dict[str, Any]) -> None:
    assert parse_comment(name, {**WRITTEN, **changed}, None) is None

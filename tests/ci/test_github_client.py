"""Requests to GitHub over a real socket: pages, limits, failures, and where a token may go."""

from collections.abc import Callable

import pytest

from lumos_snap.ci.environment import Host, Run, read_host, read_run
from lumos_snap.ci.github import PullRequest, home_of
from lumos_snap.ci.github_client import GitHubClient, GitHubResponse
from lumos_snap.ci.github_errors import GitHubRefusedError
from lumos_snap.errors import LumosError, OutsideError
from tests.ci.github import NOT_ALLOWED, WRITER, Fault, GitHub, github

COMMENTS = "/repos/acme/lake/issues/7/comments"
RUN_URL = "https://github.com/acme/lake/actions/runs/5"
Asking = Callable[..., GitHubClient]


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def exchange(hub: GitHub, waits: list[float]) -> GitHubClient:
    return GitHubClient(Host(hub.url, "https://github.example", WRITER), print, waits.append)


def test_every_page_is_read(hub: GitHub, exchange: GitHubClient) -> None:
    hub.page = 3
    for number in range(8):
        hub.add_comment(f"comment {number}")
    found = [one["body"] for one in exchange.ask_all(f"{COMMENTS}?per_page=100")]
    assert found == [f"comment {number}" for number in range(8)]
    assert len(hub.asked) == 3


@pytest.mark.parametrize("pages", [100, 101])
def test_there_is_an_end_to_pages(hub: GitHub, exchange: GitHubClient, pages: int) -> None:
    hub.page = 1
    for number in range(pages):
        hub.add_comment(f"comment {number}")
    found = exchange.ask_all(f"{COMMENTS}?per_page=100")
    if pages == 100:
        assert len(list(found)) == pages
        return
    with pytest.raises(LumosError, match="more than 100 pages"):
        list(found)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("acme/lake", "/repos/acme/lake"),
        ("acme/my lake", "/repos/acme/my%20lake"),
        ("acme/.lake", "/repos/acme/.lake"),
        ("acme", None),
        ("/lake", None),
        ("acme/", None),
        ("acme/lake/more", None),
        (".acme/lake", None),
        ("acme/.", None),
        ("acme/..", None),
    ],
)
def test_a_repository_has_an_owner_and_a_name(name: str, path: str | None) -> None:
    if path:
        assert home_of(name) == path
        return
    with pytest.raises(LumosError, match="is no repository"):
        home_of(name)


def test_only_comments_of_a_bot_are_taken_for_ours(hub: GitHub, exchange: GitHubClient) -> None:
    ours, left, other = (hub.add_comment(text) for text in ("ours", "of one who left", "other"))
    hub.comments[left]["user"] = None
    hub.comments[other]["user"] = {"login": "mallory", "type": "User"}
    found = PullRequest(exchange, "acme/lake", 7).comments()
    assert [one.id for one in found] == [ours]


@pytest.mark.parametrize("head", [None, "text", {}, {"sha": 3}])
def test_a_pull_request_of_another_shape_is_an_error(
    hub: GitHub, exchange: GitHubClient, head: object
) -> None:
    hub.add_pull("a" * 40)
    hub.pulls[0]["head"] = head
    with pytest.raises(OutsideError, match="does not answer as GitHub does"):
        PullRequest(exchange, "acme/lake", 7).head()


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failure_that_passes_is_asked_again(
    hub: GitHub, exchange: GitHubClient, waits: list[float], status: int
) -> None:
    hub.faults += [Fault("GET", "comments", status), Fault("GET", "comments", status)]
    assert list(exchange.ask_all(COMMENTS)) == []
    assert waits == [1, 2]


def test_a_line_that_breaks_is_asked_again(
    hub: GitHub, exchange: GitHubClient, waits: list[float]
) -> None:
    hub.faults.append(Fault("GET", "comments", -1))
    assert list(exchange.ask_all(COMMENTS)) == []
    assert waits == [1]


@pytest.mark.parametrize("status", [403, 429])
def test_a_limit_is_waited_for_as_long_as_it_says(
    hub: GitHub, exchange: GitHubClient, waits: list[float], status: int
) -> None:
    said = "You have exceeded a secondary rate limit"
    hub.faults.append(Fault("GET", "comments", status, said, {"Retry-After": "7"}))
    assert list(exchange.ask_all(COMMENTS)) == []
    assert waits == [7]


def test_a_limit_that_lasts_is_an_error(
    hub: GitHub, exchange: GitHubClient, waits: list[float]
) -> None:
    said = "You have exceeded a secondary rate limit"
    hub.faults.append(Fault("GET", "comments", 429, said, {"Retry-After": "3600"}))
    with pytest.raises(OutsideError, match=r"asked too often.*secondary rate limit"):
        list(exchange.ask_all(COMMENTS))
    assert waits == []


def test_a_failure_that_stays_ends_in_an_error(
    hub: GitHub, exchange: GitHubClient, waits: list[float]
) -> None:
    hub.faults += [Fault("GET", "comments", 502)] * 9
    with pytest.raises(OutsideError, match=r"GET .*/7/comments: .* fails \(502\)"):
        list(exchange.ask_all(COMMENTS))
    assert waits == [1, 2, 4, 8]


def test_nobody_who_answers_is_an_error(waits: list[float]) -> None:
    with github() as gone:
        address = gone.url
    dead = GitHubClient(Host(address, "", WRITER), print, waits.append)
    with pytest.raises(OutsideError, match=r"cannot be reached: .*refused") as raised:
        dead.ask("GET", "/user")
    assert raised.value.exit_code == 3
    assert "GITHUB_API_URL" in raised.value.hint


def test_a_refusal_is_final_and_names_what_to_add(hub: GitHub, exchange: GitHubClient) -> None:
    hub.faults.append(Fault("POST", "comments", 403, NOT_ALLOWED))
    with pytest.raises(GitHubRefusedError) as raised:
        exchange.ask("POST", COMMENTS, {"body": "x"})
    assert raised.value.lacks_permission
    assert (
        "permissions: {contents: read, pull-requests: write, statuses: write}" in raised.value.hint
    )
    assert len(hub.asked) == 1


def test_a_repository_with_a_new_name_is_found(hub: GitHub, exchange: GitHubClient) -> None:
    there = {"Location": f"{hub.url}{COMMENTS}"}
    hub.faults.append(Fault("POST", "old/issues", 307, "Moved", there))
    assert exchange.ask("POST", "/repos/acme/old/issues/7/comments", {"body": "x"})["body"] == "x"


def test_the_token_goes_to_no_other_server(hub: GitHub, exchange: GitHubClient) -> None:
    with github() as other:
        elsewhere = {"Location": f"{other.url}{COMMENTS}"}
        hub.faults.append(Fault("GET", "comments", 302, "Moved", elsewhere))
        with pytest.raises(OutsideError, match="redirects to another server"):
            list(exchange.ask_all(COMMENTS))
        link = {"Link": f'<{other.url}{COMMENTS}?page=2>; rel="next"'}
        hub.faults.append(Fault("GET", "comments", 200, "", link))
        with pytest.raises(OutsideError):
            list(exchange.ask_all(COMMENTS))
        assert other.asked == []


@pytest.mark.parametrize("said", ["", "an object"])
def test_what_does_not_speak_like_github_is_an_error(
    hub: GitHub, exchange: GitHubClient, said: str
) -> None:
    hub.faults.append(Fault("GET", "comments", 200, said))
    with pytest.raises(OutsideError, match="does not answer as GitHub does"):
        list(exchange.ask_all(COMMENTS))


def test_a_token_is_never_shown() -> None:
    assert "ghs_" not in repr(Host("https://api.github.com", "", WRITER))


class TestWhereGitHubIs:
    def test_it_is_the_public_one_by_default(self) -> None:
        found = read_host({"GITHUB_TOKEN": WRITER})
        assert (found.api, found.server) == ("https://api.github.com", "https://github.com")

    def test_it_is_a_company_s_own(self) -> None:
        own = {"GITHUB_TOKEN": WRITER, "GITHUB_SERVER_URL": "https://git.example.com"}
        assert read_host(own).api == "https://git.example.com/api/v3"
        given = own | {"GITHUB_API_URL": "https://git.example.com/api/v3/"}
        assert read_host(given).api == "https://git.example.com/api/v3"

    @pytest.mark.parametrize("token", ["", "  ", "two\nlines", "ghs_\u00e9"])
    def test_a_token_is_needed(self, token: str) -> None:
        with pytest.raises(LumosError) as raised:
            read_host({"GITHUB_TOKEN": token})
        assert raised.value.exit_code == 2

    @pytest.mark.parametrize(
        "address", ["file:///etc/passwd", "api.github.com", "https://a:b@c", "https://[::1"]
    )
    def test_an_address_is_one_of_a_server(self, address: str) -> None:
        with pytest.raises(LumosError, match="GITHUB_API_URL is no address"):
            read_host({"GITHUB_TOKEN": WRITER, "GITHUB_API_URL": address})

    @pytest.mark.parametrize(
        ("changed", "found"),
        [
            ({}, Run(5, 2, "https://github.com/acme/lake/actions/runs/5", "gate/check")),
            ({"GITHUB_RUN_ID": "x"}, Run(0, 2, "", "gate/check")),
            ({"GITHUB_REPOSITORY": ""}, Run(0, 2, "", "gate/check")),
            ({"GITHUB_RUN_ATTEMPT": "x", "GITHUB_JOB": ""}, Run(5, 0, RUN_URL, "gate")),
            (
                {"GITHUB_SERVER_URL": "https://git.example/"},
                Run(5, 2, "https://git.example/acme/lake/actions/runs/5", "gate/check"),
            ),
        ],
    )
    def test_a_run_is_what_the_environment_says(self, changed: dict[str, str], found: Run) -> None:
        told = {
            "GITHUB_RUN_ID": "5",
            "GITHUB_RUN_ATTEMPT": "2",
            "GITHUB_REPOSITORY": "acme/lake",
            "GITHUB_WORKFLOW": "gate",
            "GITHUB_JOB": "check",
        }
        assert read_run({**told, **changed}) == found

    def test_outside_of_a_run_nothing_is_known(self) -> None:
        assert read_run({}) == Run() == Run(0, 0, "", "")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"message": "m", "errors": ["plain", {"message": "x"}, {}, 3]}', "m; plain; x; 3"),
        (b'{"errors": "no list"}', ""),
        (b"[1]", ""),
        (b"<html>", ""),
    ],
)
def test_the_words_of_a_refusal_are_found_in_any_shape(body: bytes, said: str) -> None:
    assert GitHubResponse(422, {}, body).said == said

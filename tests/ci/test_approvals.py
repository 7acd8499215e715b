"""`policy.new_waivers: approved`: a new waiver counts once it has an approval that counts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ci.conftest import Job, pull_request, told
from tests.ci.github import PERSON, Fault, GitHub
from tests.cli.test_diff import ORDERS, commit, drop, edit, git
from tests.cli.test_new_waivers import FILE, waive
from tests.cli.test_target_policy import settle

Gate = Callable[..., tuple[int, str]]


@pytest.fixture
def offered(shop: Path, hub: GitHub) -> str:
    """A pull request of jane's that drops a column and accepts that itself; its head commit."""
    settle(shop, new_waivers="approved")
    commit(shop)
    git(shop, "switch", "-qc", "feature")
    edit(shop / ORDERS, drop("coupon"))
    waive(shop, rule="SC001", dataset="postgres/shop/public/orders")
    commit(shop)
    head = git(shop, "rev-parse", "HEAD")
    hub.add_pull(head)
    hub.permissions["bob"] = "write"
    return head


@pytest.fixture
def gate(job: Job, shop: Path, offered: str) -> Gate:
    """Run the gate as the pull request's workflow does."""

    def run(*arguments: str, token: str = "") -> tuple[int, str]:
        more = told(shop.parent, pull_request(head=offered))
        more |= {"GITHUB_TOKEN": token} if token else {}
        ran = job("snap", *(arguments or ("gate",)), more=more)
        return ran.code, ran.out

    return run


def own(shop: Path, text: str, place: str = ".github/CODEOWNERS") -> None:
    """Put CODEOWNERS on the target branch."""
    git(shop, "switch", "-q", "main")
    (shop / place).parent.mkdir(exist_ok=True)
    (shop / place).write_text(text)
    commit(shop)
    git(shop, "switch", "-q", "feature")


def test_an_approval_of_the_head_commit_makes_it_count(
    gate: Gate, hub: GitHub, offered: str
) -> None:
    code, out = gate()
    assert (code, f"commit {offered[:10]} has no approval that counts]" in out) == (1, True)
    hub.review("bob", "APPROVED", offered)
    code, out = gate()
    assert (code, "[counts: policy.new_waivers is approved]" in out) == (0, True)


def test_diff_in_the_same_job_says_the_same(gate: Gate, hub: GitHub, offered: str) -> None:
    assert gate("diff", "--base", "main")[0] == 1
    hub.review("bob", "APPROVED", offered)
    assert gate("diff", "--base", "main")[0] == 0


def test_the_event_of_a_review_is_one_of_the_pull_request(
    job: Job, hub: GitHub, shop: Path, offered: str
) -> None:
    hub.review("bob", "APPROVED", offered)
    more = told(shop.parent, pull_request(head=offered), "pull_request_review")
    assert job("snap", "gate", more=more).code == 0


def test_a_merge_queue_asks_about_the_pull_request_that_it_tests(
    job: Job, hub: GitHub, shop: Path, offered: str
) -> None:
    """Its branch is named after the pull request, and holds the merge of it."""
    base = git(shop, "rev-parse", "main")
    queue = f"refs/heads/gh-readonly-queue/main/pr-7-{base}"
    payload = {"merge_group": {"base_sha": base, "head_ref": queue, "head_sha": offered}}
    more = told(shop.parent, payload, "merge_group")
    assert job("snap", "gate", "--comment", more=more).code == 1
    hub.review("bob", "APPROVED", offered)
    assert job("snap", "gate", "--comment", more=more).code == 0
    assert (hub.bodies(), hub.statuses) == ([], [])


OLD = "1" * 40


@pytest.mark.parametrize(
    ("reviews", "why"),
    [
        ([("jane", "APPROVED", "head")], "jane is the author"),
        ([("Jane", "APPROVED", "head")], "Jane is the author"),
        ([("bob", "APPROVED", OLD)], "bob has approved 1111111111, not "),
        ([("bob", "DISMISSED", "head")], "bob has not approved it, or no longer does"),
        (
            [("bob", "APPROVED", "head"), ("bob", "CHANGES_REQUESTED", "head")],
            "bob has not approved it, or no longer does",
        ),
        ([("eve", "APPROVED", "head")], "eve may not write to acme/lake"),
        ([("ghost", "APPROVED", "head")], "ghost may not write to acme/lake"),
        ([("bob", "COMMENTED", "head")], "has no approval that counts"),
        ([("bob", "PENDING", "head")], "has no approval that counts"),
    ],
)
def test_other_reviews_do_not_count(
    gate: Gate, hub: GitHub, offered: str, reviews: list[tuple[str, str, str]], why: str
) -> None:
    hub.permissions["ghost"] = "unknown"
    for login, state, of in reviews:
        hub.review(login, state, offered if of == "head" else of)
    code, out = gate()
    assert (code, why in out) == (1, True), out


def test_the_review_of_a_bot_does_not_count(gate: Gate, hub: GitHub, offered: str) -> None:
    hub.permissions["helper[bot]"] = "write"
    hub.review("helper[bot]", "APPROVED", offered, kind="Bot")
    assert gate()[0] == 1


@pytest.mark.parametrize("word", ["write", "maintain", "admin"])
def test_whoever_may_write_may_approve(gate: Gate, hub: GitHub, offered: str, word: str) -> None:
    hub.permissions["bob"] = word
    hub.review("bob", "CHANGES_REQUESTED", OLD)
    hub.review("bob", "APPROVED", offered)
    hub.review("bob", "COMMENTED", offered)  # a remark takes nothing back
    assert gate()[0] == 0


@pytest.mark.parametrize("word", ["read", "triage", "none"])
def test_nobody_else_may(gate: Gate, hub: GitHub, offered: str, word: str) -> None:
    hub.permissions["bob"] = word
    hub.review("bob", "APPROVED", offered)
    assert gate()[0] == 1


def test_reviews_are_read_to_the_last_page(gate: Gate, hub: GitHub, offered: str) -> None:
    for _ in range(70):
        hub.review("bob", "APPROVED", offered)
    hub.review("bob", "CHANGES_REQUESTED", offered)
    assert gate()[0] == 1
    assert sum("/reviews" in one.path for one in hub.asked) == 3


class TestOwners:
    @pytest.mark.parametrize("place", [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"])
    def test_an_owner_must_approve(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str, place: str
    ) -> None:
        own(shop, "/waivers/ @carol\n", place)
        hub.review("bob", "APPROVED", offered)
        code, out = gate()
        assert (code, "none of bob is known to own it (@carol)" in out) == (1, True)
        hub.permissions["Carol"] = "write"
        hub.review("Carol", "APPROVED", offered)
        assert gate()[0] == 0

    def test_an_owner_must_be_able_to_write(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str
    ) -> None:
        own(shop, "/waivers/ @carol\n")
        hub.review("carol", "APPROVED", offered)
        assert gate()[0] == 1

    def test_the_first_place_counts_and_other_paths_do_not(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str
    ) -> None:
        own(shop, "* @carol\n", "docs/CODEOWNERS")
        own(shop, "/snapshots/ @carol\n")
        hub.review("bob", "APPROVED", offered)
        assert gate()[0] == 0

    def test_a_change_cannot_name_its_own_owners(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str, job: Job
    ) -> None:
        own(shop, "/waivers/ @carol\n")
        (shop / ".github").mkdir(exist_ok=True)
        (shop / ".github/CODEOWNERS").write_text("/waivers/ @bob\n")
        commit(shop)
        head = git(shop, "rev-parse", "HEAD")
        hub.pulls[0]["head"]["sha"] = head
        hub.review("bob", "APPROVED", head)
        assert job("snap", "gate", more=told(shop.parent, pull_request(head=head))).code == 1

    def test_the_members_of_a_team_are_asked_for(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str
    ) -> None:
        own(shop, "/waivers/ @acme/data\n")
        hub.review("bob", "APPROVED", offered)
        code, out = gate()
        assert (code, "the token may not read the members of @acme/data" in out) == (1, True)
        assert gate(token=PERSON)[0] == 1
        hub.teams["acme/data"] = {"bob"}
        assert gate(token=PERSON)[0] == 0

    @pytest.mark.parametrize("more", [0, 1])
    def test_a_file_that_is_larger_than_github_reads_names_nobody(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str, more: int
    ) -> None:
        line = "/waivers/ @bob\n"
        own(shop, line + "#" * (3_000_000 - len(line) + more))
        hub.review("bob", "APPROVED", offered)
        code, out = gate()
        assert (code == 0) == (more == 0), out

    def test_an_address_proves_nothing(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str
    ) -> None:
        own(shop, "/waivers/ bob@example.com\n")
        hub.review("bob", "APPROVED", offered)
        assert gate()[0] == 1


class TestCannotBeAsked:
    def test_what_is_not_in_the_approved_commit_is_not_approved(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str
    ) -> None:
        hub.review("bob", "APPROVED", offered)
        waive(shop, rule="SC001", dataset="**")
        code, out = gate()
        assert (code, "does not hold it like this" in out) == (1, True)

    @pytest.mark.parametrize(
        "fault",
        [
            Fault("GET", "/reviews", 403, "Resource not accessible by integration"),
            Fault("GET", "/reviews", 200, "no list"),
            Fault("GET", "/permission", 403, "Resource not accessible by integration"),
            Fault("GET", r"/pulls/7$", 404, "Not Found"),
        ],
    )
    def test_a_refusal_is_no_approval(
        self, gate: Gate, hub: GitHub, offered: str, fault: Fault
    ) -> None:
        hub.review("bob", "APPROVED", offered)
        hub.faults.append(fault)
        code, out = gate()
        assert (code, "the approvals cannot be read" in out) == (1, True)

    def test_neither_is_a_missing_token(
        self, hub: GitHub, shop: Path, offered: str, job: Job
    ) -> None:
        hub.review("bob", "APPROVED", offered)
        more = told(shop.parent, pull_request(head=offered)) | {"GITHUB_TOKEN": ""}
        ran = job("snap", "gate", more=more)
        assert (ran.code, "there is no token for GitHub" in ran.out) == (1, True)

    def test_nobody_is_asked_where_no_waiver_is_new(
        self, gate: Gate, hub: GitHub, shop: Path, offered: str
    ) -> None:
        (shop / FILE).unlink()
        assert gate()[0] == 1
        assert hub.asked == []


@pytest.mark.parametrize("user", [None, "bob", ["bob"], {"type": "User"}])
def test_a_review_of_another_shape_does_not_count(
    gate: Gate, hub: GitHub, offered: str, user: object
) -> None:
    hub.review("bob", "APPROVED", offered)
    hub.reviews[-1] |= {"user": user}
    code, out = gate()
    assert (code, "has no approval that counts" in out) == (1, True), out


def test_of_two_reviews_at_one_time_the_later_number_counts(
    gate: Gate, hub: GitHub, offered: str
) -> None:
    hub.review("bob", "CHANGES_REQUESTED", offered)
    hub.review("bob", "APPROVED", offered)
    since = hub.reviews[0]["submitted_at"]
    hub.reviews[:] = [one | {"submitted_at": since} for one in reversed(hub.reviews)]
    assert gate()[0] == 0
    hub.reviews[0] |= {"id": "not a number"}
    assert gate()[0] == 1

"""What a refusal means, and what to do about it, in a table."""

import pytest

from lumos_snap.ci.github_errors import BLOCK, GitHubRefusedError, refusal, unreachable

COMMENTS = "POST /repos/acme/lake/issues/7/comments"
STATUS = "POST /repos/acme/lake/statuses/abc"
OF_GITEA = "POST /api/v1/repos/acme/lake/"
INTEGRATION = "Resource not accessible by integration"


def refused(status: int, said: str = "", to: str = COMMENTS, **headers: str) -> GitHubRefusedError:
    return refusal(status, headers, said, to=to, host="forge.example")


@pytest.mark.parametrize(
    ("status", "said", "to", "message", "hint"),
    [
        (401, "", COMMENTS, "forge.example does not know the token", "GITHUB_TOKEN"),
        (403, INTEGRATION, COMMENTS, "the token may not do this", "lacks `pull-requests: write`"),
        (403, "no", COMMENTS, "forge.example refuses", "may lack `pull-requests: write`"),
        (403, INTEGRATION, STATUS, "the token may not do this", "lacks `statuses: write`"),
        (403, INTEGRATION, "GET /repos/a/b/pulls/7", "may not do this", "`pull-requests: read`"),
        (403, INTEGRATION, "POST /repos/a/b/check-runs", "may not do this", "`checks: write`"),
        (403, INTEGRATION, "GET /user", "the token may not do this", f"add to the job: `{BLOCK}`"),
        (403, "the issue is locked", COMMENTS, "forge.example refuses", "unlock the conversation"),
        (403, "Repository was archived", COMMENTS, "forge.example refuses", "unarchive it"),
        (403, "user is blocked", COMMENTS, "forge.example refuses", "use another token"),
        (403, "Resource protected by SAML", COMMENTS, "forge.example refuses", "single sign-on"),
        (403, "user should have a permission", f"{OF_GITEA}statuses/abc", "may not", "--no-status"),
        (
            403,
            "user should have a permission",
            f"{OF_GITEA}issues/7/comments",
            "the token may not do this",
            "`permissions: {contents: read, pull-requests: write}`",
        ),
        (404, "", COMMENTS, "knows nothing of it", "may see it and has `pull-requests: write`"),
        (404, "", "GET /user", "forge.example knows nothing of it", "a token that may see it"),
        (404, "", f"{OF_GITEA}statuses/abc", "knows nothing", "and has `contents: write`"),
        (413, "", COMMENTS, "forge.example refuses", "the run has all of it"),
        (422, "", COMMENTS, "forge.example refuses", "still exist"),
        (422, "body is too long", COMMENTS, "forge.example refuses", "the run has all of it"),
        (301, "", COMMENTS, "forge.example sends elsewhere", "a new name"),
        (500, "", COMMENTS, "forge.example fails", "run it again later"),
        (418, "", COMMENTS, "forge.example refuses", ""),
        (429, "", COMMENTS, "forge.example has been asked too often", "fewer runs at once"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_helps(
    status: int, said: str, to: str, message: str, hint: str
) -> None:
    found = refused(status, said, to)
    assert found.message.startswith(f"{to}: ")
    assert message in found.message
    assert found.message.endswith(f"({status}: {said})" if said else f"({status})")
    assert hint in found.hint
    assert bool(found.hint) == bool(hint)


def test_only_the_beginning_of_what_a_server_says_is_shown() -> None:
    assert refused(500, "x" * 300).message.endswith(f"(500: {'x' * 300})")
    assert refused(500, "x" * 301).message.endswith(f"(500: {'x' * 300})")


TRAITS = (
    "lacks_permission",
    "is_about_the_token",
    "knows_nothing",
    "is_too_long",
    "is_unreachable",
)


@pytest.mark.parametrize(
    ("status", "said", "traits"),
    [
        (401, "", {"is_about_the_token"}),
        (403, "", {"lacks_permission", "is_about_the_token"}),
        (403, "it is locked", {"is_about_the_token"}),
        (403, "API rate limit exceeded", {"lacks_permission"}),
        (403, "triggered an abuse detection mechanism", {"lacks_permission"}),
        (404, "", {"is_about_the_token", "knows_nothing"}),
        (410, "", {"knows_nothing"}),
        (413, "", {"is_too_long"}),
        (422, "Body is too long", {"is_too_long"}),
        (422, "", set()),
        (400, "too long", set()),
        (500, "", set()),
    ],
)
def test_a_refusal_is_of_a_kind(status: int, said: str, traits: set[str]) -> None:
    found = refused(status, said)
    assert {name for name in TRAITS if getattr(found, name)} == traits


def test_where_nothing_answers_nothing_else_is_asked() -> None:
    found = unreachable("refused", to="GET /user", host="forge.example")
    assert {name for name in TRAITS if getattr(found, name)} == {"is_unreachable"}
    assert found.message == "GET /user: forge.example cannot be reached: refused"
    assert "GITHUB_API_URL" in found.hint

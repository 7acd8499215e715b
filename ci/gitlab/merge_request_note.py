"""One note on a merge request that says what a diff found; it is edited in place.

    python3 merge_request_note.py diff.md diff.env

What GitLab sets in each job of a merge request says where. LUMOS_GITLAB_TOKEN is a project's token,
LUMOS_NOTE_NAME tells several notes apart. Nothing is written where nothing changed, unless there is
a note already. Only notes that the token's own user wrote are edited.
"""

import json
import os
import signal
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException
from pathlib import Path

LARGEST = 900_000  # characters; GitLab takes a million
PATIENCE = 20  # seconds for one answer
LONGEST = 180  # seconds for all of them, however slowly they come
MOST = 20_000_000  # bytes of one answer
TRIES = 4
MISSING, TOO_MANY, BROKEN = 404, 429, 500  # answers of a server


def main(note: Path, facts: Path) -> int:
    token = os.environ.get("LUMOS_GITLAB_TOKEN")
    if not token:
        print("no note: LUMOS_GITLAB_TOKEN is not set")
        return 3 if os.environ.get("LUMOS_REQUIRE_NOTE") == "true" else 0
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(LONGEST)
    try:
        print(publish(os.environ, token, note.read_text("utf-8"), is_quiet=_is_quiet(facts)))
    except KeyError as missing:
        print(f"no note: {missing} is not set: this is no job of a merge request", file=sys.stderr)
        return 2
    except (OSError, ValueError, HTTPException) as exc:
        print(f"no note: {_reason(exc)}", file=sys.stderr)
        return 3
    return 0


def publish(given, token: str, text: str, *, is_quiet: bool) -> str:
    project = urllib.parse.quote(given["CI_PROJECT_ID"], safe="")
    api, request = given["CI_API_V4_URL"], given["CI_MERGE_REQUEST_IID"]
    notes = f"{api}/projects/{project}/merge_requests/{request}/notes"
    marker = f"<!-- lumos-note:{given.get('LUMOS_NOTE_NAME', 'gate')} -->"
    me = ask(token, "GET", f"{api}/user")["id"]
    known = find(token, notes, marker, me)
    if known is None and is_quiet:
        return "no note: nothing changed"
    body = {"body": f"{marker}\n{inert(text)}"}
    if known is None:
        ask(token, "POST", notes, body)
        return "wrote a note"
    if known["body"].strip() == body["body"].strip():
        return "the note says it already"
    ask(token, "PUT", f"{notes}/{known['id']}", body)
    return "edited the note"


def find(token: str, notes: str, marker: str, me: int):
    page = "1"
    while page:
        address = f"{notes}?per_page=100&sort=asc&order_by=created_at&page={page}"
        found, headers = exchange(token, "GET", address)
        for note in found:
            if note["body"].startswith(marker) and note["author"]["id"] == me:
                return note
        page = headers.get("X-Next-Page", "")
    return None


def inert(text: str) -> str:
    """No line of it is a quick action, as `/merge` would be."""
    lines = (f"\\{line}" if line.lstrip().startswith("/") else line for line in text.splitlines())
    whole = "\n".join(lines)
    return whole if len(whole) <= LARGEST else whole[:LARGEST] + "\n\n… and more: see the artifacts"


def ask(token: str, method: str, address: str, content=None):
    return exchange(token, method, address, content)[0]


def exchange(token: str, method: str, address: str, content=None):
    """An answer and its headers; what may pass by itself is tried again."""
    data = None if content is None else json.dumps(content).encode()
    headers = {"PRIVATE-TOKEN": token, "Content-Type": "application/json"}
    opener = urllib.request.build_opener(Stay)
    for left in range(TRIES - 1, -1, -1):
        request = urllib.request.Request(address, data, headers, method=method)  # noqa: S310 - GitLab's own
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                body = answer.read(MOST + 1)
                if len(body) > MOST:
                    raise OSError(f"the answer is larger than {MOST / 1e6:.0f} MB")
                return json.loads(body), answer.headers
        except urllib.error.HTTPError as exc:
            again = exc.code == TOO_MANY or (exc.code >= BROKEN and method != "POST")
            if not again or not left:
                raise
            time.sleep(_pause(exc.headers.get("Retry-After", "1")))
    raise AssertionError("unreachable")


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the token must not travel to another host."""

    def redirect_request(self, *_args, **_named):  # noqa: D102
        return None


def _pause(asked: str) -> float:
    """Seconds that GitLab asks for; where it is a date, a moment will do."""
    return min(int(asked), 60) if asked.isdecimal() else 1


def _give_up(*_: object) -> None:
    raise TimeoutError(f"GitLab did not answer within {LONGEST} seconds")


def _is_quiet(facts: Path) -> bool:
    """Whether nothing changed: no dataset, no waiver and no setting of the policy."""
    lines = (line.partition("=") for line in facts.read_text("utf-8").splitlines())
    given = {name: value for name, _, value in lines}
    edits = (given.get("newWaivers", "0"), given.get("policyChanges", "0"))
    is_pass = given.get("verdict") == "pass"
    return is_pass and given.get("changesDetected") == "false" and edits == ("0", "0")


def _reason(exc: Exception) -> str:
    if isinstance(exc, urllib.error.HTTPError) and exc.code in (401, 403):
        return f"GitLab answers {exc.code}: the token needs the scope api and the role Reporter"
    if isinstance(exc, urllib.error.HTTPError) and exc.code == MISSING:
        return "GitLab answers 404: the token may not see this project, or it is not there"
    if isinstance(exc, urllib.error.HTTPError):
        return f"GitLab answers {exc.code}"
    if isinstance(exc, json.JSONDecodeError):
        return "what answers is not GitLab: it sends no JSON"
    return str(exc)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

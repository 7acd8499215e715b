"""GitHub's REST API over a real socket, with a memory, and as hostile as the real one can be."""

import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

LONGEST_BODY = 65_536
NOT_ALLOWED = "Resource not accessible by integration"
WRITER, READER, PERSON = "ghs_writer", "ghs_reader", "ghp_person"
"""Tokens: of a workflow, of a fork's workflow, and of a person."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that replaces the next one to a request of its kind."""

    method: str
    path: str
    status: int
    said: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_done: bool = False
    """Whether what was asked for happens all the same."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    content: Any
    headers: Mapping[str, str]


@dataclass
class GitHub:
    """One repository."""

    url: str = ""
    repository: str = "acme/lake"
    page: int = 30
    """How many items a page has at most, whatever is asked for."""
    longest: int = LONGEST_BODY
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)
    permissions: dict[str, str] = field(default_factory=dict)
    """What people may do here; of others GitHub says `read` in a public repository."""
    teams: dict[str, set[str]] = field(default_factory=dict)
    """The members of `org/team`."""
    origin: Path | None = None
    """The bare repository that commits are made in."""
    faults: list[Fault] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    ignores_head: bool = False
    """Whether a list of pull requests has them all, as Gitea's has, whoever is asked for."""
    lags: bool = False
    """Whether lists do not know yet of the comment that was written last."""
    after_create: Callable[[], object] | None = None
    """What happens in the very moment after a comment was written."""
    lock: threading.RLock = field(default_factory=threading.RLock)

    def environment(self, token: str = WRITER, **more: str) -> dict[str, str]:
        """What a job is told."""
        return {
            "GITHUB_API_URL": self.url,
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_TOKEN": token,
            **more,
        }

    def add_comment(self, body: str, *, number: int = 7, login: str = "", kind: str = "") -> int:
        """A comment, by our bot unless somebody else is named."""
        with self.lock:
            one = max(self.comments, default=100) + 1
            user = {"login": login or "github-actions[bot]", "type": kind or "Bot"}
            page = f"https://github.example/{self.repository}/pull/{number}#issuecomment-{one}"
            self.comments[one] = {
                "id": one, "body": body, "user": user, "html_url": page, "issue": number,
            }  # fmt: skip
            return one

    def add_pull(self, head: str, *, author: str = "jane", **more: Any) -> None:
        """Pull request 7, from a branch of the same repository unless another one is named."""
        own = {"full_name": self.repository}
        self.pulls.append({
            "number": 7, "state": "open", "user": {"login": author, "type": "User"},
            "base": {"ref": "main", "repo": own},
            "head": {"ref": "feature", "sha": head, "label": "acme:feature", "repo": own},
            **more,
        })  # fmt: skip

    def review(self, login: str, state: str, commit: str, *, kind: str = "User") -> None:
        """A review of pull request 7."""
        number = 900 + len(self.reviews)
        since = f"2026-03-01T00:{number % 900 // 60:02}:{number % 900 % 60:02}Z"
        self.reviews.append({
            "id": number, "user": {"login": login, "type": kind}, "state": state,
            "commit_id": commit, "submitted_at": since, "body": "",
        })  # fmt: skip

    def bodies(self, number: int = 7) -> list[str]:
        """What the comments of a pull request say, the oldest first."""
        return [one["body"] for one in self.comments.values() if one["issue"] == number]

    def sent(self, method: str) -> list[Asked]:
        return [one for one in self.asked if one.method == method]


@contextmanager
def github() -> Iterator[GitHub]:
    """A server on a free port of the loopback."""
    hub = GitHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _answering(hub))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


Answer = tuple[int, Any, dict[str, str]]


def _answering(hub: GitHub) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            content = json.loads(raw) if raw else None
            with hub.lock:
                asked = Asked(self.command, self.path, content, dict(self.headers.items()))
                hub.asked.append(asked)
                status, body, headers = _answer_to(hub, asked)
            if status == 201 and hub.after_create:
                happens, hub.after_create = hub.after_create, None
                happens()
            sent = b"" if body is None else body if isinstance(body, bytes) else _json(body)
            if status == -1:  # hangs up
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 - as http.server names them

        def log_message(self, *_arguments: object) -> None:
            """Nobody reads it."""

    return Answering


def _json(body: Any) -> bytes:
    return json.dumps(body).encode()


def _answer_to(hub: GitHub, asked: Asked) -> Answer:
    path = urlsplit(asked.path).path.removeprefix("/api/v1")
    for fault in hub.faults:
        if fault.method == asked.method and re.search(fault.path, path):
            hub.faults.remove(fault)
            if fault.is_done:
                _routed(hub, asked, path)
            said = {"message": fault.said} if fault.said else b"<html>not JSON</html>"
            return fault.status, said, dict(fault.headers)
    token = asked.headers.get("Authorization", "").removeprefix("Bearer ")
    if token not in (WRITER, READER, PERSON):
        return 401, {"message": "Bad credentials"}, {}
    if asked.method != "GET" and token == READER:
        return 403, {"message": NOT_ALLOWED}, {}
    if path == "/user":
        if token == PERSON:
            return 200, {"login": "jane"}, {}
        return 403, {"message": NOT_ALLOWED}, {}
    return _routed(hub, asked, path)


def _routed(hub: GitHub, asked: Asked, path: str) -> Answer:
    team = re.fullmatch(r"/orgs/([^/]+)/teams/([^/]+)/memberships/([^/]+)", path)
    if team and asked.method == "GET":
        return _member(hub, asked, *team.groups())
    home = f"/repos/{hub.repository}"
    for method, pattern, answer in _ROUTES:
        found = re.fullmatch(home + pattern, path)
        if found and method == asked.method:
            return answer(hub, asked, *found.groups())
    return 404, {"message": "Not Found"}, {}


def _list(hub: GitHub, asked: Asked, number: str) -> Answer:
    there = [one for one in hub.comments.values() if one["issue"] == int(number)]
    return _paged(hub, asked, there[:-1] if hub.lags else there)


def _paged(hub: GitHub, asked: Asked, items: list[dict[str, Any]]) -> Answer:
    query = parse_qs(urlsplit(asked.path).query)
    size = min(hub.page, int(query.get("per_page", ["30"])[0]))
    page = int(query.get("page", ["1"])[0])
    path = urlsplit(asked.path).path
    links = [f'<{hub.url}{path}?per_page={size}&page=1>; rel="first"']
    if page * size < len(items):
        links.insert(0, f'<{hub.url}{path}?per_page={size}&page={page + 1}>; rel="next"')
    return 200, items[(page - 1) * size : page * size], {"Link": ", ".join(links)}


def _create(hub: GitHub, asked: Asked, number: str) -> Answer:
    refused = _too_long(hub, asked)
    if refused:
        return refused
    login, kind = _author(asked)
    one = hub.add_comment(asked.content["body"], number=int(number), login=login, kind=kind)
    return 201, hub.comments[one], {}


def _author(asked: Asked) -> tuple[str, str]:
    is_person = asked.headers.get("Authorization", "").endswith(PERSON)
    return ("jane", "User") if is_person else ("github-actions[bot]", "Bot")


def _edit(hub: GitHub, asked: Asked, one: str) -> Answer:
    if int(one) not in hub.comments:
        return 404, {"message": "Not Found"}, {}
    refused = _too_long(hub, asked)
    if refused:
        return refused
    hub.comments[int(one)]["body"] = asked.content["body"]
    return 200, hub.comments[int(one)], {}


def _too_long(hub: GitHub, asked: Asked) -> Answer | None:
    if len(asked.content["body"]) <= hub.longest:
        return None
    said = f"body is too long (maximum is {hub.longest} characters)"
    errors = [{"resource": "IssueComment", "code": "unprocessable", "message": said}]
    return 422, {"message": "Validation Failed", "errors": errors}, {}


def _delete(hub: GitHub, _asked: Asked, one: str) -> Answer:
    if hub.comments.pop(int(one), None) is None:
        return 404, {"message": "Not Found"}, {}
    return 204, None, {}


def _status(hub: GitHub, asked: Asked, commit: str) -> Answer:
    if len(asked.content["description"]) > 140:
        return 422, {"message": "Validation Failed: description is too long"}, {}
    hub.statuses.append({"sha": commit, **asked.content})
    return 201, hub.statuses[-1], {}


def _pull(hub: GitHub, _asked: Asked, number: str) -> Answer:
    found = [one for one in hub.pulls if one["number"] == int(number)]
    return (200, found[0], {}) if found else (404, {"message": "Not Found"}, {})


def _pulls(hub: GitHub, asked: Asked) -> Answer:
    (head,) = parse_qs(urlsplit(asked.path).query)["head"]
    found = [one for one in hub.pulls if hub.ignores_head or one["head"]["label"] == head]
    return _paged(hub, asked, found)


def offered(number: int, sha: str, owner: str, branch: str) -> dict[str, Any]:
    """A pull request as a list has it."""
    repository = {"full_name": f"{owner}/lake", "owner": {"login": owner}}
    head = {"sha": sha, "label": f"{owner}:{branch}", "ref": branch, "repo": repository}
    return {"number": number, "head": head}


def _reviews(hub: GitHub, asked: Asked, _number: str) -> Answer:
    return _paged(hub, asked, hub.reviews)


def _permission(hub: GitHub, _asked: Asked, login: str) -> Answer:
    """GitHub tells four words, whatever roles an organization has."""
    found = hub.permissions.get(login, "read")
    if found == "unknown":
        return 404, {"message": f"{login} is not a user"}, {}
    word = {"maintain": "write", "triage": "read"}.get(found, found)
    return 200, {"permission": word, "role_name": found, "user": {"login": login}}, {}


def _member(hub: GitHub, asked: Asked, org: str, team: str, login: str) -> Answer:
    """The token of a workflow may not read the members of teams."""
    if not asked.headers.get("Authorization", "").endswith(PERSON):
        return 403, {"message": NOT_ALLOWED}, {}
    if login not in hub.teams.get(f"{org}/{team}", ()):
        return 404, {"message": "Not Found"}, {}
    return 200, {"state": "active", "role": "member"}, {}


def _git(hub: GitHub, *arguments: str, stdin: str = "", **more: str) -> str:
    assert hub.origin is not None
    done = subprocess.run(
        ["git", *arguments], cwd=hub.origin, check=True, capture_output=True, text=True,
        input=stdin, env={**os.environ, **more},
    )  # fmt: skip
    return done.stdout.strip()


def _commit(hub: GitHub, _asked: Asked, commit: str) -> Answer:
    return 200, {"sha": commit, "tree": {"sha": _git(hub, "rev-parse", f"{commit}^{{tree}}")}}, {}


def _make_tree(hub: GitHub, asked: Asked) -> Answer:
    (entry,) = asked.content["tree"]
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": f"{folder}/index"}
        _git(hub, "read-tree", asked.content["base_tree"], **index)
        blob = _git(hub, "hash-object", "-w", "--stdin", stdin=entry["content"])
        cached = f"{entry['mode']},{blob},{entry['path']}"
        _git(hub, "update-index", "--add", "--cacheinfo", cached, **index)
        return 201, {"sha": _git(hub, "write-tree", **index)}, {}


def _make_commit(hub: GitHub, asked: Asked) -> Answer:
    content = asked.content
    who = {
        f"GIT_{role.upper()}_{part.upper()}": content[role][part]
        for role in ("author", "committer")
        for part in ("name", "email")
    }
    parents = [f"-p{one}" for one in content["parents"]]
    made = _git(hub, "commit-tree", content["tree"], *parents, stdin=content["message"], **who)
    return 201, {"sha": made}, {}


def _move(hub: GitHub, asked: Asked, branch: str) -> Answer:
    """A branch moves forwards only, unless the request says `force`."""
    new, ref = asked.content["sha"], f"refs/heads/{branch}"
    known = _git(hub, "for-each-ref", "--format=%(objectname)", ref)
    if not known:
        return 422, {"message": "Reference does not exist"}, {}
    if _git(hub, "merge-base", known, new) != known and not asked.content.get("force"):
        return 422, {"message": "Update is not a fast forward"}, {}
    _git(hub, "update-ref", ref, new, known)
    return 200, {"ref": ref, "object": {"sha": new, "type": "commit"}}, {}


_ROUTES: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    ("GET", r"/issues/(\d+)/comments", _list),
    ("POST", r"/issues/(\d+)/comments", _create),
    ("PATCH", r"/issues/comments/(\d+)", _edit),
    ("DELETE", r"/issues/comments/(\d+)", _delete),
    ("POST", r"/statuses/([0-9a-f]+)", _status),
    ("GET", r"/pulls/(\d+)", _pull),
    ("GET", r"/pulls/(\d+)/reviews", _reviews),
    ("GET", r"/collaborators/([^/]+)/permission", _permission),
    ("GET", r"/pulls", _pulls),
    ("GET", r"/git/commits/([0-9a-f]+)", _commit),
    ("POST", r"/git/trees", _make_tree),
    ("POST", r"/git/commits", _make_commit),
    ("PATCH", r"/git/refs/heads/(.+)", _move),
)

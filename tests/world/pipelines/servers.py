"""A server on the loopback that remembers what it is asked, and answers as it is told to."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """What comes back."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Listener:
    """The server: where it is, and what it was asked."""

    address: str
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def listening(answer: Callable[[Asked], Answer]) -> Iterator[Listener]:
    """Answer requests until the block ends."""

    class Talk(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked = Asked(self.command, self.path, dict(self.headers), _parsed(raw))
            listener.asked.append(asked)
            given = answer(asked)
            body = given.body if isinstance(given.body, bytes) else json.dumps(given.body).encode()
            self.send_response(given.status)
            for name, value in given.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = _answer  # noqa: N815 - names of the library

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Talk)
    listener = Listener(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw


class GitHub:
    """Pull requests of one repository; Gitea lists all of them, whoever is asked for."""

    def __init__(self, *, ignores_head: bool = False) -> None:
        self.pulls: list[dict[str, Any]] = []
        self._ignores_head = ignores_head

    def add(self, home: str, branch: str, base: str = "main", body: str = "") -> dict[str, Any]:
        """A pull request that offers a branch of the repository `home`."""
        head = {"ref": branch, "repo": {"full_name": home}}
        pull = {"number": len(self.pulls) + 1, "head": head, "base": {"ref": base}, "body": body}
        self.pulls.append(pull)
        return pull

    def answer(self, asked: Asked) -> Answer:
        if asked.headers.get("Authorization") != "Bearer ghs_secret":
            return Answer(401, {"message": "Bad credentials"})
        path = urlsplit(asked.path)
        if asked.method == "GET" and path.path == "/repos/shop/metadata/pulls":
            query = parse_qs(path.query)
            assert query["state"] == ["open"]
            return Answer(body=self._listed(query["head"][0], int(query.get("page", ["1"])[0])))
        if asked.method == "POST":
            said = asked.body
            return Answer(201, self.add("shop/metadata", said["head"], said["base"], said["body"]))
        assert asked.method == "PATCH"
        pull = self.pulls[int(path.path.rpartition("/")[2]) - 1]
        pull.update(asked.body)
        return Answer(body=pull)

    def _listed(self, head: str, page: int) -> list[dict[str, Any]]:
        """Two to a page."""
        found = [
            one
            for one in self.pulls
            if self._ignores_head
            or f"{one['head']['repo']['full_name'].partition('/')[0]}:{one['head']['ref']}" == head
        ]
        return found[2 * page - 2 : 2 * page]


def strangers(hub: GitHub) -> list[dict[str, Any]]:
    """Pull requests that a template must leave alone: other branches, bases and repositories."""
    return [
        hub.add("shop/metadata", "more", body="somebody's own words"),
        hub.add("mallory/metadata", "lumos/drift", body="of a fork"),
        hub.add("mallory/metadata", "lumos/scan", body="of a fork"),
        hub.add("shop/metadata", "lumos/drift", "release", body="for another branch"),
        hub.add("shop/metadata", "lumos/scan", "release", body="for another branch"),
    ]

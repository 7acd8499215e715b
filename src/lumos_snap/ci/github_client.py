"""Requests to GitHub, with retries and pagination."""

import re
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import orjson

from lumos_snap._version import __version__
from lumos_snap.ci.environment import Host
from lumos_snap.ci.github_errors import (
    NO_ANSWER,
    GitHubRefusedError,
    refusal,
    unreachable,
    wait_before_retry,
)
from lumos_snap.errors import OutsideError
from lumos_snap.net.http import Limits, OverdueError, TooLargeError, send
from lumos_snap.text import redact_secrets

_LIMITS = Limits(silence=20, seconds=20, most=20_000_000)
_MOST_PAGES = 100
_NEXT = re.compile(r'<([^<>]*)>\s*;[^,]*\brel="?next"?')
_MOVED = frozenset({301, 302, 307, 308})


class GitHubResponse(NamedTuple):
    """An HTTP response; status 0 without one."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> str:
        """The error message in the response, if any."""
        try:
            told = orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return ""
        if not isinstance(told, dict):
            return ""
        errors = told.get("errors")
        more = [_words(one) for one in errors] if isinstance(errors, list) else []
        return "; ".join(filter(None, (str(told.get("message", "")), *more)))


def _words(error: object) -> str:
    return str(error.get("message", "")) if isinstance(error, dict) else str(error)


@dataclass(frozen=True, slots=True)
class GitHubClient:
    """A client of the GitHub API."""

    host: Host
    announce: Callable[[str], None]
    pause: Callable[[float], object] = time.sleep
    limits: Limits = _LIMITS

    @property
    def name(self) -> str:
        """Name of the server in messages."""
        return urlsplit(self.host.api).netloc

    def ask(self, method: str, path: str, content: Mapping[str, object] | None = None) -> Any:
        """Send a request and parse the response; raises `GitHubRefusedError` for errors."""
        return self._parsed(self._answer(method, f"{self.host.api}{path}", content), path)

    def ask_all(self, path: str) -> Iterator[Any]:
        """All items of a list, page by page."""
        address = f"{self.host.api}{path}"
        for _ in range(_MOST_PAGES):
            answer = self._answer("GET", address, None)
            items = self._parsed(answer, path)
            if not isinstance(items, list):
                raise self._strange(path)
            yield from items
            following = self._next(address, answer)
            if following is None:
                return
            address = following
        raise OutsideError(f"{path}: {self.name} has more than {_MOST_PAGES} pages of it")

    def _next(self, address: str, answer: GitHubResponse) -> str | None:
        found = _NEXT.search(answer.headers.get("link", ""))
        return self._own(urljoin(address, found.group(1))) if found else None

    def _own(self, address: str) -> str:
        """The address, if it belongs to the server that may receive the token."""
        if urlsplit(address)[:2] != urlsplit(self.host.api)[:2]:
            raise OutsideError(
                f"{self.name} redirects to another server", hint="check GITHUB_API_URL"
            )
        return address

    def _answer(
        self, method: str, address: str, content: Mapping[str, object] | None
    ) -> GitHubResponse:
        tries = 0
        while True:
            tries += 1
            answer = self._once(method, address, content)
            if answer.status in range(200, 300):
                return answer
            if answer.status in _MOVED and "location" in answer.headers and tries == 1:
                address = self._own(urljoin(address, answer.headers["location"]))
                continue
            wait = wait_before_retry(answer.status, answer.headers, answer.said, tries, time.time())
            if wait is None:
                raise self._refused(method, address, answer)
            why = answer.status or answer.body.decode()
            self.announce(
                f"{self.name} does not answer as it should ({why}): again in {wait:.0f} s"
            )
            self.pause(wait)

    def _refused(self, method: str, address: str, answer: GitHubResponse) -> OutsideError:
        to = f"{method} {urlsplit(address).path}"
        if answer.status == 0:
            return unreachable(answer.body.decode(), to=to, host=self.name)
        return refusal(answer.status, answer.headers, answer.said, to=to, host=self.name)

    def _once(
        self, method: str, address: str, content: Mapping[str, object] | None
    ) -> GitHubResponse:
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked with the host
            address,
            method=method,
            data=None if content is None else orjson.dumps(content),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.host.token}",
                "Content-Type": "application/json",
                "User-Agent": f"lumos-snap/{__version__}",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            return self._without_token(GitHubResponse(*send(request, self.limits)))
        except (OverdueError, TooLargeError) as exc:  # a retry would fail in the same way
            to = f"{method} {urlsplit(address).path}"
            hint = "check GITHUB_API_URL: is something else in between?"
            raise GitHubRefusedError(NO_ANSWER, "", f"{to}: {self.name}: {exc}", hint) from exc
        except (OSError, HTTPException) as exc:
            return GitHubResponse(
                0, {}, str(getattr(exc, "reason", exc) or type(exc).__name__).encode()
            )

    def _without_token(self, answer: GitHubResponse) -> GitHubResponse:
        """Remove the token from an error response: some servers repeat what they received."""
        if answer.status in range(200, 300):
            return answer
        said = redact_secrets(answer.body.decode("utf-8", "replace"), (self.host.token,))
        return answer._replace(body=said.encode())

    def _parsed(self, answer: GitHubResponse, path: str) -> object:
        if not answer.body:
            return None
        try:
            return orjson.loads(answer.body)
        except orjson.JSONDecodeError as exc:
            raise self._strange(path) from exc

    def _strange(self, path: str) -> OutsideError:
        hint = "check GITHUB_API_URL: is something else in between?"
        return OutsideError(f"{path}: {self.name} does not answer as GitHub does", hint=hint)

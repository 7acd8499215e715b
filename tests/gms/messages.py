"""A request as a route sees it, what it would do, and the answer to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson

from tests.gms.refusals import Refusal, Why

Json = Any
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Request:
    """A request, read to its end."""

    method: str
    path: str
    """As it was sent: what is percent-encoded is so still."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By their names in lower case."""
    body: bytes
    actor: str = ""
    is_behind_front: bool = False
    """Whether it came through the front end's `/api/gms`."""

    def parts(self) -> list[str]:
        """The parts of the path, decoded."""
        return [unquote(one) for one in self.path.strip("/").split("/")]

    def json(self) -> Json:
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError as exc:
            raise Refusal(Why.INVALID, f"JSON parse error: {exc}") from exc

    def says(self, name: str, *, default: bool = False) -> bool:
        """Whether a parameter of the query says yes."""
        return self.query.get(name, str(default)).lower() == "true"

    def number(self, name: str, default: int) -> int:
        text = self.query.get(name, str(default))
        if not text.lstrip("-").isdigit():
            raise Refusal(Why.INVALID, f"{name}: {text} is no number")
        return int(text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = JSON
    shown: int | None = None
    """So many bytes of the body are sent before the connection ends; None is all, and it stays."""


class Wrote(NamedTuple):
    """One thing that a request is to write: an aspect, or with no aspect the whole entity."""

    urn: str
    aspect: str | None
    change: str
    value: Json = None
    condition: str | None = None
    """The version that it is to have, as `If-Version-Match` says."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What a request would do, and how it is done."""

    run: Callable[[], Answer]
    wrote: tuple[Wrote, ...] = ()
    half: Callable[[], object] | None = None
    """Does the first half of what is to be written."""


def said(value: Json, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON."""
    return Answer(status, orjson.dumps(value), headers)


def page(text: str, status: int = 200) -> Answer:
    """An answer for people."""
    return Answer(status, text.encode(), kind="text/html;charset=utf-8")

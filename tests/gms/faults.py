"""What goes wrong, and when: a plan that a test makes."""

import re
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from tests.gms.request_log import Asked


class Kind(Enum):
    """What may happen to a request."""

    DELAY = "answered late"
    STATUS = "answered with another status, and nothing is done"
    STALE = "refused, as if somebody had changed what it writes"
    CUT_BEFORE = "the connection ends, and nothing is done"
    CUT_AFTER = "it is done, and the connection ends with no answer"
    CUT_INSIDE = "it is done, and the connection ends in the middle of the answer"
    HALF = "the first half of it is stored, and the connection ends"
    EDIT = "somebody edits something just before"
    LOST = "it is done, and answered with another status"


@dataclass(kw_only=True)
class Fault:
    """One thing that goes wrong, for the requests that it fits."""

    kind: Kind
    at: Collection[int] | None = None
    """Numbers of requests, from 0."""
    method: str | None = None
    path: str | None = None
    """A pattern that is looked for in the path."""
    urn: str | None = None
    aspect: str | None = None
    reads: str | None = None
    """Something that is asked for, such as a urn, in what writes nothing."""
    writes: bool | None = None
    """Whether the request is one that writes."""
    when: Callable[[Asked], bool] | None = None
    skip: int = 0
    """So many that fit are let through first."""
    times: int | None = 1
    """It happens so often; None is always."""
    status: int = 503
    after: str | None = None
    """What `Retry-After` says."""
    message: str = "it was not to be"
    seconds: float = 0.0
    edit: dict[str, Any] = field(default_factory=dict)
    happened: int = 0

    def fits(self, asked: Asked) -> bool:
        """Whether this is for a request."""
        return all(
            (
                self.at is None or asked.number in self.at,
                self.method is None or asked.method == self.method,
                self.path is None or re.search(self.path, asked.path) is not None,
                self.urn is None or any(one.urn == self.urn for one in asked.wrote),
                self.aspect is None or any(one.aspect == self.aspect for one in asked.wrote),
                self.reads is None or self.reads in asked.question,
                self.writes is None or bool(asked.wrote) is self.writes,
                self.when is None or self.when(asked),
            )
        )


class Faults:
    """The plan. Of the faults that fit a request, the first one happens."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self._planned.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()

    def pick(self, asked: Asked) -> Fault | None:
        """What happens to a request."""
        with self._lock:
            for fault in self._planned:
                if fault.times == 0 or not fault.fits(asked):
                    continue
                if fault.skip:
                    fault.skip -= 1
                    continue
                fault.times = None if fault.times is None else fault.times - 1
                fault.happened += 1
                return fault
        return None

    def delay(self, seconds: float, **fit: Any) -> Fault:
        return self.add(Fault(kind=Kind.DELAY, seconds=seconds, **fit))

    def answer(self, status: int, *, after: str | None = None, **fit: Any) -> Fault:
        """429, 503, 500, 403, 400 and the like; nothing is done."""
        return self.add(Fault(kind=Kind.STATUS, status=status, after=after, **fit))

    def lose(self, status: int = 502, **fit: Any) -> Fault:
        """It is done, and a proxy answers instead of the server."""
        return self.add(Fault(kind=Kind.LOST, status=status, **fit))

    def reject(self, aspect: str, **fit: Any) -> Fault:
        """Whatever writes the aspect is invalid."""
        fit = {"times": None, "message": f"{aspect} is not to be written", **fit}
        return self.answer(400, aspect=aspect, **fit)

    def unreadable(self, urn: str, status: int = 500, **fit: Any) -> Fault:
        """Whatever reads an entity fails, whatever else it reads."""
        return self.answer(status, reads=urn, **{"times": None, **fit})

    def stale(self, **fit: Any) -> Fault:
        return self.add(Fault(kind=Kind.STALE, **{"writes": True, **fit}))

    def cut_before(self, **fit: Any) -> Fault:
        return self.add(Fault(kind=Kind.CUT_BEFORE, **fit))

    def cut_after(self, **fit: Any) -> Fault:
        return self.add(Fault(kind=Kind.CUT_AFTER, **fit))

    def cut_inside(self, **fit: Any) -> Fault:
        return self.add(Fault(kind=Kind.CUT_INSIDE, **fit))

    def half(self, **fit: Any) -> Fault:
        return self.add(Fault(kind=Kind.HALF, **{"writes": True, **fit}))

    def edit(self, urn: str, aspect: str, value: Any, /, **fit: Any) -> Fault:
        """Somebody sets an aspect just before a write."""
        edit = {"urn": urn, "aspect": aspect, "value": value}
        return self.add(Fault(kind=Kind.EDIT, edit=edit, **{"writes": True, **fit}))

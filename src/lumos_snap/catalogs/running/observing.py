"""Sending what was measured: many readings at once, and one by one where some are refused."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lumos_snap.catalogs.adapter import Answer, Confirmed, Observed, Observer, Refused
from lumos_snap.catalogs.sync.client import Asking

AT_ONCE = 100
"""Readings in a request: DataHub's client sends up to 200 points, and a reading has two or more."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of one reading; without a reason, it is kept there."""

    urn: str
    reason: str = ""


def sent(asking: Asking, observer: Observer, readings: Iterable[Observed]) -> Iterator[Sent]:
    """What came of each reading; where nobody answers any more, the rest is not tried."""
    left = iter(readings)
    while some := tuple(islice(left, AT_ONCE)):
        is_answered = True
        for one, answer in _answers(asking, observer, some):
            urn = str(one.observation["urn"])
            yield Sent(urn, _reason(answer))
            is_answered &= isinstance(answer, Confirmed) or _is_final(answer)
        if not is_answered:
            return


def _answers(
    asking: Asking, observer: Observer, some: Sequence[Observed]
) -> Iterator[tuple[Observed, Answer]]:
    answer = asking.observe(observer, some)
    if len(some) > 1 and _is_final(answer):
        half = len(some) // 2  # a server refuses all where it refuses one
        yield from _answers(asking, observer, some[:half])
        yield from _answers(asking, observer, some[half:])
    else:
        yield from ((one, answer) for one in some)


def _is_final(answer: Answer) -> bool:
    return isinstance(answer, Refused) and not answer.is_busy


def _reason(answer: Answer) -> str:
    return "" if isinstance(answer, Confirmed) else answer.reason

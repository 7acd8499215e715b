"""JSON values as records of kinds: numbers are not computed, whatever their length."""

from collections.abc import Callable
from json import JSONDecoder
from typing import Any

from lumos_snap.scan.probe.json_shape import Enormous, Odd, Whole

SHORT = 18
DIGITS = 38
SMALLEST, LARGEST = -(2**63), 2**63 - 1

_WHOLE, _ENORMOUS, _FRACTION, _ODD = Whole(), Enormous(), 0.5, Odd()


def decoder(notice: Callable[[str], None]) -> JSONDecoder:
    """A decoder that tells what it tolerates: each habit of writers has a name."""

    def constant(_: str) -> Odd:
        notice("nan")
        return _ODD

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            notice("duplicate-keys")
        return found

    return JSONDecoder(
        object_pairs_hook=members,
        parse_int=_integer,
        parse_float=_fraction,
        parse_constant=constant,
    )


def _integer(text: str) -> float:
    if len(text) <= SHORT:
        return 1
    if len(text.lstrip("-")) > DIGITS:
        return _ENORMOUS
    return 1 if SMALLEST <= int(text) <= LARGEST else _WHOLE


def _fraction(_: str) -> float:
    return _FRACTION

"""Sorts of changes between types, against what the types can hold."""

import itertools
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from lumos_snap.model.types import Kind
from lumos_snap.rules.type_changes import SORTS, sort_of_change
from lumos_snap.schema import document_of
from tests.strategies import SMALL
from tests.strategies.types import types

INTEGERS = {
    **{f"INT{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}
EXACT = {"FLOAT16": 11, "FLOAT32": 24, "FLOAT64": 53}
NUMBERS: list[dict[str, Any]] = [
    *({"type": kind} for kind in (*INTEGERS, *EXACT)),
    *(
        {"type": "DECIMAL", "precision": precision, "scale": scale}
        for precision, scale in itertools.product((2, 3, 4, 9, 10, 15, 16, 18, 19, 20, 38), (0, 2))
        if scale < precision
    ),
]


def extremes(one: dict[str, Any]) -> list[Decimal]:
    """The numbers of a type that are hardest to hold: all others fit where these do."""
    kind = one["type"]
    if kind in INTEGERS:
        return [Decimal(end) for end in INTEGERS[kind]]
    if kind in EXACT:  # neither every fraction nor every size has a place elsewhere
        return [Decimal(2) ** -20, Decimal(2 ** EXACT[kind] - 1) * 2, Decimal(1) / 2 ** EXACT[kind]]
    most = Decimal(10 ** one["precision"] - 1).scaleb(-one["scale"])
    return [most, -most, Decimal(1).scaleb(-one["scale"])]


def holds(one: dict[str, Any], number: Decimal) -> bool:
    kind = one["type"]
    whole = number == number.to_integral_value()
    if kind in INTEGERS:
        least, most = INTEGERS[kind]
        return whole and least <= number <= most
    if kind in EXACT:
        return whole and abs(number) <= 2 ** EXACT[kind]
    fine = number.scaleb(one["scale"])
    return fine == fine.to_integral_value() and abs(fine) < 10 ** one["precision"]


def fits(old: dict[str, Any], new: dict[str, Any]) -> bool:
    return all(holds(new, number) for number in extremes(old))


@pytest.mark.parametrize("old", NUMBERS, ids=str)
def test_a_number_is_widened_if_the_new_type_holds_all_of_the_old_one(old: dict[str, Any]) -> None:
    for new in NUMBERS:
        if old["type"] == new["type"] or {old["type"], new["type"]} <= EXACT.keys():
            continue
        sort = sort_of_change(old, new)
        assert (sort == "type-widened") == fits(old, new), new
        if not {old["type"], new["type"]} & EXACT.keys():
            assert (sort == "type-narrowed") == (fits(new, old) and not fits(old, new)), new


@pytest.mark.parametrize("old", [one for one in NUMBERS if one["type"] == "DECIMAL"], ids=str)
def test_a_decimal_gains_or_loses_what_its_digits_say(old: dict[str, Any]) -> None:
    for new in NUMBERS:
        if new["type"] == "DECIMAL" and new != old:
            scales = new["scale"] - old["scale"]
            sorts = {
                (True, False): "decimal-scale-raised" if scales else "decimal-widened",
                (False, True): "decimal-digits-lost" if scales else "decimal-narrowed",
                (False, False): "decimal-digits-traded",
            }
            assert sort_of_change(old, new) == sorts[fits(old, new), fits(new, old)]


def test_floats_are_widened_by_longer_ones() -> None:
    for old, new in itertools.permutations(EXACT, 2):
        sort = sort_of_change({"type": old}, {"type": new})
        assert sort == ("type-widened" if EXACT[old] < EXACT[new] else "type-narrowed")


TEXTS: list[dict[str, Any]] = [
    {"type": "STRING"},
    *({"type": kind, "length": n} for kind in ("CHAR", "VARCHAR") for n in (8, 9)),
]
BYTES: list[dict[str, Any]] = [
    {"type": "BINARY"},
    *({"type": kind, "length": n} for kind in ("FIXED", "BINARY") for n in (8, 9)),
]


@pytest.mark.parametrize("family", [TEXTS, BYTES], ids=["texts", "bytes"])
def test_a_length_is_lowered_if_something_no_longer_fits(family: list[dict[str, Any]]) -> None:
    for old, new in itertools.permutations(family, 2):
        sort = sort_of_change(old, new)
        if new["type"] in ("CHAR", "FIXED"):
            assert sort == "fixed-length-changed"
        elif old["type"] != new["type"] or "length" in old or "length" in new:
            fits = new.get("length", 99) >= old.get("length", 99)
            assert sort == ("length-raised" if fits else "length-lowered"), (old, new)


@SMALL
@given(types().map(document_of), types().map(document_of))
def test_every_pair_of_types_has_a_sort(old: Any, new: Any) -> None:
    assert sort_of_change(old, new) in SORTS


def test_every_pair_of_bare_kinds_has_a_sort() -> None:
    for old, new in itertools.product(Kind, Kind):
        assert sort_of_change({"type": old.value}, {"type": new.value}) in SORTS


def test_every_sort_can_be() -> None:
    shapes: dict[str, dict[str, Any]] = {"UNKNOWN": {"native": "x"}}
    plain: list[dict[str, Any]] = [
        {"type": kind.value, **shapes.get(kind.value, {})} for kind in Kind
    ]
    clocks: list[dict[str, Any]] = [
        {"type": "TIMESTAMP", "unit": unit, "timezone": zone}
        for unit, zone in itertools.product(("ms", "us"), ("UTC", "+02:00"))
    ]
    more: list[dict[str, Any]] = [
        {"type": "DECIMAL", "precision": 12, "scale": 4},
        {"type": "ARRAY", "length": 3},
        {"type": "UNKNOWN", "native": "y"},
    ]
    pairs = itertools.permutations([*plain, *NUMBERS, *TEXTS, *BYTES, *clocks, *more], 2)
    assert {sort_of_change(old, new) for old, new in pairs} == SORTS.keys()

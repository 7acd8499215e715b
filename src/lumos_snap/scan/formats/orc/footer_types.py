"""The types in an ORC footer: a tree that is stored as a list."""

from collections.abc import Mapping, Sequence
from typing import Any

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.formats.orc.protobuf import (
    FieldValue,
    ItemBudget,
    bytes_of,
    number_of,
    numbers_of,
    read_fields,
    text_of,
)
from lumos_snap.scan.stores.store import BadFileError

KINDS = (
    "boolean", "byte", "short", "int", "long", "float", "double", "string", "binary", "timestamp",
    "list", "map", "struct", "union", "decimal", "date", "varchar", "char", "timestamp_instant",
    "geometry", "geography",
)  # fmt: skip
EDGES = ("spherical", "vincenty", "thomas", "andoyer", "karney")

_KIND, _SUBTYPES, _NAMES, _LENGTH, _PRECISION, _SCALE, _ATTRIBUTES, _CRS, _EDGES = range(1, 10)
_NUMBERS = {_LENGTH: "maximumLength", _PRECISION: "precision", _SCALE: "scale"}
_SIZES = {
    "maximumLength": ("char", "varchar"), "precision": ("decimal",), "scale": ("decimal",)
}  # fmt: skip
_HOLDS = {"list": 1, "map": 2}


def decode_type(data: bytes, budget: ItemBudget) -> dict[str, Any]:
    """Decode one type; missing attributes are left out."""
    said: dict[str, Any] = {"kind": KINDS[0]}
    for number, found in read_fields(data, budget):
        _SAYS.get(number, _skip_field)(said, number, found, budget)
    for name in _SIZES.keys() & said.keys():
        if said["kind"] not in _SIZES[name]:
            del said[name]  # some writers give every type all sizes, as 0
    return said


def _skip_field(
    _said: dict[str, Any], _number: int, _found: FieldValue, _budget: ItemBudget
) -> None:
    """Ignore a field of a later ORC version."""


def _kind(said: dict[str, Any], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said["kind"] = _enum_name(KINDS, number_of(found), "kind")


def _edges(said: dict[str, Any], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said["algorithm"] = _enum_name(EDGES, number_of(found), "algorithm")


def _enum_name(words: Sequence[str], number: int, what: str) -> str:
    return words[number] if number < len(words) else f"{what} {number}"


def _subtypes(said: dict[str, Any], _number: int, found: FieldValue, budget: ItemBudget) -> None:
    said.setdefault("subtypes", []).extend(numbers_of(found, budget))


def _name(said: dict[str, Any], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said.setdefault("fieldNames", []).append(text_of(found))


def _size(said: dict[str, Any], number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said[_NUMBERS[number]] = number_of(found)


def _crs(said: dict[str, Any], _number: int, found: FieldValue, _budget: ItemBudget) -> None:
    said["crs"] = text_of(found)


def _attribute(said: dict[str, Any], _number: int, found: FieldValue, budget: ItemBudget) -> None:
    pair = {number: text_of(held) for number, held in read_fields(bytes_of(found), budget)}
    said.setdefault("attributes", {})[pair.get(1, "")] = pair.get(2, "")


_SAYS = {
    _KIND: _kind,
    _SUBTYPES: _subtypes,
    _NAMES: _name,
    **dict.fromkeys(_NUMBERS, _size),
    _ATTRIBUTES: _attribute,
    _CRS: _crs,
    _EDGES: _edges,
}


def check_tree(types: Sequence[Mapping[str, Any]]) -> None:
    """Reject types that are not a tree, so that a traversal ends and visits each type once."""
    if not types:
        raise BadFileError(error_codes.DAMAGED, "the footer has no type")
    held = [False] * len(types)
    for index, one in enumerate(types):
        subtypes = one.get("subtypes", ())
        _check_members(one, len(subtypes))
        for subtype in subtypes:
            if not index < subtype < len(types) or held[subtype]:
                raise BadFileError(error_codes.DAMAGED, f"type {index} holds what it cannot hold")
            held[subtype] = True


def _check_members(one: Mapping[str, Any], held: int) -> None:
    kind = one["kind"]
    if kind == "struct" and len(one.get("fieldNames", ())) != held:
        raise BadFileError(error_codes.DAMAGED, "the footer has more or fewer names than columns")
    if _HOLDS.get(kind, held) != held:
        raise BadFileError(error_codes.DAMAGED, f"a {kind} that holds {held} types")

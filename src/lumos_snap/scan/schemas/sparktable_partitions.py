"""What divides the layout of a Spark table, as its catalog tells it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lumos_snap.model.field_path import Part, Step, format_path
from lumos_snap.model.snapshot import Partition
from lumos_snap.model.type_kinds import Kind
from lumos_snap.model.types import Field
from lumos_snap.scan.schemas.types import parameters_of

Told = Mapping[str, Any]

_AS_IT_IS = "identity"
_SAME = frozenset((_AS_IT_IS, "truncate"))
_TRANSFORM = re.compile(
    r"(?P<name>\w+)\((?:(?P<first>\d+), )?(?P<column>[^()]+?)(?:, (?P<last>\d+))?\)"
)
_UNITS = {"years": "year", "months": "month", "days": "day", "hours": "hour"}
_TYPES = {**dict.fromkeys(("bucket", *_UNITS.values()), Kind.INT32), "day": Kind.DATE}
_NAME = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")
_STRANGE = "how it is partitioned is not all understood: {}"


def partitions(
    told: Iterable[Told], fields: Sequence[Field]
) -> tuple[tuple[Partition, ...], tuple[str, ...]]:
    """Every partition that is understood, outermost first, and a note for every other."""
    found: list[Partition] = []
    strange: list[str] = []
    for one in told:
        made = _partition(one, fields)
        if made is None:
            strange.append(_STRANGE.format(one.get("transform") or ".".join(one["column"])))
        else:
            found.append(made)
    return tuple(found), tuple(strange)


def path_of(parts: Sequence[str]) -> str:
    """The field that the parts of a name lead to."""
    return format_path([Part(Step.MEMBER, part) for part in parts])


def _partition(told: Told, fields: Sequence[Field]) -> Partition | None:
    if "column" in told:
        return _made(told["column"], _AS_IT_IS, None, fields)
    found = _TRANSFORM.fullmatch(told["transform"])
    if found is None:
        return None
    number = found["first"] or found["last"]
    parts = [quoted.replace("``", "`") or plain for quoted, plain in _NAME.findall(found["column"])]
    name = _UNITS.get(found["name"], found["name"])
    return _made(parts, name, int(number) if number else None, fields)


def _made(
    parts: Sequence[str], transform: str, argument: int | None, fields: Sequence[Field]
) -> Partition | None:
    held = _field(parts, fields)
    if held is None:
        return None
    name = ".".join(parts)
    return Partition(
        name=name if transform == _AS_IT_IS else f"{name}_{transform}",
        source=path_of(parts),
        transform=transform,
        argument=argument,
        **_type(held, transform),
    )


def _field(parts: Sequence[str], fields: Sequence[Field]) -> Field | None:
    """The field at a path; Spark's own names may be written in other letter case."""
    first, *inner = parts
    found = next((one for one in fields if one.name == first), None) or next(
        (one for one in fields if one.name.lower() == first.lower()), None
    )
    return _field(inner, found.fields) if found and inner else found


def _type(held: Field, transform: str) -> dict[str, Any]:
    if transform in _SAME:
        return parameters_of(held)
    if transform in _TYPES:
        return {"type": _TYPES[transform]}
    return {"type": Kind.UNKNOWN, "native": transform}

"""An Iceberg schema as its JSON has it, checked, with what is known of such and nothing else."""

from typing import Any

from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.tables import text

_OF_FIELDS = ("doc", "initial-default", "write-default")
_LISTS = {
    "list": (("element",), ("element-id", "element-required")),
    "map": (("key", "value"), ("key-id", "value-id", "value-required")),
}
_SCHEMA = "it has no schema that can be read: "


def schema(held: Any) -> dict[str, Any]:
    """The columns, and which of them identify a row."""
    if not isinstance(held, dict):
        raise BadFileError(reasons.DAMAGED, f"{_SCHEMA}it is no object")
    identifiers = held.get("identifier-field-ids")
    return {
        "fields": _fields(held.get("fields"), 0),
        "identifiers": [one for one in identifiers or () if isinstance(one, int)]
        if isinstance(identifiers, list)
        else [],
    }


def _fields(held: Any, level: int) -> list[dict[str, Any]]:
    if not isinstance(held, list):
        raise BadFileError(reasons.DAMAGED, f"{_SCHEMA}a struct has no fields")
    return [_field(one, level) for one in held]


def _field(held: Any, level: int) -> dict[str, Any]:
    if not isinstance(held, dict) or not isinstance(held.get("name"), str):
        raise BadFileError(reasons.DAMAGED, f"{_SCHEMA}a field has no name")
    return {
        "id": text.number(held.get("id")),
        "name": held["name"],
        "required": held.get("required") is True,
        "type": _type(held.get("type"), level + 1),
        **{name: held[name] for name in _OF_FIELDS if name in held},
    }


def _type(held: Any, level: int) -> Any:
    if level > text.DEEPEST:
        raise BadFileError(reasons.TOO_LARGE, f"the schema nests over {text.DEEPEST} deep")
    if isinstance(held, str) and held:
        return held
    kind = held.get("type") if isinstance(held, dict) else None
    if kind == "struct":
        return {"type": kind, "fields": _fields(held.get("fields"), level)}
    if kind in _LISTS:
        types, others = _LISTS[kind]
        inside = {name: _type(held.get(name), level + 1) for name in types}
        return {"type": kind, **inside, **{name: _plain(held.get(name)) for name in others}}
    raise BadFileError(reasons.DAMAGED, f"{_SCHEMA}a type is none")


def _plain(held: Any) -> int | bool | None:
    return held if isinstance(held, bool) else text.number(held)

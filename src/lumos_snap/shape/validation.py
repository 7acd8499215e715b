"""Validation of JSON against stored classes. The only module that validates with pydantic."""

import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from lumos_snap.shape.keys import keys_of
from lumos_snap.shape.value import Value

V = TypeVar("V", bound=Value)
Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """One place where a document is not what its class says."""

    pointer: Pointer
    message: str
    hint: str = ""


class MisfitError(Exception):
    """A document does not have the structure of its class."""

    def __init__(self, misfits: tuple[Misfit, ...]) -> None:
        super().__init__(misfits[0].message)
        self.misfits = misfits


def validated(raw: bytes, cls: type[V]) -> V:
    """The value that JSON bytes stand for; raises `MisfitError` with all that does not fit."""
    try:
        return adapter(cls).validate_json(raw)
    except ValidationError as exc:
        errors = exc.errors(include_url=False)
        raise MisfitError(tuple(_misfit(error, cls) for error in errors)) from exc


def adapter(cls: type[V]) -> TypeAdapter[V]:
    """Pydantic's view of a stored class, built once."""
    plain: type = cls  # mypy does not take a dataclass for hashable
    return _adapter(plain)


@functools.cache
def _adapter(cls: type) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def _misfit(error: Mapping[str, Any], cls: type[Value]) -> Misfit:
    pointer: Pointer = error["loc"]
    context: Mapping[str, Any] = error.get("ctx", {})
    last = f"`{pointer[-1]}`" if pointer else "the document"
    message = _MESSAGES.get(error["type"], "{msg}").format(
        last=last, msg=error["msg"].removeprefix("Value error, "), **_facts(context)
    )
    return Misfit(pointer, message, _hint(error, pointer, cls))


def _hint(error: Mapping[str, Any], pointer: Pointer, cls: type[Value]) -> str:
    """What was probably meant, where that can be told."""
    if error["type"] == "unexpected_keyword_argument":
        return _similar(str(pointer[-1]), _keys_at(pointer[:-1], cls))
    if error["type"] == "enum":
        return _similar(str(error["input"]), error["ctx"]["expected"].split("'")[1::2])
    return ""


# What pydantic calls an error, in the words of somebody who edits the file.
_MESSAGES = {
    "missing": "{last} is missing",
    "unexpected_keyword_argument": "{last} is not a known key",
    "string_type": "{last} must be a string",
    "int_type": "{last} must be an integer",
    "int_from_float": "{last} must be an integer",
    "bool_type": "{last} must be true or false",
    "tuple_type": "{last} must be a list",
    "list_type": "{last} must be a list",
    "dict_type": "{last} must be an object",
    "mapping_type": "{last} must be an object",
    "dataclass_type": "{last} must be an object",
    "enum": "{last} must be one of {expected}",
    "literal_error": "{last} must be one of {expected}",
    "string_too_short": "{last} must not be empty: leave the key out",
    "too_short": "{last} must not be empty",
    "string_pattern_mismatch": "{last} has not the form {pattern}",
    "greater_than_equal": "{last} must be at least {ge}",
    "less_than_equal": "{last} must be at most {le}",
}


def _facts(context: Mapping[str, Any]) -> dict[str, str]:
    names = ("expected", "pattern", "ge", "le")
    facts = {name: str(context.get(name, "")) for name in names}
    return {**facts, "pattern": facts["pattern"].replace(r"(?!\n)", "")}


def _similar(text: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(text, list(known), n=1)
    return f"did you mean `{close[0]}`?" if close else ""


def _keys_at(pointer: Pointer, cls: type[Value]) -> Iterable[str]:
    """The keys that an object at a pointer may have."""
    holder: type | None = cls
    for step in pointer:
        if isinstance(step, str) and holder is not None:
            holder = keys_of(holder)[step].item if step in keys_of(holder) else None
    return keys_of(holder) if holder is not None else ()

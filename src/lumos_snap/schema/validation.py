"""Validation of parsed documents against stored classes.

The registry of keys becomes a schema of pydantic-core, the validator inside pydantic. It checks a
parsed document in place, which is several times faster than building values from it, and importing
it takes a third of the time of importing pydantic.
"""

import difflib
import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic_core import CoreSchema, SchemaValidator, ValidationError, core_schema

from lumos_snap.json_object import JsonObject
from lumos_snap.schema.base import Value
from lumos_snap.schema.fields import LARGEST_INTEGER, MOST_PROBLEMS, Holds, Key, Scalar, keys_of

Pointer = tuple[str | int, ...]

MOST_LEVELS = 100
"""The maximum depth of free-form JSON: every tool that walks it must terminate."""
MOST_LISTED = 8
"""The maximum number of choices in a message: more would hide the problem."""
MOST_DESCRIBED = 50_000
"""The maximum number of described errors: millions need more memory than the document."""
LONGEST_SHOWN = 40
"""The maximum number of characters of a wrong value in a message."""
ALL_CHOICES = "`lumos schema snapshot` lists all"
BOUNDS = "±2^53"


@dataclass(frozen=True, slots=True)
class Misfit:
    """One place where a document does not match its class."""

    pointer: Pointer
    message: str
    hint: str = ""
    is_too_deep: bool = False  # nested deeper than the validator supports


def misfits(document: object, cls: type[Value]) -> tuple[Misfit, ...]:
    """Find all parts of a parsed document that do not have the structure of its class."""
    plain: type = cls  # mypy does not accept a dataclass as hashable
    try:
        _validator(plain).validate_python(document)
    except ValidationError as exc:
        return _list_misfits(exc, cls)
    return ()


def _list_misfits(exc: ValidationError, cls: type[Value]) -> tuple[Misfit, ...]:
    """Describe the first errors, and count the others."""
    count = exc.error_count()
    if count > MOST_DESCRIBED:
        return (Misfit((), f"does not have the structure of its kind in {count:,} places"),)
    errors = exc.errors(include_url=False)
    found = tuple(_misfit(error, cls) for error in errors[:MOST_PROBLEMS])
    if count <= MOST_PROBLEMS:
        return found
    beyond: Pointer = errors[MOST_PROBLEMS]["loc"]
    return (*found, Misfit(beyond, f"has {count - MOST_PROBLEMS:,} more problems"))


@functools.cache
def _validator(cls: type[Value]) -> SchemaValidator:
    definitions: dict[type, CoreSchema] = {}
    _define(cls, definitions)
    root = core_schema.definition_reference_schema(cls.__name__)
    return SchemaValidator(core_schema.definitions_schema(root, list(definitions.values())))


def _define(cls: type[Value], definitions: dict[type, CoreSchema]) -> None:
    """Add the schemas of a class and of all classes that it contains."""
    if cls in definitions:
        return
    keys = keys_of(cls)
    fields = {
        key.name: core_schema.typed_dict_field(_schema(key), required=key.is_required)
        for key in keys.values()
    }
    has_rule = cls.consistent is not Value.consistent
    structure = core_schema.typed_dict_schema(
        fields, extra_behavior="forbid", strict=True, ref=None if has_rule else cls.__name__
    )
    definitions[cls] = (
        core_schema.no_info_after_validator_function(cls.consistent, structure, ref=cls.__name__)
        if has_rule
        else structure
    )
    for key in keys.values():
        if key.item is not None:
            _define(key.item, definitions)


def _schema(key: Key) -> CoreSchema:
    least = 1 if key.is_filled else None
    if key.item is not None:
        item = core_schema.definition_reference_schema(key.item.__name__)
        return (
            item if key.holds is Holds.OBJECT else core_schema.list_schema(item, min_length=least)
        )
    each = _free_form() if key.scalar is None else _scalar(key.scalar)
    if key.holds is Holds.FREE:
        return core_schema.dict_schema(core_schema.str_schema(), each, strict=True)
    if key.holds is Holds.SCALARS:
        items = core_schema.list_schema(each, min_length=least, strict=True)
        return items if key.set_by is None else _with_check(_distinct, items)
    return each


def _scalar(scalar: Scalar) -> CoreSchema:
    if scalar.choices:
        return core_schema.literal_schema(list(scalar.choices))
    if scalar.type is bool:
        return core_schema.bool_schema(strict=True)
    if scalar.type is int:
        bounds = scalar.range
        return core_schema.int_schema(strict=True, ge=bounds.least, le=bounds.most)
    return core_schema.str_schema(
        strict=True,
        min_length=scalar.chars.least or None,
        pattern=scalar.chars.pattern or None,
        regex_engine="python-re",  # the same meaning of `$` as in other validators
    )


def _with_check(check: Callable[[Any], Any], schema: CoreSchema) -> CoreSchema:
    return core_schema.no_info_after_validator_function(check, schema)


def _distinct(items: list[str]) -> list[str]:
    if len(set(items)) != len(items):
        twice = sorted({item for item in items if items.count(item) > 1})
        raise ValueError(f"{', '.join(twice)} stands there more than once")
    return items


def _free_form() -> CoreSchema:
    return _with_check(_with_integers, core_schema.any_schema())


def _with_integers(held: object, levels: int = MOST_LEVELS) -> object:
    """Check free-form JSON: limited depth, and only integers that every reader keeps."""
    # A parser converts an integer that is too large for it to a float.
    if isinstance(held, int | float) and abs(held) > LARGEST_INTEGER:
        raise ValueError("holds a number beyond 2^53: write it as a string")
    if isinstance(held, float):
        raise ValueError(f"{held} is not an integer: write it as a string")  # noqa: TRY004 - what a validator raises
    if not levels:
        raise ValueError(f"is nested over {MOST_LEVELS} levels deep")
    for item in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
        _with_integers(item, levels - 1)
    return held


def _misfit(error: JsonObject, cls: type[Value]) -> Misfit:
    pointer: Pointer = error["loc"]
    kind: str = error["type"]
    key = _key_at(pointer, cls)
    if kind == "literal_error" and isinstance(error["input"], str) and _has_many(key):
        kind = "one_of_many"
    facts = {
        **_NO_FACTS,
        **error.get("ctx", {}),
        "last": _describe_pointer(pointer),
        "form": key.scalar.chars.form if key and key.scalar else "",
        "input": str(error["input"])[:LONGEST_SHOWN] if kind == "one_of_many" else "",
        "msg": error["msg"].removeprefix("Value error, "),
    }
    message = _MESSAGES.get(kind, "{msg}").format_map(facts)
    return Misfit(
        pointer, message, _hint(error, pointer, cls), is_too_deep=kind.startswith("recursion_")
    )


# Error messages of the validator, worded for people who edit the file.
_MESSAGES = {
    "missing": "{last} is missing",
    "extra_forbidden": "{last} is not a known key",
    "string_type": "{last} must be a string",
    "int_type": f"{{last}} must be an integer within {BOUNDS}",
    "bool_type": "{last} must be true or false",
    "list_type": "{last} must be a list",
    "dict_type": "{last} must be an object",
    "literal_error": "{last} must be one of {expected}",
    "one_of_many": "{last} cannot be `{input}`",
    "string_too_short": "{last} must not be empty: leave the key out",
    "too_short": "{last} must not be empty",
    "string_pattern_mismatch": "{last} has not the form of {form}",
    "greater_than_equal": "{last} must be at least {ge}",
    "less_than_equal": "{last} must be at most {le}",
}
_NO_FACTS = {"expected": "", "ge": "", "le": ""}


def _describe_pointer(pointer: Pointer) -> str:
    """Describe the subject of an error."""
    if not pointer:
        return "the document"
    *above, last = pointer
    names = [step for step in above if isinstance(step, str)]
    return f"item {last + 1} of `{names[-1]}`" if isinstance(last, int) and names else f"`{last}`"


def _hint(error: JsonObject, pointer: Pointer, cls: type[Value]) -> str:
    """Suggest what was probably meant, if possible."""
    if error["type"] == "extra_forbidden":
        holder = _holder(pointer[:-1], cls)
        return _similar(str(pointer[-1]), keys_of(holder) if holder else ())
    if error["type"] == "literal_error":
        key = _key_at(pointer, cls)
        choices = map(str, key.scalar.choices if key and key.scalar else ())
        return _similar(str(error["input"]), choices) or (ALL_CHOICES if _has_many(key) else "")
    return ""


def _has_many(key: Key | None) -> bool:
    return key is not None and key.scalar is not None and len(key.scalar.choices) > MOST_LISTED


def _similar(text: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(text[:LONGEST_SHOWN], list(known), n=1)
    return f"did you mean `{close[0]}`?" if close else ""


def _holder(pointer: Pointer, cls: type[Value]) -> type | None:
    """The class of the object at a pointer."""
    holder: type | None = cls
    for step in pointer:
        if isinstance(step, str) and holder is not None:
            holder = keys_of(holder)[step].item if step in keys_of(holder) else None
    return holder


def _key_at(pointer: Pointer, cls: type[Value]) -> Key | None:
    """The key at the end of a pointer, or of the list that contains its end."""
    while pointer and isinstance(pointer[-1], int):
        pointer = pointer[:-1]
    holder = _holder(pointer[:-1], cls) if pointer else None
    return keys_of(holder).get(str(pointer[-1])) if holder else None

"""The base of every stored class."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

from lumos_snap.shape.keys import Holds, Key, key_name, keys_of, sets_of

Document = dict[str, Any]  # a JSON object as parsed: its values are whatever the file holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A frozen stored value: empty is absent, sets stand in order, unknown keys are refused."""

    # pydantic reads this by name; it is a plain dictionary so that nothing heavy is imported.
    __pydantic_config__: ClassVar[Mapping[str, object]] = {
        "strict": True,
        "extra": "forbid",
        "alias_generator": key_name,
        "regex_engine": "python-re",
    }
    # What the published schema says of this class beyond its keys.
    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {}
    # Definitions that SCHEMA_EXTRA refers to.
    SCHEMA_SHARED: ClassVar[Mapping[str, object]] = {}

    def __post_init__(self) -> None:
        for key in sets_of(type(self)):
            items = getattr(self, key.attribute)
            if len(items) > 1:
                object.__setattr__(self, key.attribute, tuple(sorted(items, key=_rank(key))))

    @property
    def is_empty(self) -> bool:
        """Whether every key is absent."""
        return not document_of(self)


def document_of(value: Value, *, keep_empty: bool = False) -> Document:
    """The JSON object that stands for a value: what is absent is left out.

    With `keep_empty`, lists and maps stay where they are empty: machines that read a report rely
    on its keys.
    """
    found: Document = {}
    for key in keys_of(type(value)).values():
        plain = _plain(getattr(value, key.attribute), key, keep_empty=keep_empty)
        if not key.is_absent(plain) or (keep_empty and plain is not None):
            found[key.name] = plain
    return found


def _plain(held: Any, key: Key, *, keep_empty: bool) -> object:
    if held is None or key.holds is Holds.FREE:
        return held
    if key.holds is Holds.OBJECT:
        return document_of(held, keep_empty=keep_empty)
    if key.holds is Holds.OBJECTS:
        return [document_of(item, keep_empty=keep_empty) for item in held]
    if key.holds is Holds.SCALARS:
        return [_scalar(item) for item in held]
    return _scalar(held)


def _scalar(held: object) -> object:
    return held.value if isinstance(held, Enum) else held


def _rank(key: Key) -> Callable[[Any], tuple[object, ...]]:
    if not key.set_by:
        return lambda item: (item,)
    assert key.item is not None  # noqa: S101 - a bug in a class definition
    attributes = [keys_of(key.item)[name].attribute for name in key.set_by]
    return lambda item: tuple(sortable(getattr(item, name)) for name in attributes)


def sortable(held: Any) -> tuple[str, ...]:
    """Strings that order what identifies an item of a set, and are equal only where that is."""
    if held is None:
        return ()
    return tuple(held) if isinstance(held, list | tuple) else (str(held),)

"""The base of every stored class, and its way to and from a document."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, TypeVar

from lumos_snap.shape.keys import Holds, Key, keys_of, sets_of

Document = dict[str, Any]  # a JSON object as parsed: its values are whatever the file holds
V = TypeVar("V", bound="Value")
G = TypeVar("G", bound=Mapping[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A frozen stored value: empty is absent, sets stand in order, unknown keys are refused."""

    # What the published schema says of this class beyond its keys.
    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {}
    # Definitions that SCHEMA_EXTRA refers to.
    SCHEMA_SHARED: ClassVar[Mapping[str, object]] = {}

    def __post_init__(self) -> None:
        cls = type(self)
        for key in sets_of(cls):
            items = getattr(self, key.attribute)
            if len(items) > 1:
                object.__setattr__(self, key.attribute, tuple(sorted(items, key=_rank(key))))
        if cls.consistent is not Value.consistent:
            held = ((key, getattr(self, key.attribute)) for key in keys_of(cls).values())
            cls.consistent({k.name: one for k, one in held if not k.is_absent(one)})

    @staticmethod
    def consistent(given: G) -> G:
        """SCHEMA_EXTRA in code: raises `ValueError` where keys that are each right do not agree."""
        return given


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


def value_of(document: Mapping[str, Any], cls: type[V]) -> V:
    """The value that a document of right structure stands for."""
    keys = keys_of(cls)
    return cls(
        **{keys[name].attribute: _typed(held, keys[name]) for name, held in document.items()}
    )


def _plain(held: Any, key: Key, *, keep_empty: bool) -> object:
    if held is None or key.holds is Holds.FREE:
        return held
    if key.holds is Holds.OBJECT:
        return document_of(held, keep_empty=keep_empty)
    if key.holds is Holds.OBJECTS:
        return [document_of(item, keep_empty=keep_empty) for item in held]
    if key.holds is Holds.SCALARS:
        return [_bare(item) for item in held]
    return _bare(held)


def _bare(held: object) -> object:
    return held.value if isinstance(held, Enum) else held


def _typed(held: Any, key: Key) -> object:
    if key.item is not None:
        return (
            value_of(held, key.item)
            if key.holds is Holds.OBJECT
            else tuple(value_of(item, key.item) for item in held)
        )
    if key.scalar is None or key.holds is Holds.FREE:
        return held
    cls = key.scalar.type
    if key.holds is Holds.SCALARS:
        return tuple(cls(item) for item in held) if key.scalar.is_enum else tuple(held)
    return cls(held) if key.scalar.is_enum else held


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

"""The base of all stored classes, and the conversion to and from documents."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from enum import Enum
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform

from lumos_snap.json_object import JsonObject
from lumos_snap.schema.fields import Holds, Key, keys_of, sets_of

T = TypeVar("T")
V = TypeVar("V", bound="Value")
G = TypeVar("G", bound=Mapping[str, Any])


Document = JsonObject  # of a whole file


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def value_class(cls: type[T]) -> type[T]:
    """Make a frozen dataclass that inherits its methods from `Value`.

    Otherwise Python would compile each method for each of about a hundred classes on import: this
    way, `lumos snap diff` starts 20 ms sooner. Constructing a value takes as long as usual.
    """
    return dataclass(init=False, slots=True, kw_only=True, eq=False, repr=False)(cls)


@value_class
class Value:
    """A frozen stored value: empty means absent, sets are sorted, unknown keys are rejected."""

    # Additions to the published schema of this class.
    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {}
    # Definitions that SCHEMA_EXTRA refers to.
    SCHEMA_SHARED: ClassVar[Mapping[str, object]] = {}

    def __init__(self, **given: object) -> None:
        cls: type = type(self)
        for name, default, factory in _defaults(cls):
            if name in given:
                held = given.pop(name)
            elif default is MISSING and factory is MISSING:
                raise TypeError(f"{cls.__name__} needs `{name}`")
            else:
                held = default if factory is MISSING else factory()
            object.__setattr__(self, name, held)
        if given:
            raise TypeError(f"{cls.__name__} has no {' and no '.join(f'`{n}`' for n in given)}")
        self._settle()

    def _settle(self) -> None:
        """Sort sets, and check consistency."""
        cls = type(self)
        for key in sets_of(cls):
            items = getattr(self, key.attribute)
            if len(items) > 1:
                object.__setattr__(self, key.attribute, tuple(sorted(items, key=_rank(key))))
        if cls.consistent is not Value.consistent:
            held = ((key, getattr(self, key.attribute)) for key in keys_of(cls).values())
            cls.consistent({k.name: one for k, one in held if not k.is_absent(one)})

    def __setattr__(self, name: str, _held: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> tuple[object, ...]:
        return _field_values(self)

    def __setstate__(self, state: tuple[object, ...]) -> None:
        for one, held in zip(fields(self), state, strict=True):
            object.__setattr__(self, one.name, held)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _field_values(self) == _field_values(other)

    def __hash__(self) -> int:
        return hash(_field_values(self))

    def __repr__(self) -> str:
        said = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self))
        return f"{type(self).__qualname__}({', '.join(said)})"

    @staticmethod
    def consistent(given: G) -> G:
        """SCHEMA_EXTRA in code: raises `ValueError` if valid keys contradict each other."""
        return given


@functools.cache
def _defaults(cls: type) -> tuple[tuple[str, Any, Any], ...]:
    """Each field with its default and default factory, or MISSING."""
    return tuple((one.name, one.default, one.default_factory) for one in fields(cls))


def _field_values(value: Value) -> tuple[object, ...]:
    return tuple(getattr(value, f.name) for f in fields(value))


_EMPTY: tuple[()] = ()


def document_of(value: Value, *, keep_empty: bool = False) -> dict[str, Any]:
    """Convert a value to a JSON object without absent keys.

    With `keep_empty`, empty lists and maps are kept, because programs that read a report rely on
    its keys.
    """
    found: dict[str, object] = {}
    for key in keys_of(type(value)).values():
        held = getattr(value, key.attribute)
        if (held is None or held is _EMPTY) and not keep_empty:
            continue  # most keys of most objects
        plain = _plain(held, key, keep_empty=keep_empty)
        if not key.is_absent(plain) or (keep_empty and plain is not None):
            found[key.name] = plain
    return found


def value_of(document: JsonObject, cls: type[V]) -> V:
    """Convert a document with a valid structure to a value."""
    keys = keys_of(cls)
    return cls(
        **{keys[name].attribute: _to_value(held, keys[name]) for name, held in document.items()}
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


def _to_value(held: Any, key: Key) -> object:
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


def _rank(key: Key) -> Callable[[object], tuple[object, ...]]:
    if not key.set_by:
        return lambda item: (item,)
    assert key.item is not None  # noqa: S101 - a bug in a class definition
    attributes = [keys_of(key.item)[name].attribute for name in key.set_by]
    return lambda item: tuple(sortable(getattr(item, name)) for name in attributes)


def sortable(held: object) -> tuple[str, ...]:
    """A sort key for the identifying values of set items; equal only for equal values."""
    if held is None:
        return ()
    return tuple(held) if isinstance(held, list | tuple) else (str(held),)

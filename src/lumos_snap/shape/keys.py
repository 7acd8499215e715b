"""The keys of a stored class, in canonical order, and what each of them holds."""

import functools
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from typing import Annotated, Union, get_args, get_origin, get_type_hints

from lumos_snap.shape.markers import Keyed, Unordered


class Holds(Enum):
    """What stands behind a key."""

    SCALAR = "scalar"
    OBJECT = "object"
    OBJECTS = "objects"  # a list of objects
    SCALARS = "scalars"  # a list of scalars
    FREE = "free"  # a map that belongs to the user


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a stored object."""

    name: str
    attribute: str
    holds: Holds
    item: type | None = None  # the class of an object, or of each in a list
    set_by: tuple[str, ...] | None = None  # None: the order of the list carries meaning
    default: object = None

    def is_absent(self, plain: object) -> bool:
        """Whether a document leaves the key out for this value: nothing, empty, or the default."""
        if self.holds is Holds.SCALAR:
            return plain is None or plain == self.default
        return not plain


def keys_of(cls: type) -> Mapping[str, Key]:
    """Every key of a stored class, by name, in canonical order."""
    return _keys_of(cls)  # mypy does not take a dataclass for hashable: the cache is behind it


def sets_of(cls: type) -> tuple[Key, ...]:
    """The keys of a stored class that hold sets."""
    return _sets_of(cls)


@functools.cache
def _sets_of(cls: type) -> tuple[Key, ...]:
    return tuple(key for key in keys_of(cls).values() if key.set_by is not None)


@functools.cache
def _keys_of(cls: type) -> Mapping[str, Key]:
    hints = get_type_hints(cls, include_extras=True)
    keys = [_key(f.name, hints[f.name], _default(f)) for f in fields(cls)]
    order = getattr(cls, "KEY_ORDER", None)
    if order is not None:
        keys.sort(key=lambda key: order.index(key.name))
    return {key.name: key for key in keys}


def key_name(attribute: str) -> str:
    """The key in a document: Python's reserved words carry a trailing underscore in the class."""
    return attribute.removesuffix("_")


def _default(field: Field[object]) -> object:
    return None if field.default is MISSING else field.default


def _key(attribute: str, hint: object, default: object) -> Key:
    markers, bare = _unwrap(hint)
    origin = get_origin(bare)
    name = key_name(attribute)
    if origin is tuple:
        inner_markers, item = _unwrap(get_args(bare)[0])
        del inner_markers
        holds = Holds.OBJECTS if _is_stored(item) else Holds.SCALARS
        by = _set_by(markers)
        return Key(name, attribute, holds, item if _is_stored(item) else None, by, default)
    if origin is Mapping:
        return Key(name, attribute, Holds.FREE, default=default)
    if _is_stored(bare):
        return Key(name, attribute, Holds.OBJECT, bare, default=default)
    return Key(name, attribute, Holds.SCALAR, default=default)


def _unwrap(hint: object) -> tuple[tuple[object, ...], type]:
    """Split `Annotated[X | None, *markers]` into its markers and X."""
    markers: tuple[object, ...] = ()
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            markers += tuple(more)
        elif get_origin(hint) in (Union, types.UnionType):
            (hint,) = [arm for arm in get_args(hint) if arm is not types.NoneType]
        else:
            assert isinstance(hint, type) or get_origin(hint) is not None  # noqa: S101 - a bug in a class definition
            return markers, hint  # type: ignore[return-value]


def _set_by(markers: tuple[object, ...]) -> tuple[str, ...] | None:
    for marker in markers:
        if isinstance(marker, Keyed):
            return marker.by
        if isinstance(marker, Unordered):
            return ()
    return None


def _is_stored(candidate: object) -> bool:
    return isinstance(candidate, type) and hasattr(candidate, "__dataclass_fields__")

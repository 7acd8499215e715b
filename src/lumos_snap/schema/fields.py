"""Markers for annotations of stored classes, and the registry of keys that they define."""

import functools
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

T = TypeVar("T")

MOST_PROBLEMS = 100
"""The maximum number of problems listed per document: a malicious one may have millions."""
LARGEST_INTEGER = 2**53  # beyond it, readers that use doubles silently change the value


@dataclass(frozen=True, slots=True)
class Chars:
    """A string of at least `least` characters that matches `pattern`; `form` describes it."""

    least: int = 0
    pattern: str = ""
    form: str = ""


class NameKind(Enum):
    """What a text refers to; validation rules check these references everywhere."""

    DATASET = "dataset"  # by its urn
    FIELD = "field"  # by its path


@dataclass(frozen=True, slots=True)
class Range:
    """An integer within inclusive bounds."""

    least: int = -LARGEST_INTEGER
    most: int = LARGEST_INTEGER


@dataclass(frozen=True, slots=True)
class Some:
    """A list that must not be empty, and so must not be left out."""


@dataclass(frozen=True, slots=True, init=False)
class Keyed:
    """A set of objects; these keys identify its items and define their order."""

    by: tuple[str, ...]

    def __init__(self, *by: str) -> None:
        object.__setattr__(self, "by", by)


@dataclass(frozen=True, slots=True)
class Unordered:
    """A set of scalars."""


@dataclass(frozen=True, slots=True)
class FreeForm:
    """Any JSON, except for numbers that are not integers."""


Maybe: TypeAlias = T | None
"""The key may be left out; `null` is not allowed."""

Text = Annotated[str, Chars(least=1)]
Natural = Annotated[int, Range(least=0)]
Json = Annotated[Any, FreeForm()]


class Holds(Enum):
    """The structure of a key's value."""

    SCALAR = "scalar"
    OBJECT = "object"
    OBJECTS = "objects"  # a list of objects
    SCALARS = "scalars"  # a list of scalars
    FREE = "free"  # a map with arbitrary keys


_ANY_TEXT, _ANY_INTEGER = Chars(), Range()


@dataclass(frozen=True, slots=True)
class Scalar:
    """The constraints of a scalar: a string, an integer or a boolean."""

    type: type
    choices: tuple[str, ...] = ()
    chars: Chars = _ANY_TEXT
    range: Range = _ANY_INTEGER
    names: NameKind | None = None

    @property
    def is_enum(self) -> bool:
        """Whether the type is an enumeration."""
        return issubclass(self.type, Enum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a stored object."""

    name: str
    attribute: str
    holds: Holds
    item: type | None = None  # the class of an object, or of each in a list
    scalar: Scalar | None = None  # of a scalar, of each in a list, of a map of strings
    set_by: tuple[str, ...] | None = None  # None: the order of the list is significant
    is_required: bool = False
    is_filled: bool = False  # a list that must not be empty
    default: object = None
    says: str = ""  # its description, in one line

    def is_absent(self, plain: object) -> bool:
        """Whether a document omits the key for this value: None, empty, or the default."""
        if plain:
            return plain == self.default
        return plain is None or plain == self.default or self.holds is not Holds.SCALAR


def keys_of(cls: type) -> Mapping[str, Key]:
    """Every key of a stored class, by name, in canonical order."""
    return _keys_of(cls)  # mypy does not accept a dataclass as hashable: hence the inner function


def prepare(cls: type) -> None:
    """Build the registries of a class and of all classes within it ahead of time."""
    waiting, seen = [cls], {cls}
    while waiting:
        inside = {key.item for key in keys_of(waiting.pop()).values() if key.item is not None}
        waiting += inside - seen
        seen |= inside


def sets_of(cls: type) -> tuple[Key, ...]:
    """The keys of a stored class that hold sets."""
    return _sets_of(cls)


@functools.cache
def _sets_of(cls: type) -> tuple[Key, ...]:
    return tuple(key for key in keys_of(cls).values() if key.set_by is not None)


@functools.cache
def _keys_of(cls: type) -> Mapping[str, Key]:
    hints = get_type_hints(cls, include_extras=True)
    keys = [_key(f, hints[f.name]) for f in fields(cls)]
    order = getattr(cls, "KEY_ORDER", None)
    if order is not None:
        keys.sort(key=lambda key: order.index(key.name))
    return {key.name: key for key in keys}


def key_name(attribute: str) -> str:
    """The key of an attribute: Python's reserved words have a trailing underscore in the class."""
    return attribute.removesuffix("_")


def _key(field: Field[object], hint: object) -> Key:
    markers, bare = _unwrap(hint)
    holds, of = _content(bare)
    of_markers, item = _unwrap(of)
    is_stored = holds in (Holds.OBJECT, Holds.OBJECTS)
    is_free = any(isinstance(marker, FreeForm) for marker in (*markers, *of_markers))
    return Key(
        name=key_name(field.name),
        attribute=field.name,
        holds=holds,
        item=item if is_stored else None,
        scalar=None if is_stored or is_free else _scalar(item, (*markers, *of_markers)),
        set_by=_set_by(markers),
        is_required=field.default is MISSING and field.default_factory is MISSING,
        is_filled=Some() in markers,
        default=None if field.default is MISSING else field.default,
        says=next((marker for marker in markers if isinstance(marker, str)), ""),
    )


def _content(bare: Any) -> tuple[Holds, object]:
    """The structure of a type, and the type of its items."""
    origin, arguments = get_origin(bare), get_args(bare)
    if origin is tuple:
        _, item = _unwrap(arguments[0])
        return Holds.OBJECTS if _is_stored(item) else Holds.SCALARS, arguments[0]
    if origin is Mapping:
        return Holds.FREE, arguments[1]
    return Holds.OBJECT if _is_stored(bare) else Holds.SCALAR, bare


def _unwrap(hint: object) -> tuple[tuple[object, ...], Any]:
    """Split `Annotated[X | None, *markers]` into its markers and X."""
    markers: tuple[object, ...] = ()
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            markers += tuple(more)
        elif get_origin(hint) in (Union, types.UnionType):
            (hint,) = [arm for arm in get_args(hint) if arm is not types.NoneType]
        else:
            return markers, hint


def _scalar(bare: Any, markers: tuple[object, ...]) -> Scalar:
    if get_origin(bare) is Literal:
        return Scalar(str, choices=get_args(bare))
    if issubclass(bare, Enum):
        return Scalar(bare, choices=tuple(member.value for member in bare))
    chars = next((m for m in markers if isinstance(m, Chars)), _ANY_TEXT)
    bounds = next((m for m in markers if isinstance(m, Range)), _ANY_INTEGER)
    names = next((m for m in markers if isinstance(m, NameKind)), None)
    return Scalar(bare, chars=chars, range=bounds, names=names)


def _set_by(markers: tuple[object, ...]) -> tuple[str, ...] | None:
    for marker in markers:
        if isinstance(marker, Keyed):
            return marker.by
        if isinstance(marker, Unordered):
            return ()
    return None


def _is_stored(candidate: object) -> bool:
    return isinstance(candidate, type) and hasattr(candidate, "__dataclass_fields__")

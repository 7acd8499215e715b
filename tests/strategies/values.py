"""Stored values of any class, drawn as its annotations say."""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.model.scalars import Amount, Day, FormatVersion, Moment, OwnUrn, Platform, Version
from lumos_snap.schema import NameKind, Value, document_of, sortable
from lumos_snap.schema.fields import Chars, Range, Some, _set_by, _unwrap
from tests.strategies.texts import short_texts
from tests.strategies.urns import platforms, urns, written_paths

SAFE_INTEGERS = 2**53 - 1
"""The largest integer that every JSON reader keeps, RFC 8785's included."""

_digits = st.integers(0, 10**12).map(str)
_days = st.dates().map(str)
_moments = st.builds(
    "{}T{:%H:%M:%S}{}{}".format,
    _days,
    st.times(),
    st.sampled_from(("", ".5", ".123456789")),
    st.sampled_from(("Z", "+02:00", "-11:30")),
)
_versions = st.builds(
    "{}.{}.{}{}".format, _digits, _digits, _digits, st.sampled_from(("", "-rc.1"))
)
_amounts = st.builds(
    "{}{}{}".format, st.sampled_from(("", "-")), _digits, st.sampled_from(("", ".0", ".25"))
)

json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-SAFE_INTEGERS, SAFE_INTEGERS),
        short_texts,
        st.just(""),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(short_texts, inner, max_size=3)
    ),
    max_leaves=5,
)

_OF_PATTERN: Mapping[object, st.SearchStrategy[str]] = {
    OwnUrn: urns.map(str),
    Platform: platforms,
    Version: _versions,
    FormatVersion: st.just(FORMAT_VERSION),
    Moment: _moments,
    Day: _days,
    Amount: _amounts,
}
_PATTERNED = {
    marker.pattern: strategy
    for alias, strategy in _OF_PATTERN.items()
    for marker in _unwrap(alias)[0]
    if isinstance(marker, Chars)
}

CUSTOM: dict[type, Callable[[], st.SearchStrategy[Any]]] = {}
"""Classes whose keys depend on one another."""
ATTRIBUTES: dict[tuple[str, str], st.SearchStrategy[Any]] = {}
"""Attributes, by class name, that say more than their annotation."""


@st.composite
def chosen(
    draw: st.DrawFn,
    build: Callable[..., Any],
    must: Mapping[str, st.SearchStrategy[Any]],
    may: Mapping[str, st.SearchStrategy[Any]],
    *,
    often: Iterable[str] = (),
) -> Any:
    """What is built from all that must and a few of what may be given: sparse, as in real files."""
    names = [name for name in often if draw(st.booleans())]
    if may:
        names += draw(st.lists(st.sampled_from(sorted(may)), max_size=5, unique=True))
    picked = {name: may[name] for name in dict.fromkeys(names)}
    return build(**{name: draw(strategy) for name, strategy in {**must, **picked}.items()})


@functools.cache
def values(cls: type) -> st.SearchStrategy[Any]:
    """Valid values of a stored class."""
    return CUSTOM[cls]() if cls in CUSTOM else built(cls)


def built(
    cls: type, *, without: Iterable[str] = (), often: Iterable[str] = ()
) -> st.SearchStrategy[Any]:
    """Values of a class, drawn key by key."""
    hints = get_type_hints(cls, include_extras=True)
    wanted = {name: required for name, required in _fields(cls).items() if name not in without}
    drawn = {
        name: ATTRIBUTES[cls.__name__, name]
        if (cls.__name__, name) in ATTRIBUTES
        else _held(hints[name])
        for name in wanted
    }
    must = {name: drawn[name] for name, is_required in wanted.items() if is_required}
    may = {name: drawn[name] for name, is_required in wanted.items() if not is_required}
    return chosen(cls, must, may, often=often)


def _fields(cls: type) -> dict[str, bool]:
    """Each attribute, and whether it is required."""
    return {f.name: f.default is MISSING and f.default_factory is MISSING for f in fields(cls)}


def _held(hint: Any) -> st.SearchStrategy[Any]:
    markers, found = _unwrap(hint)
    bare: Any = found
    origin = get_origin(bare)
    if origin is tuple:
        return _lists(get_args(bare)[0], markers)
    if origin is Mapping:
        return st.dictionaries(short_texts, _held(get_args(bare)[1]), max_size=3)
    if origin is Literal:
        return st.sampled_from(get_args(bare))
    if bare is Any:
        return json_values
    if issubclass(bare, Value):
        return values(bare)
    return _scalars(bare, markers)


def _scalars(bare: type, markers: tuple[object, ...]) -> st.SearchStrategy[Any]:
    if issubclass(bare, Enum):
        return st.sampled_from(list(bare))
    if bare is bool:
        return st.booleans()
    if bare is int:
        (bounds,) = (marker for marker in markers if isinstance(marker, Range))
        return st.integers(max(bounds.least, -SAFE_INTEGERS), min(bounds.most, SAFE_INTEGERS))
    if NameKind.FIELD in markers:
        return written_paths
    chars = [marker for marker in markers if isinstance(marker, Chars)]
    if not chars:
        return st.one_of(short_texts, st.just(""))
    return _PATTERNED[chars[0].pattern] if chars[0].pattern else short_texts


def _lists(item: Any, markers: tuple[object, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
    by = _set_by(markers)
    least = sum(isinstance(marker, Some) for marker in markers)
    inner = _held(item)
    if by is None:
        return st.lists(inner, min_size=least, max_size=3).map(tuple)
    return st.lists(inner, max_size=3, unique_by=lambda one: identity(one, by)).map(tuple)


def identity(item: Any, by: tuple[str, ...]) -> Any:
    """What tells an item of a set from another."""
    if not by:
        return item
    document = document_of(item)
    return tuple(sortable(document.get(name)) for name in by)

"""A fast check that a parsed document has the structure of its class.

If it succeeds, the validator would find no problem; if it fails, the validator finds the problems.
It imports almost nothing, and takes a fraction of the validator's time for the few documents of a
diff.
"""

import functools
import itertools
import re
from collections.abc import Callable
from typing import Any

import orjson

from lumos_snap.json_object import JsonObject
from lumos_snap.schema.base import Value, sortable
from lumos_snap.schema.fields import LARGEST_INTEGER, Holds, Key, Scalar, keys_of

Check = Callable[[object, object], bool]
"""Whether a value is valid, given another valid value: equal parts are not checked again."""
Rule = Callable[[Any], object]
"""The consistency check of a whole object; raises `ValueError` on failure."""
_Checks = tuple[tuple[Check, ...], Rule | None]

_MOST_LEVELS = 40


def fits(document: object, cls: type[Value]) -> bool:
    """Whether a document certainly has the structure of its class."""
    return _check_all(document, cls, None, is_spare=False)


def is_normal_form(document: object, cls: type[Value], like: JsonObject | None = None) -> bool:
    """Whether it also states nothing superfluous, and all sets are sorted.

    Two such documents are equal exactly if their content is equal. `like` is another document
    already known to be in this form.
    """
    return _check_all(document, cls, like, is_spare=True)


def fits_key(held: object, key: Key) -> bool:
    """Whether a value certainly has the structure of a key."""
    try:
        return _structure(key, is_spare=False)(held, None)
    except RecursionError:
        return False


def _check_all(document: object, cls: type, like: object, *, is_spare: bool) -> bool:
    try:
        return _fits(document, like, cls, is_spare=is_spare)
    except RecursionError:  # types may nest this deep: the validator reports it
        return False


def _fits(held: object, like: object, cls: type, *, is_spare: bool) -> bool:
    if type(held) is not dict:
        return False
    found = _checks(cls, tuple(held), is_spare)
    if found is None:
        return False
    checks, rule = found
    if type(like) is not dict:
        for value, check in zip(held.values(), checks, strict=True):
            if not check(value, None):
                return False
        return rule is None or _is_consistent(held, rule)
    for (name, value), check in zip(held.items(), checks, strict=True):
        other = like.get(name)
        if not _is_known(value, other) and not check(value, other):
            return False
    return rule is None or _is_consistent(held, rule)


def _is_known(held: object, like: object) -> bool:
    """Whether a value equals a valid one; in Python, `1` and `1.0` equal `True`."""
    if like is None or held != like or type(held) is not type(like):
        return False
    if type(held) is not dict and type(held) is not list:
        return True
    try:
        return orjson.dumps(held) == orjson.dumps(like)
    except orjson.JSONEncodeError:  # nested deeper than orjson writes: check each value
        return False


def _is_consistent(held: JsonObject, rule: Rule) -> bool:
    try:
        rule(held)
    except ValueError:
        return False
    return True


@functools.lru_cache(maxsize=4096)
def _checks(cls: type, names: tuple[str, ...], is_spare: bool) -> _Checks | None:  # noqa: FBT001 - the key of a cache
    """The checks of an object's values, cached for each combination of keys."""
    keys = keys_of(cls)
    if not keys.keys() >= set(names):
        return None
    if any(key.is_required and key.name not in names for key in keys.values()):
        return None
    rule = getattr(cls, "consistent", Value.consistent)
    checks = tuple(_check(keys[name], is_spare=is_spare) for name in names)
    return checks, None if rule is Value.consistent else rule


def _check(key: Key, *, is_spare: bool) -> Check:
    check = _structure(key, is_spare=is_spare)
    if not is_spare or key.is_required:
        return check
    if key.holds is Holds.SCALAR and key.default is None:
        return check  # only null is left out, and no scalar is null
    return lambda held, like: not key.is_absent(held) and check(held, like)


def _structure(key: Key, *, is_spare: bool) -> Check:
    if key.item is not None:
        item = functools.partial(_fits, cls=key.item, is_spare=is_spare)
        return item if key.holds is Holds.OBJECT else _list_of(item, key, is_spare=is_spare)
    each = _free if key.scalar is None else _scalar(key.scalar)
    if key.holds is Holds.FREE:
        return lambda held, _: type(held) is dict and all(each(one, None) for one in held.values())
    if key.holds is Holds.SCALARS:
        return _list_of(each, key, is_spare=is_spare)
    return each


def _list_of(each: Check, key: Key, *, is_spare: bool) -> Check:
    least = 1 if key.is_filled else 0
    is_distinct = key.holds is Holds.SCALARS and key.set_by is not None
    is_set = is_spare and key.set_by is not None

    def check(held: Any, like: Any) -> bool:
        if type(held) is not list or len(held) < least:
            return False
        known = like if type(like) is list else ()
        for place, item in enumerate(held):
            other = known[place] if place < len(known) else None
            if not _is_known(item, other) and not each(item, other):
                return False
        if is_distinct and len(set(held)) != len(held):
            return False
        return not is_set or _is_sorted(held, key)

    return check


def _is_sorted(held: list[Any], key: Key) -> bool:
    ranks = held
    if key.set_by:
        ranks = [tuple(sortable(item.get(name)) for name in key.set_by) for item in held]
    return all(one < other for one, other in itertools.pairwise(ranks))


def _scalar(scalar: Scalar) -> Check:
    """The check of a scalar; it runs most often, so it calls no further function."""
    if scalar.choices:
        choices = frozenset(scalar.choices)
        return lambda held, _: type(held) is str and held in choices
    if scalar.type is bool:
        return lambda held, _: held is True or held is False
    if scalar.type is int:
        least, most = scalar.range.least, scalar.range.most
        return lambda held, _: type(held) is int and least <= held <= most
    return _text(scalar.chars.least, scalar.chars.pattern)


def _text(least: int, pattern: str) -> Check:
    if not pattern:
        return lambda held, _: type(held) is str and len(held) >= least
    search = re.compile(pattern).search
    return lambda held, _: type(held) is str and len(held) >= least and search(held) is not None


def _free(held: Any, _like: Any) -> bool:
    return _is_free(held)


def _is_free(held: Any, levels: int = _MOST_LEVELS) -> bool:
    """Free-form JSON without numbers that some reader would change."""
    kind = type(held)
    if kind is dict or kind is list:
        items = held.values() if kind is dict else held
        return levels > 0 and all(_is_free(item, levels - 1) for item in items)
    if kind is int:
        return bool(abs(held) <= LARGEST_INTEGER)
    return kind is not float

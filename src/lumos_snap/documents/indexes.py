"""What was found out about a long list, kept while the list is in use.

Each of 50,000 changed columns asks where it stands among the others. To go through the list for
each of them would take hours: a long list is gone through once. After that it must not change.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_SHORT = 32
_KEPT = 64
_known: OrderedDict[tuple[int, Hashable], tuple[Sequence[Any], Any]] = OrderedDict()


def once(held: Sequence[Any], what: Hashable, build: Callable[[], T]) -> T:
    """What `build` makes of a list: made once, where the list is long."""
    if len(held) < _SHORT:
        return build()
    key = (id(held), what)
    kept = _known.get(key)
    if kept is None or kept[0] is not held:
        while len(_known) >= _KEPT:
            _known.popitem(last=False)
        _known[key] = kept = (held, build())  # as long as the list is here, its id is its own
    found: T = kept[1]
    return found


def places(
    held: Sequence[Any], called: Hashable, label: Callable[[Any], Hashable]
) -> Sequence[int]:
    """Where the items stand that are called so, in order."""
    if len(held) < _SHORT:
        return [place for place, one in enumerate(held) if label(one) == called]
    return once(held, label, lambda: _by_label(held, label)).get(called, ())


def _by_label(held: Sequence[Any], label: Callable[[Any], Hashable]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for place, one in enumerate(held):
        found.setdefault(label(one), []).append(place)
    return found

"""Names in sentences: quoted, listed, and counted where there are many."""

from collections.abc import Iterable

_NAMED = 3


def quoted(name: str) -> str:
    """A name that nobody takes for a word of the sentence."""
    return f"`{name}`"


def some(names: Iterable[str], most: int = _NAMED) -> str:
    """The first of some names, and how many more there are."""
    listed = list(names)
    if len(listed) > most:
        return f"{', '.join(listed[:most])} and {len(listed) - most:,} more"
    *rest, last = listed or [""]
    return f"{', '.join(rest)} and {last}" if rest else last


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def short(urn: str) -> str:
    """A dataset's urn without what all urns begin with."""
    return urn.removeprefix("lumos://")

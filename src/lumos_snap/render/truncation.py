"""Pages of a limited size: whole sections, and a word about those that are left out."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

Section: TypeAlias = Callable[[int], str]
"""Draws a part of a page into so many bytes; empty where that is too little."""


def size(text: str) -> int:
    """Bytes of UTF-8: limits count characters or bytes, and this is never less than either."""
    return len(text.encode("utf-8", "replace"))


def whole(text: str) -> Section:
    """A section that is drawn as it is, or not at all."""
    return lambda room: text if size(text) < room else ""


def fitted(sections: Sequence[Section], room: int, more: Callable[[int], str]) -> Iterator[str]:
    """Each section, as long as there is room; once one does not fit, how many are missing."""
    kept_free = size(more(len(sections))) + 1
    for number, section in enumerate(sections):
        is_last = number == len(sections) - 1
        left = room - (0 if is_last else kept_free)
        text = section(left)
        if not text or size(text) + 1 > left:
            yield more(len(sections) - number)
            return
        room -= size(text) + 1
        yield text

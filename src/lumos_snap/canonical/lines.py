"""On which line of a canonical document something stands: its layout says so.

A key or an item is found by its indent: nothing need be parsed.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from lumos_snap.canonical.encode import STEP
from lumos_snap.documents.problem import Pointer


def line_of(lines: Sequence[str], pointer: Pointer) -> int:
    """The line of what a pointer leads to, or of the last step towards it that has one."""
    at, indent = 0, STEP
    for step in pointer:
        find = _key if isinstance(step, str) else _item
        found = find(lines, at, indent, step)
        if found is not None:
            at, indent = found, indent + STEP
        elif isinstance(step, int) or not lines[at].startswith(f"{indent[: -len(STEP)]}{{"):
            break
        # Else a key of an item: it stands on the item's own line, and what it holds below that.
    return at + 1


def _below(lines: Sequence[str], at: int, indent: str) -> Iterable[tuple[int, str]]:
    """The lines of what opens on a line, at its own indent, until that ends."""
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if not line.startswith(indent):
            return
        if line[len(indent) : len(indent) + 1] not in (" ", "]", "}"):
            yield number, line


def _key(lines: Sequence[str], at: int, indent: str, name: Any) -> int | None:
    opening = f"{indent}{orjson.dumps(name).decode()}:"
    below = (number for number, line in _below(lines, at, indent) if line.startswith(opening))
    return next(below, None)


def _item(lines: Sequence[str], at: int, indent: str, index: Any) -> int | None:
    below = (
        number for count, (number, _) in enumerate(_below(lines, at, indent)) if count == index
    )
    return next(below, None)

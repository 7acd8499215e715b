"""On which line of a canonical document something stands: its layout says so.

A key or an item is found by its indent: nothing need be parsed.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from lumos_snap.canonical.encode import STEP
from lumos_snap.documents.position import Pointer, once


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
    below = _children(lines, at, indent)
    return next((number for number in below if lines[number].startswith(opening)), None)


def _item(lines: Sequence[str], at: int, indent: str, index: Any) -> int | None:
    below = _children(lines, at, indent)
    return below[index] if index < len(below) else None


def _children(lines: Sequence[str], at: int, indent: str) -> Sequence[int]:
    """The lines of what stands right in an object or a list."""
    return once(lines, (at, indent), lambda: [number for number, _ in _below(lines, at, indent)])

"""Tracks which values of an older object were migrated.

Values are taken one by one. Values that were not taken are kept unchanged, so that unexpected keys
are not lost.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from lumos_snap.canonical.migrations.values import moment, reference

T = TypeVar("T")

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value that was not taken: its path in the older object, and where it is kept."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    value: object

    @property
    def is_moment(self) -> bool:
        """Whether it is a timestamp, which no snapshot contains."""
        return moment(self.value) is not None


class Leftover:
    """A value of an older document with everything nested in it; each can be taken once."""

    __slots__ = ("_inner", "is_taken", "label", "value")

    def __init__(self, value: object = _ABSENT, label: str = "") -> None:
        self.value = value
        self.label = label
        self.is_taken = False
        self._inner: dict[str, Leftover] = {}
        if isinstance(value, dict):
            self._inner = {key: Leftover(held, key) for key, held in value.items()}
        elif isinstance(value, list):
            self._inner = {f"[{n}]": Leftover(held, f"[{n}]") for n, held in enumerate(value)}

    def at(self, *keys: str) -> "Leftover":
        """The value at a path of keys; nothing can be taken from a missing one."""
        node = self
        for key in keys:
            node = node._inner.get(key, _NOTHING)
        return node

    def take(self, *keys: str, as_: Callable[[object], T | None]) -> T | None:
        """Take the value at a path of keys, if it can be converted; otherwise leave it."""
        node = self.at(*keys)
        if node.value is _ABSENT or node.is_taken:
            return None
        found = as_(node.value)
        node.is_taken = found is not None
        return found

    @property
    def is_object(self) -> bool:
        """Whether it is a JSON object."""
        return isinstance(self.value, dict)

    @property
    def is_present(self) -> bool:
        """Whether the value exists."""
        return self.value is not _ABSENT

    def items(self) -> "tuple[Leftover, ...]":
        """The items of a list."""
        return tuple(self._inner.values()) if isinstance(self.value, list) else ()

    def entries(self) -> "tuple[tuple[str, Leftover], ...]":
        """The keys and values of an object."""
        return tuple(self._inner.items()) if self.is_object else ()

    def kept(self) -> Iterator[KeptValue]:
        """All values that were not taken, in the largest complete pieces."""
        for key, node in self._inner.items():
            yield from node._kept_at((key,), (node.label,))  # noqa: SLF001 - another one of this class

    def _kept_at(self, source: tuple[str, ...], target: tuple[str, ...]) -> Iterator[KeptValue]:
        if self.is_taken or self.value in ({}, []):
            return
        if self._is_whole():
            yield KeptValue(source, target, self.value)
            return
        for key, node in self._inner.items():
            yield from node._kept_at((*source, key), (*target, node.label))  # noqa: SLF001 - likewise

    def _is_whole(self) -> bool:
        """Whether it can be kept in one piece. Timestamps are kept separately."""
        if self.is_taken or not self._inner:
            return not self.is_taken
        inner = self._inner.values()
        return all(node._is_whole() and moment(node.value) is None for node in inner)  # noqa: SLF001 - likewise


_NOTHING = Leftover()


def format_path(path: tuple[str, ...]) -> str:
    """Format a path through objects and lists for display."""
    text = ""
    for step in path:
        if step.startswith("["):
            text += step
        elif step.replace("_", "").replace("-", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[`{step}`]"
    return text


def nest_values(pieces: Iterator[tuple[tuple[str, ...], object]]) -> dict[str, object]:
    """Combine the pieces into one object."""
    root: dict[str, object] = {}
    for path, value in pieces:
        node = root
        for step in path[:-1]:
            inner = node.setdefault(step, {})
            assert isinstance(inner, dict)  # noqa: S101 - pieces of one tree never lie in each other
            node = inner
        node[path[-1]] = value
    return root


def words(*lists: Leftover) -> list[str]:
    """The references in some lists, unique and sorted; invalid items are left over."""
    found = {item.take(as_=reference) for node in lists for item in node.items()}
    return sorted(word for word in found if word is not None)

"""Where in a document something stands, as a person would say it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lumos_snap.model.field_path import FieldPath, Part, Step, format_path

_STEPS: Mapping[str, Step] = {"element": Step.ELEMENT, "key": Step.KEY, "value": Step.VALUE}
_MEMBERS = frozenset({"fields", "branches"})


@dataclass(frozen=True, slots=True)
class Where:
    """A place: its keys from the top, and the path of the column that it is about."""

    keys: str = ""
    path: FieldPath = ()

    def __str__(self) -> str:
        return f"{self.keys} ({format_path(self.path)})" if self.path else self.keys

    def key(self, name: str) -> "Where":
        """What stands under a key here."""
        here = str(self)
        return Where(f"{here}.{name}" if here else name)

    def item(self, label: str) -> "Where":
        """One item of the list or map here."""
        return Where(f"{self} ({label})")

    def column(self, label: str, number: int, *, is_branch: bool) -> "Where":
        """One column, member or branch of the list of them here."""
        step = Step.BRANCH if is_branch else Step.MEMBER
        return Where(self.keys, (*self.path, Part(step, label, number)))

    def inside(self, name: str) -> "Where":
        """A part of the type here: what nests has a path of its own."""
        if name in _MEMBERS:
            return self
        if name in _STEPS:
            return Where(self.keys, (*self.path, Part(_STEPS[name])))
        return self.key(name)


def label_of(item: Mapping[str, Any], by: tuple[str, ...]) -> str:
    """What tells an item of a set from another, in words."""
    said = {name: _said(item[name]) for name in by if name in item}
    if len(by) == 1:
        return next(iter(said.values()), "")
    return ", ".join(f"{name} {value}" for name, value in said.items())


def _said(held: Any) -> str:
    return ", ".join(map(str, held)) if isinstance(held, list) else str(held)

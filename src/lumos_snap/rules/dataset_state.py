"""One dataset as it stands: what a policy looks at beside changes."""

import datetime
import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lumos_snap.model.field_path import Part, Step, format_path

Document = Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """A dataset, its latest reading if there is one, and the day on which it is looked at."""

    urn: str
    document: Document
    today: datetime.date
    observation: Document | None = None

    @functools.cached_property
    def columns(self) -> tuple[tuple[str, Document], ...]:
        """Every column with a name, at any depth, by its path."""
        return tuple(_members("", self.document.get("schema", {}).get("fields", ())))

    def said(self, section: str) -> Mapping[str, Document]:
        """What a section says of single columns, by path."""
        return {one["path"]: one for one in self.document.get(section, {}).get("fields", ())}


def is_said(held: Any, steps: Sequence[str]) -> bool:
    """Whether there is something at the end of a path; of a list, in each of its items."""
    if isinstance(held, list) and steps:
        return bool(held) and all(is_said(one, steps) for one in held)
    if steps:
        return isinstance(held, Mapping) and is_said(held.get(steps[0]), steps[1:])
    return (
        bool(held.strip()) if isinstance(held, str) else held is not None and held not in ([], {})
    )


def _members(prefix: str, fields: Sequence[Document]) -> Iterator[tuple[str, Document]]:
    seen: Counter[str] = Counter()
    for one in fields:
        name = one["name"]
        seen[name] += 1
        step = _written(name, seen[name])
        path = f"{prefix}.{step}" if prefix else step
        yield path, one
        yield from _inside(path, one)


def _inside(path: str, held: Document) -> Iterator[tuple[str, Document]]:
    """The columns inside a type; one that holds nothing has none, and most hold nothing."""
    if "fields" in held:
        yield from _members(path, held["fields"])
    for name, step in _STEPS:
        if name in held:
            yield from _inside(path + step, held[name])
    seen: Counter[str] = Counter()
    for branch in held.get("branches", ()):
        label = branch.get("name", branch["type"])
        seen[label] += 1
        yield from _inside(f"{path}<{_written(label, seen[label])}>", branch)


_STEPS = (("element", Step.ELEMENT.value), ("key", Step.KEY.value), ("value", Step.VALUE.value))


@functools.lru_cache(maxsize=4096)
def _written(name: str, number: int) -> str:
    """One step of a path: trees repeat their names."""
    return format_path([Part(Step.MEMBER, name, number)])

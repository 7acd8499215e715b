"""One dataset in its current state, which policy requirements are checked against."""

import datetime
import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lumos_snap.diff import Action, Fact
from lumos_snap.diff.fact import At
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, Step, format_path
from lumos_snap.rules.rule import Rule

Document = JsonObject


@dataclass(frozen=True)
class CheckedDataset:
    """A dataset, its latest observation if any, and the date of the check."""

    urn: str
    document: Document
    today: datetime.date
    observation: Document | None = None

    @functools.cached_property
    def columns(self) -> tuple[tuple[str, Document], ...]:
        """Every named column at any depth, by its path."""
        return tuple(_members("", self.document.get("schema", {}).get("fields", ())))

    def said(self, section: str) -> Mapping[str, Document]:
        """A section's metadata of columns, by path."""
        return {one["path"]: one for one in self.document.get(section, {}).get("fields", ())}


def is_stated(held: object, steps: Sequence[str]) -> bool:
    """Whether a path has a value; for a list, in each of its items."""
    if isinstance(held, list) and steps:
        return bool(held) and all(is_stated(one, steps) for one in held)
    if steps:
        return isinstance(held, Mapping) and is_stated(held.get(steps[0]), steps[1:])
    return (
        bool(held.strip()) if isinstance(held, str) else held is not None and held not in ([], {})
    )


def _members(prefix: str, fields: Sequence[Document]) -> Iterator[tuple[str, Document]]:
    seen: Counter[str] = Counter()
    for one in fields:
        name = one["name"]
        seen[name] += 1
        step = _format_step(name, seen[name])
        path = f"{prefix}.{step}" if prefix else step
        yield path, one
        yield from _inside(path, one)


def _inside(path: str, held: Document) -> Iterator[tuple[str, Document]]:
    """The columns inside a type; most types have none."""
    if "fields" in held:
        yield from _members(path, held["fields"])
    for name, step in _STEPS:
        if name in held:
            yield from _inside(path + step, held[name])
    seen: Counter[str] = Counter()
    for branch in held.get("branches", ()):
        label = branch.get("name", branch["type"])
        seen[label] += 1
        yield from _inside(f"{path}<{_format_step(label, seen[label])}>", branch)


_STEPS = (("element", Step.ELEMENT.value), ("key", Step.KEY.value), ("value", Step.VALUE.value))


@functools.lru_cache(maxsize=4096)
def _format_step(name: str, number: int) -> str:
    """Format one step of a path, cached: trees repeat their names."""
    return format_path([Part(Step.MEMBER, name, number)])


COLUMNS: At = ("schema", "fields")
"""The position of columns: with a path, a fact is located at the line of its column."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated rule and its position."""

    rule: Rule
    at: At = ()
    path: str = ""
    """The column, if the rule is about one."""
    id: int | None = None
    item: str = ""
    """The violated requirement, which distinguishes violations of one rule."""
    old: str | None = None
    """The actual value. Not part of the violation's identity, because it may change."""
    new: str | None = None
    """The expected value."""

    @property
    def fact(self) -> Fact:
        """The identity of the violation, independent of the actual value."""
        subject = self.rule.on[0]
        return Fact(subject, Action.FOUND, self.at, path=self.path, item=self.item, id=self.id)

    @property
    def told(self) -> Fact:
        """The same with actual and expected value, for messages."""
        subject, old, new = self.rule.on[0], self.old, self.new
        return Fact(subject, Action.FOUND, self.at, self.path, "", self.item, old, new, id=self.id)

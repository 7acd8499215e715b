"""Findings with their lines in canonical documents.

The layout gives the line of a key or an item by its indent, so nothing is parsed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import orjson

from lumos_snap.canonical.encode import STEP
from lumos_snap.commands.diff.compare import Pair
from lumos_snap.diff.fact import Action, Fact, current_path
from lumos_snap.diff.match_columns import label_columns, name_of
from lumos_snap.diff.walk import identity
from lumos_snap.documents import json_text
from lumos_snap.documents.position import Pointer, once, places
from lumos_snap.engines import ReadOutcome
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import Part, parse_path
from lumos_snap.model.field_path import Step as PathStep
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.diff import BumpWord, ChangeFinding, DecisionStep, LevelWord
from lumos_snap.rules.finding import FailOn, Finding, fails
from lumos_snap.rules.messages import message, outcome_words
from lumos_snap.rules.rule import Level
from lumos_snap.schema import Key, keys_of

# Locates a fact in the new document: the changed thing, or its nearest remaining container.


_COLUMNS = (("schema", "fields"), ("schema", "key_fields"))
_INSIDE = {PathStep.ELEMENT: "element", PathStep.KEY: "key", PathStep.VALUE: "value"}


def pointer_to(fact: Fact, document: JsonObject, now: Callable[[str], str]) -> Pointer:
    """Find the pointer to a fact in the new document; `now` maps paths to current ones."""
    if fact.at[:2] in _COLUMNS and fact.path:
        return _to_column(fact, document, now)
    found: list[str | int] = []
    held: Any = document
    key: Key | None = None
    for step in fact.at:
        reached: str | int | None
        if isinstance(step, str):
            keys = keys_of(key.item if key and key.item else Snapshot)
            key, reached = keys[step], step if step in held else None
        else:
            reached = _index(held, key, step)
        if reached is None:
            break
        found.append(reached)
        held = held[reached]
    return tuple(found)


def _to_column(fact: Fact, document: JsonObject, now: Callable[[str], str]) -> Pointer:
    path = now(fact.path) if fact.action is Action.REMOVED else fact.path
    found: list[str | int] = []
    held: Any = document
    for name in ("schema", str(fact.at[1])):
        if name not in held:
            return tuple(found)
        found.append(name)
        held = held[name]
    held = {"fields": held}
    for part in parse_path(path):
        steps = _steps(held, part)
        if steps is None:
            break
        found += steps[1:] if held.keys() == {"fields"} and len(found) == 2 else steps  # noqa: PLR2004 - the root list is named already
        for step in steps:
            held = held[step]
    return tuple(found)


def beside(fact: Fact, old: JsonObject, new: JsonObject, pointer: Pointer) -> Pointer:
    """For a removed column, the pointer to its last remaining predecessor; else unchanged."""
    if fact.subject != "field" or fact.action is not Action.REMOVED:
        return pointer
    was = _to_column(fact, old, str)
    *_, name, place = ("", *was)
    held = _value_at(new, pointer)
    inside = () if isinstance(held, list) else (name,)
    if not isinstance(place, int):
        return pointer
    before, now = _value_at(old, was[:-1]), _value_at(held, inside) or ()
    found = once(before, ("left", id(now)), lambda: _previous_remaining(before, now))[place]
    return pointer if found is None else (*pointer, *inside, found)


def _previous_remaining(
    before: Sequence[JsonObject], now: Sequence[JsonObject]
) -> list[int | None]:
    """For each old column, the new index of its last remaining predecessor."""
    left = {one.get("name"): at for at, one in enumerate(now)}
    last: int | None = None
    found: list[int | None] = []
    for one in before:
        found.append(last)
        last = left.get(one.get("name"), last)
    return found


def _value_at(held: Any, pointer: Pointer) -> Any:
    for step in pointer:
        held = held.get(step) if isinstance(held, Mapping) else held[step]
    return held


def _steps(held: JsonObject, part: Part) -> tuple[str | int, ...] | None:
    """The steps from a type to one of its nested types."""
    inside = _INSIDE.get(part.step)
    if inside:
        return (inside,) if inside in held else None
    key = "fields" if part.step is PathStep.MEMBER else "branches"
    named = places(held.get(key, ()), part.name, name_of)
    return (key, named[part.number - 1]) if len(named) >= part.number else None


def _index(held: Any, key: Key | None, step: tuple[Any, ...]) -> int | str | None:
    """The index of an item in a list, or the key in a map."""
    if isinstance(held, Mapping):
        return step[0] if step[0] in held else None
    marks = once(held, key, lambda: _first_places(_marks(held, key)))
    return marks.get(step)


def _first_places(marks: Iterable[tuple[object, ...]]) -> dict[tuple[object, ...], int]:
    found: dict[tuple[Any, ...], int] = {}
    for place, mark in enumerate(marks):
        found.setdefault(mark, place)
    return found


def _marks(held: Sequence[Any], key: Key | None) -> Iterable[tuple[Any, ...]]:
    """The identifying values of each item of a list."""
    if key is None or key.set_by is None:
        return (item.label for item in label_columns(held, name_of))
    return map(identity(key, str), held) if key.set_by else ((item,) for item in held)


def line_of(lines: Sequence[str], pointer: Pointer) -> int:
    """The line of a pointer's target, or of its last step that has a line."""
    at, indent = 0, STEP
    for step in pointer:
        find = _key if isinstance(step, str) else _item
        found = find(lines, at, indent, step)
        if found is not None:
            at, indent = found, indent + STEP
        elif isinstance(step, int) or not lines[at].startswith(f"{indent[: -len(STEP)]}{{"):
            break
        # Otherwise a key of an item: it is on the item's own line, and its content below that.
    return at + 1


def _below(lines: Sequence[str], at: int, indent: str) -> Iterable[tuple[int, str]]:
    """The lines at a given indent, inside the block that opens on a line."""
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
    """Lines of the direct children of an object or a list."""
    return once(lines, (at, indent), lambda: [number for number, _ in _below(lines, at, indent)])


class FactLocator(Protocol):
    """Finds the line of a fact in its file."""

    def line(self, fact: Fact) -> int:
        """The line, or 0 where the file was removed."""


class DocumentLines:
    """Finds the line of each fact of a dataset in its new file."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._lines = pair.after.decode("utf-8", "replace").split("\n") if pair.after else []

    def line(self, fact: Fact) -> int:
        """The line, or 0 where the file was removed."""
        comparison, after = self._pair.comparison, self._pair.after
        if comparison.new is None or after is None:
            return 0
        facts = comparison.facts
        pointer = pointer_to(fact, comparison.new, lambda path: current_path(facts, path))
        if comparison.old is not None:
            pointer = beside(fact, comparison.old, comparison.new, pointer)
        line = line_of(self._lines, pointer)
        if _is_there(self._lines[line - 1], comparison.new, pointer):
            return line
        return _find_line(after, comparison.new, pointer)


def _is_there(line: str, document: JsonObject, pointer: Pointer) -> bool:
    """Whether a line contains the target of a pointer, as it does in the canonical layout."""
    if not pointer:
        return True
    last = pointer[-1]
    if isinstance(last, str):
        return f"{_json(last)}:" in line
    held: Any = document
    for step in pointer:
        held = held[step]
    if isinstance(held, Mapping):
        held = next((value for value in held.values() if isinstance(value, str)), "")
    return _json(held) in line


def _json(held: object) -> str:
    return orjson.dumps(held).decode()


def _find_line(raw: bytes, canonical: JsonObject, pointer: Pointer) -> int:
    """The line in a file with another layout, where sets may be in another order."""
    found = _in_layout(json_text.parse(raw), canonical, pointer)
    return json_text.locate(raw, [found])[found].line


def _in_layout(held: Any, canonical: Any, pointer: Pointer) -> Pointer:
    """Convert a pointer for a document whose lists are in another order."""
    found: list[str | int] = []
    for step in pointer:
        wanted = canonical[step]
        if isinstance(step, int):
            same = (index for index, item in enumerate(held) if _is_same_item(item, wanted))
            step = next(same, step)  # noqa: PLW2901 - the same item, where it stands in the file
        if isinstance(held, Mapping) and step not in held:
            break
        found.append(step)
        held, canonical = held[step], wanted
    return tuple(found)


def _is_same_item(item: object, wanted: object) -> bool:
    """Whether two spellings of an item are equal: a missing key is the same as an empty one."""
    if isinstance(item, Mapping) and isinstance(wanted, Mapping):
        return all(item.get(name) == value for name, value in wanted.items() if _is_scalar(value))
    return bool(item == wanted)


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int)


def describe_findings(
    findings: Iterable[Finding], path: str, lines: FactLocator | None, fail_on: FailOn
) -> Iterator[ChangeFinding]:
    """Convert the findings of one file for reports."""
    for one in findings:
        yield _describe_finding(one, path, lines.line(one.fact) if lines else 0, fail_on)


def _describe_finding(one: Finding, path: str, line: int, fail_on: FailOn) -> ChangeFinding:
    rule, told = one.rule, one.told
    answer = one.answer if one.answer and one.answer.outcome is not ReadOutcome.EXACT else None
    return ChangeFinding(
        fingerprint=one.fingerprint,
        rule=rule.id,
        slug=rule.slug,
        family=rule.family.value,
        level=LevelWord(one.level.word),
        silent=one.level is Level.SILENT,
        bump=BumpWord(one.bump.word),
        blocks=fails(one, fail_on),
        waived=one.waived,
        urn=one.urn,
        field=told.path or None,
        was=told.was or None,
        item=told.item or None,
        subject=told.subject,
        action=told.action.value,
        old=None if told.subject == "dataset" else told.old,
        new=None if told.subject == "dataset" else told.new,
        message=message(rule.message, told),
        reader=answer.engine if answer else None,
        reads=outcome_words(answer) if answer else None,
        shows=(answer.shows or None) if answer else None,
        details=tuple(_details(told)),
        why=(answer.why if answer and answer.why else rule.why),
        fix=rule.fix,
        path=path,
        line=line,
        decisions=tuple(DecisionStep(by=step.by, says=step.says) for step in one.decisions),
    )


def _details(fact: Fact) -> Iterator[str]:
    """Describe changes inside a free-form property, which has no class."""
    if not fact.subject.endswith("properties") or not _is_nested(fact.old, fact.new):
        return
    from deepdiff import DeepDiff  # noqa: PLC0415 - slow to load, and few diffs need it

    for line in DeepDiff(fact.old, fact.new, verbose_level=2).pretty().splitlines():
        yield line.replace("root", fact.item, 1) if "root" in line else line


def _is_nested(old: object, new: object) -> bool:
    return isinstance(old, dict | list) and type(old) is type(new)

"""What must be said of a dataset and of its columns."""

import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lumos_snap.config.requirements import Requirement
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.rules import requirement_rules
from lumos_snap.rules.dataset_state import State, is_said
from lumos_snap.rules.violation import COLUMNS, Breach
from lumos_snap.schema import Holds, Key, keys_of

_FIELDS = "fields"
_DEEPEST = 4
"""So many steps a path has that is offered where one was mistyped."""
_SOURCES_WORDS = ("documentation.description", "documentation.fields.description")
"""Where nobody has written anything, the source's own words are shown: they count."""


class _Path(NamedTuple):
    """A path of the model, cut where it reaches columns."""

    section: str
    steps: tuple[str, ...]
    is_of_columns: bool


def missing_metadata(demand: Requirement, state: State) -> Iterator[Breach]:
    """What is required and not there."""
    path = _path(demand.what)
    if path.is_of_columns:
        yield from _of_columns(demand.what, path, state)
    elif not _is_said(demand.what, path, state):
        at = demand.what.split(".")[:1]
        yield Breach(requirement_rules.REQUIRED_MISSING, at=tuple(at), item=demand.what)


def _is_said(what: str, path: _Path, state: State) -> bool:
    document = state.document
    if is_said(document, (path.section, *path.steps)):
        return True
    others = (("storage", "description"), ("schema", "description"))
    return what in _SOURCES_WORDS and any(is_said(document, other) for other in others)


def _of_columns(what: str, path: _Path, state: State) -> Iterator[Breach]:
    is_own = path.section == "schema"
    said = {} if is_own else state.said(path.section)
    by_source = what in _SOURCES_WORDS
    for name, column in state.columns:
        held = column if is_own else said.get(name, {})
        if not is_said(held, path.steps) and not (by_source and is_said(column, path.steps)):
            yield Breach(
                requirement_rules.COLUMN_REQUIRED_MISSING,
                at=COLUMNS,
                path=name,
                id=column.get("id"),
                item=what,
            )


@functools.cache
def _path(what: str) -> _Path:
    section, *steps = what.split(".")
    is_of_columns = steps[:1] == [_FIELDS] and len(steps) > 1
    if section == "properties" or steps[:1] == ["properties"]:  # its names may hold dots
        head = what.partition("properties.")
        steps = [*head[0].split(".")[1:-1], *(["properties"] if head[0] else []), head[2]]
    return _Path(section, tuple(steps[1:] if is_of_columns else steps), is_of_columns)


def is_known(what: str) -> bool:
    """Whether a path leads somewhere in the model."""
    steps = what.split(".")
    keys: Mapping[str, Key] = keys_of(Snapshot)
    for number, step in enumerate(steps, 1):
        key = keys.get(step)
        if key is None:
            return False
        if key.holds is Holds.FREE:
            return number < len(steps) and all(steps[number:])
        keys = keys_of(key.item) if key.item is not None else {}
    return True


def known() -> Iterator[str]:
    """The paths that people require, to say which one was meant."""
    yield from _below("", keys_of(Snapshot), _DEEPEST)


def _below(prefix: str, keys: Mapping[str, Key], depth: int) -> Iterator[str]:
    for name, key in keys.items():
        path = f"{prefix}.{name}" if prefix else name
        yield path
        if key.item is not None and depth > 1:
            yield from _below(path, keys_of(key.item), depth - 1)

"""The context in which rules judge a fact: both snapshots, the dataset's engines, the date."""

import datetime
import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lumos_snap.diff import Action, Comparison
from lumos_snap.diff.columns import HEAD
from lumos_snap.diff.fact import current_path
from lumos_snap.engines import (
    EngineAnswer,
    Profile,
    ReadOutcome,
    ask,
    engine_names,
    profile,
    readers_of,
)
from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import format_path, parse_path

GENERIC = "generic"
CLASSIFICATIONS = ("public", "internal", "confidential", "restricted")
"""The default classifications, from public to secret, if the policy defines none."""
_NOTHING: JsonObject = {}
_WORSE = {ReadOutcome.EXACT: 0, ReadOutcome.REFUSED: 1, ReadOutcome.CHANGED: 2}


@dataclass(frozen=True)
class Case:
    """One comparison, with the context for judging it."""

    comparison: Comparison
    today: datetime.date
    classifications: Sequence[str] = CLASSIFICATIONS

    @property
    def old(self) -> JsonObject:
        """The old snapshot, empty if there is none."""
        return self.comparison.old or {}

    @property
    def new(self) -> JsonObject:
        """The new snapshot, empty if there is none."""
        return self.comparison.new or {}

    @functools.cached_property
    def readers(self) -> tuple[str, ...]:
        """The engines to judge by: those declared on either side, else those of the format.

        An engine whose declaration a change removes still judges that change.
        """
        declared = {
            reader
            for side in (self.old, self.new)
            for reader in _section(side, "contract", "readers")
        }
        if not declared:
            formats = [_section(side, "storage", "format") or None for side in (self.old, self.new)]
            declared = {reader for each in formats if each for reader in readers_of(each)}
        return tuple(sorted(declared)) or readers_of(None)

    @functools.cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles of the engines; an unknown engine gets the generic one."""
        known = engine_names()
        return tuple(profile(name if name in known else GENERIC) for name in self.readers)

    def answer(self, old: JsonObject, new: JsonObject) -> EngineAnswer:
        """The worst answer of all engines to reading data of one type as another."""
        return _worst(self.answers(old, new))

    def answers(self, old: JsonObject, new: JsonObject) -> Iterator[EngineAnswer]:
        """Each engine's answer to reading data of one type as another."""
        for one in self.profiles:
            yield _answer(one.name, _own_parameters(old), _own_parameters(new))

    def unreadable(self, given: JsonObject) -> EngineAnswer | None:
        """The answer of an engine that cannot read new files with a type, if there is one."""
        for one in self.profiles:
            if one.cannot_read(given):
                return EngineAnswer(
                    one.name,
                    ReadOutcome.REFUSED,
                    why=one.unreadable_why,
                    source=one.unreadable_source,
                )
        return None

    def now(self, path: str) -> str:
        """The current path of a field."""
        return current_path(self.comparison.facts, path)

    @functools.cached_property
    def gone(self) -> frozenset[str]:
        """The paths of removed columns and partitions."""
        return frozenset(
            fact.path
            for fact in self.comparison.facts
            if fact.subject in ("field", "partition") and fact.action is Action.REMOVED
        )

    def is_gone(self, path: str) -> bool:
        """Whether a field or one of its parents was removed."""
        if not path or not self.gone:
            return False
        try:
            parts = parse_path(path)
        except ValueError:  # a validation rule reports it
            return False
        return any(format_path(parts[:end]) in self.gone for end in range(1, len(parts) + 1))

    def promised(self, side: JsonObject, path: str) -> JsonObject:
        """The contract of a field, on one side."""
        fields = _section(side, "contract", "fields")
        found: JsonObject = next((one for one in fields or () if one["path"] == path), _NOTHING)
        return found


_SAYS = (*HEAD, "native")


def _own_parameters(held: JsonObject) -> tuple[object, ...]:
    """The parameters of a type that its values depend on; nested types have facts of their own."""
    return tuple(held.get(name) for name in _SAYS)


@functools.lru_cache(maxsize=4096)
def _answer(engine: str, old: tuple[object, ...], new: tuple[object, ...]) -> EngineAnswer:
    """A cached answer for a pair of types: a migration often changes many columns alike."""
    one, other = (
        {name: said for name, said in zip(_SAYS, side, strict=True) if said is not None}
        for side in (old, new)
    )
    return ask(engine, one, other)


def _worst(answers: Iterator[EngineAnswer]) -> EngineAnswer:
    return max(answers, key=lambda one: _WORSE[one.outcome])


def _section(side: JsonObject, name: str, key: str) -> Any:
    return side.get(name, {}).get(key, ())

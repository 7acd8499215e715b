"""What rules may look at beside a fact: both snapshots, the dataset's readers, today."""

import datetime
import functools
from collections.abc import Iterator, Mapping, Sequence
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
from lumos_snap.model.field_path import format_path, parse_path

GENERIC = "generic"
CLASSIFICATIONS = ("public", "internal", "confidential", "restricted")
"""How secret data is, the least first, where a policy says nothing else."""
_WORSE = {ReadOutcome.EXACT: 0, ReadOutcome.REFUSED: 1, ReadOutcome.CHANGED: 2}


@dataclass(frozen=True)
class Case:
    """One comparison, with what judging it needs."""

    comparison: Comparison
    today: datetime.date
    classifications: Sequence[str] = CLASSIFICATIONS

    @property
    def old(self) -> Mapping[str, Any]:
        """The old snapshot, empty where there is none."""
        return self.comparison.old or {}

    @property
    def new(self) -> Mapping[str, Any]:
        """The new snapshot, empty where there is none."""
        return self.comparison.new or {}

    @functools.cached_property
    def readers(self) -> tuple[str, ...]:
        """The engines that judge: those declared on either side, else those of the format.

        A reader whose declaration a change removes still judges that change.
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
        """What the readers promise; one that is not known promises what all do."""
        known = engine_names()
        return tuple(profile(name if name in known else GENERIC) for name in self.readers)

    def answer(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> EngineAnswer:
        """What the worst of the readers does with data of one type, read as another."""
        return _worst(self.answers(old, new))

    def answers(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[EngineAnswer]:
        """What each reader does with data of one type, read as another."""
        for one in self.profiles:
            yield _answer(one.name, _own_parameters(old), _own_parameters(new))

    def now(self, path: str) -> str:
        """The present path of a field."""
        return current_path(self.comparison.facts, path)

    @functools.cached_property
    def gone(self) -> frozenset[str]:
        """The paths of fields that were removed whole."""
        return frozenset(
            fact.path
            for fact in self.comparison.facts
            if fact.subject in ("field", "partition") and fact.action is Action.REMOVED
        )

    def is_gone(self, path: str) -> bool:
        """Whether a field was removed, or what held it."""
        if not path or not self.gone:
            return False
        try:
            parts = parse_path(path)
        except ValueError:  # a law of its own names it
            return False
        return any(format_path(parts[:end]) in self.gone for end in range(1, len(parts) + 1))

    def promised(self, side: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        """What a contract says of a field, on one side."""
        fields = _section(side, "contract", "fields")
        return next((one for one in fields or () if one["path"] == path), {})


_SAYS = (*HEAD, "native")


def _own_parameters(held: Mapping[str, Any]) -> tuple[Any, ...]:
    """What of a type its values depend on; what is nested in it has facts of its own."""
    return tuple(held.get(name) for name in _SAYS)


@functools.lru_cache(maxsize=4096)
def _answer(engine: str, old: tuple[Any, ...], new: tuple[Any, ...]) -> EngineAnswer:
    """One answer for a pair of types: a migration changes many columns alike."""
    one, other = (
        {name: said for name, said in zip(_SAYS, side, strict=True) if said is not None}
        for side in (old, new)
    )
    return ask(engine, one, other)


def _worst(answers: Iterator[EngineAnswer]) -> EngineAnswer:
    return max(answers, key=lambda one: _WORSE[one.outcome])


def _section(side: Mapping[str, Any], name: str, key: str) -> Any:
    return side.get(name, {}).get(key, ())

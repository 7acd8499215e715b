"""The fixtures of rules about changes: a folder for each, with one change, and near misses.

cases/SC001-field-removed/
  before.json  after.json     the change; one is missing where a dataset came or went
  expected.json               what it gives: golden
  near/NAME.json              another `after.json`, which the rule does not fire on
  near/NAME.before.json, near/NAME.after.json       where both sides are others
  near.json                   what the near misses give: golden
  note.txt                    why the change gives more than one finding, where it does
"""

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.config.settings import Policy
from lumos_snap.diff import Action, Comparison, Fact, compare
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.judge import judge
from lumos_snap.rules.messages import message
from lumos_snap.rules.rule import Level, Preset
from lumos_snap.schema import Value, keys_of

TODAY = datetime.date(2026, 6, 1)
FOLDER = Path(__file__).parent / "cases"
PRESETS = (Preset.DEFAULT, Preset.HISTORY, Preset.CONSUMERS, Preset.STRICT)

Document = Mapping[str, Any] | None


@dataclass(frozen=True)
class Change:
    """Two sides of a dataset; a side that is not there is None."""

    name: str
    old: Document
    new: Document

    @property
    def reversed(self) -> "Change":
        """The way back."""
        return Change(self.name, self.new, self.old)


@dataclass(frozen=True)
class RuleCase:
    """One folder."""

    folder: Path
    main: Change
    near: tuple[Change, ...]

    @property
    def rule(self) -> str:
        """The id of its rule."""
        return self.folder.name.partition("-")[0]

    @property
    def slug(self) -> str:
        """The name of its rule."""
        return self.folder.name.partition("-")[2]


def _case(folder: Path) -> RuleCase:
    main = Change("", _document(folder / "before.json"), _document(folder / "after.json"))
    names = sorted({path.name.partition(".")[0] for path in (folder / "near").glob("*.json")})
    return RuleCase(folder, main, tuple(_near(folder / "near", name, main) for name in names))


def _near(folder: Path, name: str, main: Change) -> Change:
    alone = folder / f"{name}.json"
    if alone.exists():
        return Change(name, main.old, _document(alone))
    sides = (folder / f"{name}.before.json", folder / f"{name}.after.json")
    return Change(name, _document(sides[0]), _document(sides[1]))


def _document(path: Path) -> Document:
    found: Document = orjson.loads(path.read_bytes()) if path.exists() else None
    return found


CASES = tuple(
    _case(folder) for folder in sorted(FOLDER.iterdir()) if not (folder / "policy.yaml").exists()
)
CHANGES = tuple((case, change) for case in CASES for change in (case.main, *case.near))


def class_of(document: Mapping[str, Any]) -> type[Value]:
    """The class of a stored document."""
    return next(kind.cls for kind in KINDS if keys_of(kind.cls).keys() >= document.keys())


def compared(change: Change) -> Comparison:
    """The difference of two sides; an entity is one fact, as it is for a whole tree."""
    document = change.new or change.old
    assert document is not None
    if "urn" in document:
        return compare(document["urn"], change.old, change.new)
    old, new = change.old, change.new
    action = Action.ADDED if old is None else Action.REMOVED if new is None else Action.CHANGED
    path = f"entities/users/{document['id']}.json"
    facts = (Fact("entity", action, (), item=path, old=old, new=new),) if old != new else ()
    return Comparison(path, old, new, facts)


def judged(change: Change, preset: Preset = Preset.DEFAULT) -> tuple[Finding, ...]:
    """What a change gives under a preset."""
    return judge(compared(change), Policy(preset=preset.value), TODAY)


def with_readers(change: Change, *engines: str) -> Change:
    """The same change of a dataset that declares its readers."""
    contract = {"contract": {"readers": sorted(engines)}}
    assert change.old is not None
    assert change.new is not None
    return Change(change.name, {**change.old, **contract}, {**change.new, **contract})


def ids(change: Change) -> set[str]:
    """The rules that a change falls under."""
    return {finding.rule.id for finding in judged(change)}


def word(level: Level) -> str:
    """A level, with silent changes told apart."""
    return "silent" if level is Level.SILENT else level.word


def told(change: Change) -> Iterator[dict[str, Any]]:
    """Findings as golden files have them."""
    under = {preset: {f.fingerprint: f for f in judged(change, preset)} for preset in PRESETS}
    for finding in judged(change):
        each = {preset: under[preset][finding.fingerprint] for preset in PRESETS}
        yield {
            "rule": finding.rule.id,
            "levels": {preset.value: word(one.level) for preset, one in each.items()},
            **({"field": finding.told.path} if finding.told.path else {}),
            **({"item": finding.told.item} if finding.told.item else {}),
            "message": message(finding.rule.message, finding.told),
            "bump": finding.bump.word,
            **({"readers": _readers(each)} if finding.answer else {}),
        }


def _readers(each: Mapping[Preset, Finding]) -> dict[str, Any]:
    """What the deciding reader does: the new schema over old data, and the old one over new."""
    found = {}
    for preset in (Preset.HISTORY, Preset.CONSUMERS):
        answer = each[preset].answer
        assert answer is not None
        shows = {"shows": answer.shows} if answer.shows else {}
        found[preset.value] = {"engine": answer.engine, "does": answer.outcome.value, **shows}
    return found


def line(change: Change) -> str:
    """Rules and their levels under every preset, in one line."""
    return ", ".join(f"{one['rule']} {levels(one['levels'])}" for one in told(change)) or "nothing"


def levels(found: Mapping[str, str]) -> str:
    """One word where all are alike, else default/history/consumers/strict."""
    words = found.values()
    return "/".join(words if len(set(words)) > 1 else list(words)[:1])

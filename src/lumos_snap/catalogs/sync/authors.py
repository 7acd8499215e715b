"""Divides pulled changes among the users who edited them in the catalog."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import Edit, Identity
from lumos_snap.catalogs.sync.decide import find_problem
from lumos_snap.catalogs.sync.decision import SyncDecision
from lumos_snap.schema import Document, Holds, keys_of

At = tuple[str, ...]
"""A key of a document, or of one of its sections."""


@dataclass(frozen=True, slots=True)
class Share:
    """The edits of one person, in any number of documents."""

    person: str
    """The id of the user; empty if unknown."""
    when: str = ""
    """The time of the last edit."""
    documents: dict[Identity, Document] = field(default_factory=dict)
    """The tree's documents after this share, given that all earlier shares were applied."""
    edited: dict[Identity, tuple[At, ...]] = field(default_factory=dict)


def shares(decisions: Iterable[SyncDecision]) -> tuple[Share, ...]:
    """Divide all pulled changes: earliest editors first, unknown editors last."""
    spans: dict[str, list[str]] = {}
    divided: dict[str, list[_DividedDocument]] = {}
    for one in (
        _DividedDocument(decision) for decision in decisions if decision.pulled is not None
    ):
        for edit in one.editors.values():
            spans.setdefault(_person(edit), []).append(edit.when)
        for person in dict.fromkeys(map(_person, one.editors.values())):
            divided.setdefault(person, []).append(one)
    people = sorted(spans, key=lambda person: (not person, min(spans[person]), person))
    found = []
    for person in people:
        share = Share(person, max(spans[person]))
        for one in divided[person]:
            if keys := one.take(person):
                share.documents[one.identity] = one.document
                share.edited[one.identity] = keys
        found.append(share)
    return tuple(share for share in found if share.documents)


class _DividedDocument:
    """One document, changed step by step from the tree's version to the pulled one."""

    def __init__(self, decision: SyncDecision) -> None:
        self.identity = decision.identity
        self.document: Document = decision.sides.tree or {}
        self._pulled: Document = decision.pulled or {}
        self.editors = dict(_editors(decision, self.document, self._pulled))

    def take(self, person: str) -> tuple[At, ...]:
        """Apply one person's edits; nothing if the result alone would be invalid."""
        keys = tuple(at for at, edit in self.editors.items() if _person(edit) == person)
        if not keys:
            return ()
        found = _with(self.document, self._pulled, keys, self.identity.cls)
        rest = {at: edit for at, edit in self.editors.items() if at not in keys}
        if rest and find_problem(found, self.identity.cls):
            later = next(iter(rest.values()))  # applied together with the next person's edits
            self.editors = rest | dict.fromkeys(keys, later)
            return ()
        self.document, self.editors = found, rest
        return keys


def _editors(decision: SyncDecision, tree: Document, pulled: Document) -> Iterator[tuple[At, Edit]]:
    """Each key that a pull changes, with its last edit in the catalog."""
    for at in _differing(tree, pulled, decision.identity.cls):
        about = (one for one in decision.drifts if one.fact.at[: len(at)] == at)
        edits = [one.edit for one in about if one.edit]
        yield at, max(edits, key=lambda edit: edit.when, default=_NOBODY)


_NOBODY = Edit()


def _person(edit: Edit) -> str:
    return edit.who if edit.is_person else ""


def _differing(one: Document, other: Document, cls: type) -> Iterator[At]:
    for name, key in keys_of(cls).items():
        before, after = one.get(name), other.get(name)
        if before == after:
            continue
        if key.holds is Holds.OBJECT and key.item is not None:
            inner = ((name, step) for step in keys_of(key.item))
            yield from (at for at in inner if _value_at(one, at) != _value_at(other, at))
        else:
            yield (name,)


def _value_at(document: Document, at: At) -> object:
    held: object = document
    for name in at:
        held = held.get(name) if isinstance(held, dict) else None
    return held


def _with(document: Document, pulled: Document, keys: Sequence[At], cls: type) -> Document:
    """A document with some keys taken from another one."""
    found = dict(document)
    for name, *inner in keys:
        if inner:
            section = {**found.get(name, {}), inner[0]: _value_at(pulled, (name, inner[0]))}
            found[name] = {step: held for step, held in section.items() if held is not None}
        else:
            found[name] = pulled.get(name)
    return canonical_document({name: held for name, held in found.items() if held is not None}, cls)

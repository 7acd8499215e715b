"""A breach: where a dataset, as it stands, is not what a policy asks for."""

from dataclasses import dataclass

from lumos_snap.diff import Action, Fact
from lumos_snap.diff.fact import At
from lumos_snap.rules.rule import Rule

COLUMNS: At = ("schema", "fields")
"""Where columns stand: with a path, a fact is seen on the line of its column."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule, and where it is broken."""

    rule: Rule
    at: At = ()
    path: str = ""
    """The column, where it is about one."""
    id: int | None = None
    item: str = ""
    """What is asked for: it tells the breach from others of its rule."""
    old: str | None = None
    """What there is. It plays no part in what the breach is, so that it may change."""
    new: str | None = None
    """What there should be."""

    @property
    def fact(self) -> Fact:
        """What the breach is, whatever is there instead."""
        subject = self.rule.on[0]
        return Fact(subject, Action.FOUND, self.at, path=self.path, item=self.item, id=self.id)

    @property
    def told(self) -> Fact:
        """The same with both sides, as it is said."""
        subject, old, new = self.rule.on[0], self.old, self.new
        return Fact(subject, Action.FOUND, self.at, self.path, "", self.item, old, new, id=self.id)

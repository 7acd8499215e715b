"""A batch on its way into the store: nothing is kept until all of it is right."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from tests.gms import additions, urns
from tests.gms.conditions import is_optional, require
from tests.gms.models import is_series, key_of, shape
from tests.gms.patches import is_generic, patched
from tests.gms.refusals import Dropped, Refusal, Why
from tests.gms.rows import SYSTEM, Proposal, Row, Stamp, first, following, packed

Json = Any


class Rows(Protocol):
    """Where the current rows are."""

    def row(self, urn: str, aspect: str) -> Row | None: ...


@dataclass(frozen=True, slots=True)
class Written:
    """An aspect as it is after a write."""

    urn: str
    aspect: str
    row: Row


class Draft:
    """What a batch makes of the rows that are there."""

    def __init__(self, there: Rows, stamp: Stamp, *, fills: bool, counts: bool) -> None:
        self.rows: dict[tuple[str, str], list[Row]] = {}
        self.points: list[Written] = []
        self._there = there
        self._stamp = stamp
        self._fills = fills
        self._counts = counts

    def add(self, proposals: Sequence[Proposal], *, drops: bool) -> tuple[Written, ...]:
        """Take in a batch; conditions hold for what is stored before any of it."""
        for step in (self._allow, self._add):
            for one in proposals:
                with suppress(Dropped) if drops else nullcontext():
                    step(one)
        self._complete(dict.fromkeys(urn for urn, _ in self.rows))
        rows = (Written(*place, rows[-1]) for place, rows in self.rows.items())
        return (*rows, *self.points)

    def _allow(self, proposal: Proposal) -> None:
        urns.check(proposal.urn)
        if self._counts and not (is_series(proposal.aspect) or _is_bare(proposal)):
            require(proposal, self._there.row(proposal.urn, proposal.aspect))

    def _add(self, proposal: Proposal) -> None:
        urns.check(proposal.urn)
        place = proposal.urn, proposal.aspect
        before = self._before(place)
        if before is not None and is_optional(proposal):
            return
        value = self._checked(proposal, before)
        if is_series(proposal.aspect):
            self.points.append(Written(*place, first(proposal, value, self._stamp)))
            return
        moved = before is None or packed(value) != before.value
        value = additions.completed(proposal.aspect, value)
        told = _nobody(*place) if _is_bare(proposal) else proposal
        if before is None:
            row = first(told, value, self._stamp)
        else:
            row = following(before, told, value, self._stamp, moved=moved)
        self.rows.setdefault(place, []).append(row)

    def _before(self, place: tuple[str, str]) -> Row | None:
        return self.rows[place][-1] if place in self.rows else self._there.row(*place)

    def _checked(self, proposal: Proposal, before: Row | None) -> Json:
        value = proposal.value
        if proposal.change == "PATCH":
            value = patched(proposal.aspect, before.json() if before else None, value)
        value = shape(proposal.aspect, fills=self._fills)(value, "")
        if proposal.aspect == "structuredProperties":
            self._require_definitions(value)
        return value

    def _require_definitions(self, value: Mapping[str, Json]) -> None:
        for one in value["properties"]:
            if self._there.row(one["propertyUrn"], "propertyDefinition") is None:
                raise Refusal(Why.INVALID, f"{one['propertyUrn']} has no propertyDefinition")

    def _complete(self, changed: Mapping[str, None]) -> None:
        """Give entities that are new what the server gives them."""
        made = Stamp(self._stamp.time, SYSTEM)
        for urn in changed:
            if self._there.row(urn, key_of(urns.entity_of(urn))) is None:
                for aspect, value in additions.of_new_entity(urn):
                    if self._before((urn, aspect)) is None:
                        self.rows[urn, aspect] = [first(_nobody(urn, aspect), value, made)]


def _is_bare(proposal: Proposal) -> bool:
    """Whether headers and system metadata of a proposal get lost on the way."""
    return proposal.change == "PATCH" and is_generic(proposal.value)


def _nobody(urn: str, aspect: str) -> Proposal:
    return Proposal(urn=urn, aspect=aspect, value=None)

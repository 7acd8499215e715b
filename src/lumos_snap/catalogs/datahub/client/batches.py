"""Pack aspects into requests: all aspects of one entity go into the same request.

DataHub's client silently splits a request that is too long, so it never gets one that it would
split.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import orjson

from lumos_snap.catalogs.datahub.aspect import Aspect
from lumos_snap.catalogs.datahub.client.errors import FailedError

_AROUND = 1_000
"""Bytes around a value: names, headers, system metadata; a urn has 512 at most."""
_TOO_LARGE = 413


class Proposal(NamedTuple):
    """One aspect to write, on the condition that it still has the version that was read."""

    entity: str
    urn: str
    aspect: str
    value: Aspect
    seen: str | None = ""
    """Empty: it does not exist yet. None: unconditional, for time series."""


class SizedProposal(NamedTuple):
    """A proposal with its serialized value and an upper bound of its size in the request."""

    proposal: Proposal
    text: bytes
    size: int


class Room(NamedTuple):
    """The limits of a request."""

    items: int
    size: int
    is_openapi: bool
    """Whether values are embedded unescaped, and a request holds one entity type only."""


def requests_for(
    proposals: Iterable[Proposal], room: Room
) -> tuple[tuple[SizedProposal, ...], ...]:
    """Pack proposals into requests, in their order.

    Raises `FailedError` before anything is sent if an entity does not fit into one request.
    """
    return tuple(_pack_items([_item(one, room) for one in proposals], room))


def _pack_items(items: Sequence[SizedProposal], room: Room) -> Iterator[tuple[SizedProposal, ...]]:
    some: list[SizedProposal] = []
    for urn, held in groupby(items, key=lambda one: one.proposal.urn):
        more = list(held)
        if not _fits(more, room):
            raise _too_large(urn, more, room)
        if some and not (_fits([*some, *more], room) and _go_together(some[-1], more[0], room)):
            yield tuple(some)
            some = []
        some += more
    if some:
        yield tuple(some)


def _fits(items: Sequence[SizedProposal], room: Room) -> bool:
    return len(items) <= room.items and sum(one.size for one in items) <= room.size


def _go_together(one: SizedProposal, other: SizedProposal, room: Room) -> bool:
    return not room.is_openapi or one.proposal.entity == other.proposal.entity


def _item(proposal: Proposal, room: Room) -> SizedProposal:
    text = orjson.dumps(proposal.value)
    return SizedProposal(proposal, text, _AROUND + _size(text.decode(), room))


def _size(text: str, room: Room) -> int:
    """The maximum size of a value as the client serializes it: ASCII, with spaces."""
    if text.isascii():
        size = len(text)
    else:
        plain = len(text.encode("ascii", "ignore"))
        size = plain + 6 * (len(text.encode("utf-16-le")) // 2 - plain)
    if room.is_openapi:
        return size + text.count(",") + text.count(":")
    return size + text.count('"') + text.count("\\")


def _too_large(urn: str, items: Sequence[SizedProposal], room: Room) -> FailedError:
    size = sum(one.size for one in items)
    largest = max(items, key=lambda one: one.size)
    return FailedError(
        f"{urn}: would be a request of {_in_mb(size)} MB, and DataHub takes {_in_mb(room.size)} MB:"
        f" {largest.proposal.aspect} has {_in_mb(largest.size)} MB of it",
        status=_TOO_LARGE,
    )


def _in_mb(size: int) -> str:
    return f"{size / 1_000_000:.1f}"

"""Merge-join three sorted streams of documents, with one document of each in memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

from lumos_snap.catalogs.adapter import (
    Identity,
    Reading,
    UnchangedDocument,
    Unreadable,
    open_reading,
)
from lumos_snap.catalogs.sync.decision import SyncSides
from lumos_snap.schema import Document

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RawDocument:
    """An unparsed document, which is parsed only on demand."""

    raw: bytes
    parse: Callable[[bytes], Document | None]
    """Parses the bytes; None if they are no document."""


Side: TypeAlias = Document | RawDocument
Named: TypeAlias = tuple[Identity, Side]

_END = Identity("\U0010ffff", "")
"""Greater than every other identity: no kind has this name."""


def parse_side(side: Side | None) -> Document | None:
    """Parse a side, if it is unparsed."""
    return side.parse(side.raw) if isinstance(side, RawDocument) else side


def iter_documents(named: Iterable[Named]) -> Iterator[tuple[Identity, Document]]:
    """The valid documents of one side."""
    for identity, side in named:
        document = parse_side(side)
        if document is not None:
            yield identity, document


class JoinedDocument(NamedTuple):
    """One document on every side that has it, parsed only as far as needed."""

    identity: Identity
    base: Side | None
    tree: Side | None
    there: Reading | None

    @property
    def is_as_confirmed(self) -> bool:
        """Whether it is unchanged since all three sides were last confirmed to be equal."""
        return (
            isinstance(self.there, UnchangedDocument)
            and isinstance(self.base, RawDocument)
            and isinstance(self.tree, RawDocument)
            and self.base.raw == self.tree.raw
        )

    def sides(self) -> SyncSides:
        """Parse the sides."""
        base, tree, there = parse_side(self.base), parse_side(self.tree), open_reading(self.there)
        if isinstance(there, Unreadable):
            return SyncSides(self.identity, base, tree, unreadable=there.reason)
        return SyncSides(self.identity, base, tree, there)


def join_sides(
    base: Iterable[Named], tree: Iterable[Named], catalog: Iterable[Reading]
) -> Iterator[JoinedDocument]:
    """Yield every document of any side once, in the order of identities."""
    known, mine, there = iter(base), iter(tree), _with_identity(catalog)
    a, b, c = next(known, None), next(mine, None), next(there, None)
    while True:
        at = min(a[0] if a else _END, b[0] if b else _END, c[0] if c else _END)
        if at is _END:
            return
        one = two = three = None
        if a and a[0] == at:
            one, a = a[1], _after(at, next(known, None))
        if b and b[0] == at:
            two, b = b[1], _after(at, next(mine, None))
        if c and c[0] == at:
            three, c = c[1], _after(at, next(there, None))
        yield JoinedDocument(at, one, two, three)


def _with_identity(catalog: Iterable[Reading]) -> Iterator[tuple[Identity, Reading]]:
    for one in catalog:
        yield one.identity, one


def _after(before: Identity, one: Any) -> Any:
    if one is not None and one[0] <= before:
        raise ValueError(f"{one[0].id} comes after {before.id}: what is joined must be sorted")
    return one

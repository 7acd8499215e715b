"""Three sorted streams side by side: memory holds one document of each."""

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
    """A document as it is written, which is only parsed where somebody wants to know."""

    raw: bytes
    parse: Callable[[bytes], Document | None]
    """The document; none where the bytes are no document."""


Side: TypeAlias = Document | RawDocument
Named: TypeAlias = tuple[Identity, Side]

_END = Identity("\U0010ffff", "")
"""After all others: no kind is called so."""


def parse_side(side: Side | None) -> Document | None:
    """What a side says."""
    return side.parse(side.raw) if isinstance(side, RawDocument) else side


def iter_documents(named: Iterable[Named]) -> Iterator[tuple[Identity, Document]]:
    """Every document of one side; what is none is left out."""
    for identity, side in named:
        document = parse_side(side)
        if document is not None:
            yield identity, document


class JoinedDocument(NamedTuple):
    """One document on every side that has it, as far as it had to be looked at."""

    identity: Identity
    base: Side | None
    tree: Side | None
    there: Reading | None

    @property
    def is_as_confirmed(self) -> bool:
        """Whether nobody has touched it since all three sides were seen to be one."""
        return (
            isinstance(self.there, UnchangedDocument)
            and isinstance(self.base, RawDocument)
            and isinstance(self.tree, RawDocument)
            and self.base.raw == self.tree.raw
        )

    def sides(self) -> SyncSides:
        """What the sides say."""
        base, tree, there = parse_side(self.base), parse_side(self.tree), open_reading(self.there)
        if isinstance(there, Unreadable):
            return SyncSides(self.identity, base, tree, unreadable=there.reason)
        return SyncSides(self.identity, base, tree, there)


def join_sides(
    base: Iterable[Named], tree: Iterable[Named], catalog: Iterable[Reading]
) -> Iterator[JoinedDocument]:
    """Every document of any side once, in the order of identities."""
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

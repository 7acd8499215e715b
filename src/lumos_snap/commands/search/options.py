"""Options of a search: words, and filters that must all hold."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product

from lumos_snap.errors import LumosError
from lumos_snap.search.document import TYPES, column_mark, mark

DEFAULT_LIMIT = 20


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Words and filters: all filters must hold, each for one of its values."""

    text: str = ""
    platforms: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    least: Decimal | None = None
    limit: int = DEFAULT_LIMIT

    @property
    def filters(self) -> tuple[str, ...]:
        """An index expression for each filter."""
        return tuple(f"marks : ({' OR '.join(marks)})" for marks in self._marks() if marks)

    def _marks(self) -> Iterator[list[str]]:
        yield _each("platform", self.platforms)
        yield _each("owner", self.owners)
        yield _each("tag", self.tags)
        yield _each("domain", self.domains)
        yield _each("kind", map(str.casefold, self.kinds))
        yield _each("format", map(str.casefold, self.formats))
        if self.columns and self.types:  # one column with both name and type
            yield [column_mark(*both) for both in product(self.columns, map(_type, self.types))]
        else:
            yield [f"{column_mark(name)} *" for name in self.columns]
            yield _each("type", map(_type, self.types))


def _type(name: str) -> str:
    if name.upper() not in TYPES:
        raise LumosError(f"there is no type {name!r}", hint=f"one of {', '.join(TYPES)}")
    return name.upper()


def _each(kind: str, values: Iterable[str]) -> list[str]:
    return [mark(kind, value) for value in values]


HUNDRED = Decimal(100)


def parse_share(text: str) -> Decimal:
    """Parse a share: `0.9`, `90` and `90%` are equal."""
    try:
        number = Decimal(text.strip().removesuffix("%"))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or not 0 <= number <= HUNDRED:
        raise LumosError(f"{text!r} is no quality", hint="give a share or a percentage: 0.9, 90%")
    return number / HUNDRED if number > 1 or text.strip().endswith("%") else number

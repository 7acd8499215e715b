"""Parsing of search text to an FTS5 expression: no text is an error.

All words must match, each in any field; `field:word` searches one field only. A word also matches
longer words that begin with it, and whole words rank higher. Quoted words must be adjacent, in
order and whole.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lumos_snap.search.document import FIELDS, clean, join_parts, split_humps

MOST_WORDS = 64
SCHEME = "lumos://"
"""Prefix of urns, which may be part of a query, and is not indexed."""
SPELLINGS: Mapping[str, str] = {
    **{name: name for name in FIELDS},
    "columns": "column",
    "field": "column",
    "description": "words",
    "tags": "tag",
    "owners": "owner",
    "terms": "term",
}
"""Names of fields in queries."""

_PIECE = re.compile(
    rf'(?:(?P<field>{"|".join(SPELLINGS)}):(?=[^\s]))?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word or phrase that must match."""

    text: str
    field: str | None = None
    is_phrase: bool = False

    @property
    def expression(self) -> str:
        """The FTS5 expression of the word; quoted as a whole, so it contains no operators."""
        if self.is_phrase:
            found = _quote(self.text)
        else:
            forms = dict.fromkeys((self.text, split_humps(self.text)))
            found = " OR ".join(f"{_quote(form)} OR {_quote(form)} *" for form in forms)
        looked_for = f"{self.field or _EVERYWHERE} : ({found})"
        if self.is_phrase or self.field not in (None, "name"):
            return looked_for
        return f"{looked_for} OR whole : {_quote(join_parts(self.text))}"


@dataclass(frozen=True, slots=True)
class Query:
    """The words of a query without duplicates; `left_out` counts those above the limit."""

    words: tuple[QueryWord, ...]
    left_out: int = 0


_EVERYWHERE = "{" + " ".join(FIELDS) + "}"


def parse_query(text: str) -> Query:
    """Parse any text to a query."""
    pieces = (_word(match) for match in _PIECE.finditer(clean(text)))
    words = tuple(dict.fromkeys(word for word in pieces if _LETTER.search(word.text)))
    return Query(words[:MOST_WORDS], max(0, len(words) - MOST_WORDS))


def _word(match: re.Match[str]) -> QueryWord:
    field = match["field"] and SPELLINGS[match["field"].lower()]
    if match["phrase"] is not None:
        return QueryWord(match["phrase"], field, is_phrase=True)
    return QueryWord(match["word"].removeprefix(SCHEME), field)


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'

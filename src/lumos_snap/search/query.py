"""What somebody types, as an expression that SQLite understands: no text is an error.

All words must be found, each in any field; `field:word` looks in one field only. A word also finds
longer words that begin with it, and whole ones count more. Quotes hold together words that must
stand together, as they are.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lumos_snap.search.document import FIELDS
from lumos_snap.search.words import clean, join_parts, split_humps

MOST_WORDS = 64
SCHEME = "lumos://"
"""How a urn begins: it may be pasted with it, and is indexed without."""
SPELLINGS: Mapping[str, str] = {
    **{name: name for name in FIELDS},
    "columns": "column",
    "field": "column",
    "description": "words",
    "tags": "tag",
    "owners": "owner",
    "terms": "term",
}
"""How fields may be called in a question."""

_PIECE = re.compile(
    rf'(?:(?P<field>{"|".join(SPELLINGS)}):(?=[^\s]))?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One thing that must be found."""

    text: str
    field: str | None = None
    is_phrase: bool = False

    @property
    def expression(self) -> str:
        """The word as FTS5 reads it: all of it is quoted, so that nothing in it is a command."""
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
    """The words of a question, each once; `left_out` counts those beyond what one may have."""

    words: tuple[QueryWord, ...]
    left_out: int = 0


_EVERYWHERE = "{" + " ".join(FIELDS) + "}"


def parse_query(text: str) -> Query:
    """What is asked for by a text, whatever it holds."""
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

"""Words that may have been meant by one that is nowhere."""

import difflib
import re

from lumos_snap.search.index import Index

_MOST = 3
_CANDIDATES = 4_000
_LONGEST = 64
_ALIKE = 0.7


def likely(index: Index, word: str) -> tuple[str, ...]:
    """Up to three words of the index that are spelled nearly like another one.

    They begin as it does, or with its second letter: the first two may have changed places.
    """
    plain = re.sub(r"[\W_]+", "", word).casefold()[:_LONGEST]
    shortest, longest = len(plain) - 3, len(plain) + 8
    candidates = [
        term
        for start in dict.fromkeys(plain[:2])
        for term in index.like(start, shortest, longest, _CANDIDATES)
        if term != word.casefold()
    ]
    return tuple(difflib.get_close_matches(plain, candidates, n=_MOST, cutoff=_ALIKE))

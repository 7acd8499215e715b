"""Words that may have been meant by one that is nowhere."""

import difflib
import re

from lumos_snap.search.index import Index

_MOST = 3
_CANDIDATES = 4_000
_LONGEST = 64
_ALIKE = 0.7


def likely(index: Index, word: str) -> tuple[str, ...]:
    """Up to three words of the index that hold this one, or are spelled nearly like it."""
    plain = re.sub(r"[\W_]+", "", word).casefold()[:_LONGEST]
    if not plain:
        return ()
    candidates = [term for term in index.like(plain, _CANDIDATES) if term != plain]
    holding = [term for term in candidates if plain in term][:_MOST]
    alike = difflib.get_close_matches(plain, candidates, n=_MOST, cutoff=_ALIKE)
    return tuple(dict.fromkeys((*alike, *holding)))[:_MOST]

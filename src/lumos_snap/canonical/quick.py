"""Documents that surely say what they say in the one way there is: read without the validator."""

from collections.abc import Mapping
from typing import Any

import orjson

from lumos_snap.documents.limits import excess
from lumos_snap.shape import Value
from lumos_snap.shape.fitting import says_it_once


def proven(
    raw: bytes, cls: type[Value], like: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """The document in some bytes, equal to its canonical form; None where that is not sure.

    Its keys may stand in another order, which plays no part in comparing. `like` is a document of
    which this is known: what equals that is not looked at again.
    """
    if excess(raw):
        return None
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    if not says_it_once(document, cls, like):
        return None
    found: dict[str, Any] = document
    return found

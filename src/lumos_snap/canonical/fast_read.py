"""Fast path for documents that are surely valid: read without the validator."""

from collections.abc import Mapping
from typing import Any

import orjson

from lumos_snap.canonical.document_kinds import DocumentKind
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.rules import find_violations_in_order
from lumos_snap.documents.limits import excess
from lumos_snap.errors import LumosError
from lumos_snap.schema import Value
from lumos_snap.schema.fast_check import is_normal_form


def read_fast(
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
    if not is_normal_form(document, cls, like):
        return None
    found: dict[str, Any] = document
    return found


def read_valid(
    path: str,
    raw: bytes,
    kind: DocumentKind,
    environment: str | None,
    like: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """The document in the file at a path; None unless validation surely finds nothing wrong.

    `like` is a document that `proven` has read.
    """
    document = read_fast(raw, kind.cls, like)
    if document is None or not _is_canonical(path, raw, document, kind):
        return None
    is_of_tree = environment is None or document.get("environment") in (None, environment)
    return document if is_of_tree else None


def _is_canonical(path: str, raw: bytes, document: dict[str, Any], kind: DocumentKind) -> bool:
    """Whether the bytes are those that the document has, and it lies where it belongs.

    Bytes that are made anew from what was parsed hold no key twice, no mark and no other line end.
    """
    try:
        return (
            encode_document(document, kind.cls) == raw
            and not find_violations_in_order(document, kind.cls)
            and kind.path_of(document) == path
        )
    except (LumosError, RecursionError):  # the urn or the depth: validation says what is wrong
        return False


def is_doubtful(path: str, raw: bytes, document: Mapping[str, Any], kind: DocumentKind) -> bool:
    """Whether something may be wrong with a document that `proven` has read, but for its layout.

    Bytes that hold a key twice, a mark, other line ends or other escapes differ from what was
    parsed in more than blanks.
    """
    said = raw.translate(None, b" \n")
    try:
        return (
            said != orjson.dumps(document).translate(None, b" ")
            or bool(find_violations_in_order(document, kind.cls))
            or kind.path_of(document) != path
        )
    except LumosError:
        return True

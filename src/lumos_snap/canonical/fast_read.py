"""Fast path for documents already in canonical form: read without the validator."""

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
    """Read a document that equals its canonical form; None if that is uncertain.

    Its keys may be in another order, which is irrelevant for comparing. `like` is a document
    already known to be valid: equal parts are not checked again.
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
    """Read the file at a path; None unless it is certainly valid.

    `like` is a document that `read_fast` returned.
    """
    document = read_fast(raw, kind.cls, like)
    if document is None or not _is_canonical(path, raw, document, kind):
        return None
    is_of_tree = environment is None or document.get("environment") in (None, environment)
    return document if is_of_tree else None


def _is_canonical(path: str, raw: bytes, document: dict[str, Any], kind: DocumentKind) -> bool:
    """Whether the bytes are canonical, and the document is at its path.

    Bytes that equal the re-encoded document have no repeated keys, no byte-order mark and no other
    line ends.
    """
    try:
        return (
            encode_document(document, kind.cls) == raw
            and not find_violations_in_order(document, kind.cls)
            and kind.path_of(document) == path
        )
    except (LumosError, RecursionError):  # invalid urn or too deep: validation reports it
        return False


def is_doubtful(path: str, raw: bytes, document: Mapping[str, Any], kind: DocumentKind) -> bool:
    """Whether a document that `read_fast` returned may be invalid, apart from its layout.

    With repeated keys, a byte-order mark, other line ends or other escapes, the bytes differ from
    the parsed document in more than whitespace.
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

"""The digest of a snapshot: SHA-256 over its RFC 8785 bytes, without its versions."""

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.model.snapshot import Snapshot


def digest(document: Mapping[str, Any]) -> str:
    """The digest of a snapshot document, independent of layout and order."""
    content = canonical_document(document, Snapshot)
    content.pop("versioning", None)
    return hashlib.sha256(rfc8785(content)).hexdigest()


def rfc8785(value: object) -> bytes:
    """Encode JSON canonically according to RFC 8785, for values whose numbers are integers."""
    return orjson.dumps(_by_utf16(value))


def _by_utf16(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _by_utf16(value[name]) for name in sorted(value, key=_utf16)}
    if isinstance(value, list):
        return [_by_utf16(item) for item in value]
    return value


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be")

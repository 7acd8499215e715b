"""Urns: `lumos://platform/container/…/name`, the identity of a dataset.

A part may be any name that a store supports, including bytes that are not UTF-8 (as Python's
surrogate escapes). Special characters are percent-encoded in the written urn.
"""

import functools
import re
from dataclasses import dataclass

from lumos_snap.errors import LumosError
from lumos_snap.model.scalars import PLATFORM_PATTERN

SCHEME = "lumos://"
_PLATFORM = re.compile(PLATFORM_PATTERN)
_ESCAPED = re.compile(r"%([0-9A-F]{2})")
# Characters that end a part, start an escape, or are invisible; surrogates are single bytes.
_UNSAFE = re.compile("[\x00-\x1f\x7f%/?#\x80-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True, order=True)
class Urn:
    """The identity of a dataset: a platform and the names that lead to it."""

    platform: str
    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        if not _PLATFORM.fullmatch(self.platform):
            raise LumosError(
                f"{self.platform!r} is not a platform name",
                hint="use lower-case letters, digits, `_` and `-`, as in `s3` or `kafka`",
            )
        if not self.parts or not all(self.parts):
            raise LumosError(f"{SCHEME}{self.platform}/… needs names that are not empty")
        normal = tuple(map(_as_bytes_name, self.parts))
        object.__setattr__(self, "parts", normal)

    @property
    def name(self) -> str:
        """The last part: the dataset's own name."""
        return self.parts[-1]

    def __str__(self) -> str:
        return SCHEME + "/".join((self.platform, *map(escape, self.parts)))


@functools.lru_cache(maxsize=65536)
def parse_urn(text: str) -> Urn:
    """Parse a urn; raises `LumosError` if it is invalid or not in its normal form."""
    if not text.startswith(SCHEME):
        raise LumosError(
            f"{text!r} is not a urn", hint="a urn looks like lumos://s3/bucket/folder/name"
        )
    platform, *parts = text.removeprefix(SCHEME).split("/")
    urn = Urn(platform, tuple(map(unescape, parts)))
    if str(urn) != text:
        raise LumosError(f"{text!r} is not how its urn is written", hint=f"write {urn}")
    return urn


def escape(part: str) -> str:
    """Escape a part for a urn."""
    return _UNSAFE.sub(lambda match: percent(match.group()), part)


def percent(text: str) -> str:
    """Percent-encode every byte of a text."""
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))


def unescape(text: str) -> str:
    """Unescape a part of a urn."""
    if "%" not in text and text.isascii():
        return text
    raw = _ESCAPED.sub(lambda match: chr(0xDC00 + int(match.group(1), 16)), text)
    return b"".join(map(_byte_or_text, raw)).decode("utf-8", "surrogateescape")


def _byte_or_text(char: str) -> bytes:
    if "\udc00" <= char <= "\udcff":
        return bytes((ord(char) - 0xDC00,))
    return char.encode("utf-8", "surrogatepass")  # not a valid urn: it differs from its normal form


def _as_bytes_name(part: str) -> str:
    """Normalize a name: surrogate escapes that form valid UTF-8 are decoded."""
    if part.isascii():
        return part
    try:
        return part.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError as exc:
        raise LumosError(f"{part!r} cannot be the name of anything stored") from exc

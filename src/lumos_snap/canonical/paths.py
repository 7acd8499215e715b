r"""The path of a document, a function of its urn alone.

Injective, prefix-free and safe on every file system. Characters that a file system or git cannot
store are percent-encoded, and so are those with two Unicode spellings. A name that differs from its
case-folded form gets `~` and six digits of its SHA-256, so that case-insensitive file systems keep
such names apart. A folder never ends in `.json` and a document always does. A name over 200 bytes
is split into folders whose names end in `%`.
"""

import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterator

from lumos_snap.errors import LumosError
from lumos_snap.model.urn import Urn, percent, unescape

SUFFIX = ".json"
LONGEST = 200
_CONTINUES = "%"
# Most names are plain: they stay unchanged, and need none of the steps below.
_PLAIN = re.compile(r"[a-z0-9_](?:[a-z0-9_.+=@-]*[a-z0-9_])?")
_MARK = re.compile(r"~[0-9a-f]{6}$")
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_FORBIDDEN = frozenset('<>:"/\\|?*%~')
# Uses a Unicode version that never changes; characters that are newer are escaped.
_ETERNAL = unicodedata.ucd_3_2_0
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_ESCAPE = re.compile("%[0-9A-F]{2}")
_CHARACTER = re.compile(r"%[0-9A-F]{2}|.", re.DOTALL)


def path_of(urn: Urn) -> str:
    """The path of a dataset's documents, below `snapshots/` or `observations/`."""
    return join_path((urn.platform, *urn.parts))


def urn_of(path: str) -> Urn:
    """The urn of the documents at a path; raises `LumosError` for an invalid path."""
    names = names_at(path)
    if len(names) < 2:  # noqa: PLR2004 - a platform and a name
        raise _no_document_error(path)
    urn = Urn(names[0], names[1:])
    if path_of(urn) != path:
        raise _no_document_error(path)
    return urn


def join_path(names: tuple[str, ...]) -> str:
    """The path of a document that is identified by names."""
    *folders, leaf = names
    steps = [step for name in folders for step in _segments(name, is_folder=True)]
    *more, last = _segments(leaf, is_folder=False)
    return "/".join((*steps, *more, last + SUFFIX))


def names_at(path: str) -> tuple[str, ...]:
    """The names of a path: the inverse of `join_path`."""
    if not path.endswith(SUFFIX):
        raise _no_document_error(path)
    names, pending = [], ""
    for segment in path.removesuffix(SUFFIX).split("/"):
        text = segment.removesuffix(_CONTINUES)
        pending += _MARK.sub("", text)
        if text == segment:
            names.append(unescape(pending))
            pending = ""
    if not names or not all(names) or join_path(tuple(names)) != path:
        raise _no_document_error(path)
    return tuple(names)


def _no_document_error(path: str) -> LumosError:
    return LumosError(f"no document belongs at {path}")


@functools.lru_cache(maxsize=65536)
def _segments(name: str, *, is_folder: bool) -> tuple[str, ...]:
    """The path segments of one name: one, unless the name is too long."""
    if len(name) <= LONGEST and _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name):
        return (_without_suffix(name) if is_folder else name,)
    escaped = _escape_name(name)
    mark = "" if _is_folded(escaped) else "~" + _digest(name)
    *head, tail = map(_escape_reserved, _cut(escaped, LONGEST - len(mark)))
    last = _without_suffix(tail) if is_folder else tail
    return (*(piece + mark + _CONTINUES for piece in head), last + mark)


def _escape_name(name: str) -> str:
    """The name as stored in a path, in a spelling that git on macOS does not change."""
    escaped = "".join(percent(char) if _is_unsafe(char) else char for char in name)
    # A dot may become %2E below: nothing after it may combine with the E.
    if unicodedata.is_normalized("NFC", escaped.replace(".", "E")):
        return escaped
    return "".join(char if char.isascii() else percent(char) for char in escaped)


def _is_folded(escaped: str) -> bool:
    """Whether a name equals the case-folded form that case-insensitive file systems compare."""
    kept = _ESCAPE.sub("%", escaped)
    # Upper case first: some systems compare in upper case, where a dotless i is an I.
    return kept == unicodedata.normalize("NFC", kept.upper().casefold())


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:6]


def _escape_reserved(piece: str) -> str:
    """Escape a piece that a file system would hide, reserve or trim."""
    if piece.startswith(".") or _RESERVED.fullmatch(piece):
        piece = percent(piece[0]) + piece[1:]
    if piece.endswith((".", " ")):
        piece = piece[:-1] + percent(piece[-1])
    return piece


def _without_suffix(piece: str) -> str:
    """Escape a folder name that looks like a document."""
    if piece.casefold().endswith(SUFFIX):
        return piece[: -len(SUFFIX)] + percent(".") + piece[-len(SUFFIX) + 1 :]
    return piece


def _is_unsafe(char: str) -> bool:
    return char in _FORBIDDEN or _ETERNAL.category(char) in _INVISIBLE


def _cut(text: str, most: int) -> Iterator[str]:
    """Pieces of at most `most` bytes, without splitting a character or an escape."""
    piece, size = "", 0
    for character in _CHARACTER.findall(text):
        weight = len(character.encode())
        if size + weight > most:
            yield piece
            piece, size = "", 0
        piece += character
        size += weight
    yield piece

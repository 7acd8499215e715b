r"""Where a document lies: urn ↔ path, a function of the urn alone.

Injective, prefix-free and safe on every file system: what a file system or git cannot hold is
percent-encoded, and so is what Unicode spells in two ways; a name that differs from its own
case-folded form carries `~` and six digits of its SHA-256, so that file systems which ignore case
keep such names apart; a folder never ends in `.json` and a document always does; a name over 200
bytes is cut into folders whose names end in `%`.
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
# What most names are: all of it stands as it is, and nothing below would change it.
_PLAIN = re.compile(r"[a-z0-9_](?:[a-z0-9_.+=@-]*[a-z0-9_])?")
_MARK = re.compile(r"~[0-9a-f]{6}$")
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(\..*)?",
    re.IGNORECASE | re.DOTALL,
)
_FORBIDDEN = frozenset('<>:"/\\|?*%~')
# Names are judged by the Unicode version that never changes again; later characters are escaped.
_ETERNAL = unicodedata.ucd_3_2_0
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
_ESCAPE = re.compile("%[0-9A-F]{2}")
_CHARACTER = re.compile(r"%[0-9A-F]{2}|.", re.DOTALL)


def path_of(urn: Urn) -> str:
    """The path of a dataset's documents, below `snapshots/` or `observations/`."""
    return join_path((urn.platform, *urn.parts))


def urn_of(path: str) -> Urn:
    """The urn whose documents lie at a path; raises `LumosError` where none would."""
    names = names_at(path)
    if len(names) < 2:  # noqa: PLR2004 - a platform and a name
        raise _no_document_error(path)
    urn = Urn(names[0], names[1:])
    if path_of(urn) != path:
        raise _no_document_error(path)
    return urn


def join_path(names: tuple[str, ...]) -> str:
    """The path of a document that is known by names."""
    *folders, leaf = names
    steps = [step for name in folders for step in _segments(name, is_folder=True)]
    *more, last = _segments(leaf, is_folder=False)
    return "/".join((*steps, *more, last + SUFFIX))


def names_at(path: str) -> tuple[str, ...]:
    """The names that lead to a path: the inverse of `place`."""
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
    """The path segments of one name: one, unless it is too long."""
    if len(name) <= LONGEST and _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name):
        return (_without_suffix(name) if is_folder else name,)
    escaped = _escape_name(name)
    mark = "" if _is_folded(escaped) else "~" + _digest(name)
    *head, tail = map(_escape_reserved, _cut(escaped, LONGEST - len(mark)))
    last = _without_suffix(tail) if is_folder else tail
    return (*(piece + mark + _CONTINUES for piece in head), last + mark)


def _escape_name(name: str) -> str:
    """The name as a path can hold it, in a spelling that git on macOS does not change."""
    escaped = "".join(percent(char) if _is_unsafe(char) else char for char in name)
    # A dot may become %2E below: nothing after it may combine with the E.
    if unicodedata.is_normalized("NFC", escaped.replace(".", "E")):
        return escaped
    return "".join(char if char.isascii() else percent(char) for char in escaped)


def _is_folded(escaped: str) -> bool:
    """Whether a name is the one that file systems take for all that differ in case only."""
    kept = _ESCAPE.sub("%", escaped)
    # Upper case first: some systems compare in upper case, where a dotless i is an I.
    return kept == unicodedata.normalize("NFC", kept.upper().casefold())


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:6]


def _escape_reserved(piece: str) -> str:
    """A piece that no system hides, reserves or trims."""
    if piece.startswith(".") or _RESERVED.fullmatch(piece):
        piece = percent(piece[0]) + piece[1:]
    if piece.endswith((".", " ")):
        piece = piece[:-1] + percent(piece[-1])
    return piece


def _without_suffix(piece: str) -> str:
    """A folder's name that cannot be taken for a document's."""
    if piece.casefold().endswith(SUFFIX):
        return piece[: -len(SUFFIX)] + percent(".") + piece[-len(SUFFIX) + 1 :]
    return piece


def _is_unsafe(char: str) -> bool:
    return char in _FORBIDDEN or _ETERNAL.category(char) in _INVISIBLE


def _cut(text: str, most: int) -> Iterator[str]:
    """Pieces of at most `most` bytes, never cutting a character or an escape."""
    piece, size = "", 0
    for character in _CHARACTER.findall(text):
        weight = len(character.encode())
        if size + weight > most:
            yield piece
            piece, size = "", 0
        piece += character
        size += weight
    yield piece

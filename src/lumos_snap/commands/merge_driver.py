"""`lumos snap merge-driver`: the program that git calls where both sides changed a document.

Nothing is lost in any case: git keeps both sides, and reports a conflict unless this succeeds.
"""

from dataclasses import dataclass
from pathlib import Path

import orjson

from lumos_snap.canonical.document_kinds import FOLDERS, KINDS, DocumentKind, kind_at
from lumos_snap.canonical.read import ReadResult, read
from lumos_snap.canonical.rules import CONFLICTS, UNRESOLVED_CONFLICT
from lumos_snap.documents import DocumentRefusedError, json_text
from lumos_snap.errors import OutsideError
from lumos_snap.git import merge_texts
from lumos_snap.merging import Conflict, MergeResult, encode_conflicts, merge
from lumos_snap.schema import Document, Value
from lumos_snap.tree.atomic import replace_file


@dataclass(frozen=True, slots=True)
class MergeDriverResult:
    """Result of a merge: clean, in conflict, or not merged here (the remark explains why)."""

    conflicts: tuple[Conflict, ...] = ()
    remark: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether no review is needed."""
        return not self.conflicts and not self.remark


@dataclass(frozen=True, slots=True)
class _Readable:
    cls: type[Value]
    base: Document | None
    ours: Document
    theirs: Document
    open_places: tuple[str, ...] = ()
    """Paths in conflict in a base that git itself merged after a criss-cross merge."""


@dataclass(frozen=True, slots=True)
class _Unreadable:
    reason: str


def merge_files(
    base: Path, ours: Path, theirs: Path, *, path: str | None, marker_size: int
) -> MergeDriverResult:
    """Merge three files and write the result to `ours`; `path` determines the kind of document."""
    raws = {"base": _content(base), "ours": _content(ours), "theirs": _content(theirs)}
    found = _read_sides(raws, path)
    if isinstance(found, _Unreadable):
        text = merge_texts(base, ours, theirs, marker_size=marker_size)
        if text is None:
            return MergeDriverResult(
                remark=f"kept ours, because {found.reason}, and it is no text either"
            )
        replace_file(ours, text)
        return MergeDriverResult(remark=f"merged as plain text, because {found.reason}")
    merged = _merge_documents(found)
    replace_file(ours, encode_conflicts(merged, found.cls))
    return MergeDriverResult(merged.conflicts)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise OutsideError(f"{path}: cannot be read: {exc.strerror}") from exc


def _read_sides(raws: dict[str, bytes], path: str | None) -> _Readable | _Unreadable:
    """Read the three sides as documents of the first kind that fits, or explain why none does."""
    first: _Unreadable | None = None
    for kind in _kinds(path):
        found = _of_kind(raws, kind)
        if isinstance(found, _Readable):
            return found
        first = first or found
    return first or _Unreadable("nothing is known of such a document")


def _kinds(path: str | None) -> tuple[DocumentKind, ...]:
    """Possible kinds of a document by its path in the repository: a tree may be in any folder."""
    steps = (path or "").split("/")
    inner = ("/".join(steps[n:]) for n, step in enumerate(steps) if step in FOLDERS)
    named = [kind for one in inner if (kind := kind_at(one)) is not None]
    return tuple(dict.fromkeys(named)) or KINDS


def _of_kind(raws: dict[str, bytes], kind: DocumentKind) -> _Readable | _Unreadable:
    found: dict[str, Document | None] = {}
    for side, raw in raws.items():
        if side == "base" and not raw:  # the file is new on both sides
            found[side] = None
            continue
        reading = _read_side(raw, kind, is_base=side == "base")
        if reading.document is None or reading.problems:
            return _Unreadable(f"{side} {reading.problems[0].message}")
        found[side] = reading.document
    ours, theirs = found["ours"], found["theirs"]
    assert ours is not None  # noqa: S101 - only a base may be missing
    assert theirs is not None  # noqa: S101
    return _Readable(kind.cls, found["base"], ours, theirs, _open_places(raws["base"]))


def _read_side(raw: bytes, kind: DocumentKind, *, is_base: bool) -> ReadResult[Value]:
    """Read a document; after a criss-cross merge, git's base is a merge that may have conflicts."""
    reading = read(raw, kind.cls)
    if is_base and any(one.rule == UNRESOLVED_CONFLICT for one in reading.problems):
        return read(_without_conflicts(raw), kind.cls)
    return reading


def _open_places(raw: bytes) -> tuple[str, ...]:
    """Paths that are still in conflict in the base, and have no value there."""
    try:
        document = json_text.parse(raw) if raw else {}
    except DocumentRefusedError:
        return ()
    listed = document.get(CONFLICTS, ()) if isinstance(document, dict) else ()
    return tuple(str(one.get("at", "")) for one in listed if isinstance(one, dict))


def _merge_documents(found: _Readable) -> MergeResult:
    """Merge; where the base is in conflict and the sides differ, report a conflict."""
    merged = merge(found.base, found.ours, found.theirs, found.cls)
    if not found.open_places:
        return merged
    told = {one.at for one in merged.conflicts}
    afresh = merge(None, found.ours, found.theirs, found.cls).conflicts
    still = tuple(one for one in afresh if one.at not in told and _is_open(one.at, found))
    return MergeResult(merged.document, (*merged.conflicts, *still))


def _is_open(at: str, found: _Readable) -> bool:
    return any(at.startswith(place) or place.startswith(at) for place in found.open_places)


def _without_conflicts(raw: bytes) -> bytes:
    """The document without its list of conflicts."""
    document = json_text.parse(raw)
    del document[CONFLICTS]
    try:
        return orjson.dumps(document)
    except orjson.JSONEncodeError:  # nested too deeply for any valid document
        return raw

"""Bringing an index up to date with a tree: only what is not as it was is read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.documents import Problem
from lumos_snap.flows.judging import finding, unfit
from lumos_snap.flows.listing import structure
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.base import Finding
from lumos_snap.search.entry import entry, owners
from lumos_snap.search.index import File, Index
from lumos_snap.search.stamps import TOP, Listed, Seen, Stamper, gone_or_changed, listed
from lumos_snap.shape import Document
from lumos_snap.shape.fitting import fits
from lumos_snap.tree.folder import FolderFiles
from lumos_snap.tree.forms import Found, Remark

Progress = Callable[[int, int], None]

_FEW = 200
"""Documents that are proven sound sooner than the validator is loaded."""


@dataclass(slots=True)
class Change:
    """What an index does not know yet."""

    gone: list[str] = field(default_factory=list)
    """Folders."""
    stamps: dict[str, str] = field(default_factory=dict)
    """Of folders that were listed."""
    dropped: list[str] = field(default_factory=list)
    """Files that are gone, or are to be read again."""
    files: dict[str, tuple[str, Seen]] = field(default_factory=dict)
    """Files to be read, by path, each with the folder in whose listing it stands."""

    def __bool__(self) -> bool:
        return bool(self.gone or self.stamps or self.dropped or self.files)


def follow(
    index: Index, files: FolderFiles, stamp: Stamper, *, whole: bool, progress: Progress
) -> bool:
    """Make an index say what a tree says; returns whether anything had changed.

    Without `whole`, a file counts as it was if no name in its folder has changed.
    """
    change = changed(index, files, stamp, whole=whole)
    if change:
        with index.changing():
            _apply(index, files, change, progress)
    return bool(change)


def changed(index: Index, files: FolderFiles, stamp: Stamper, *, whole: bool) -> Change:
    """What is not as an index knows it."""
    known = index.folders()
    gone, stale = gone_or_changed(files, known, stamp)
    change = Change(gone=gone)
    there = known.keys() - set(gone)
    met: set[str] = set()
    for start in (TOP, *(sorted(there) if whole else stale)):
        for path, found in listed(files, start, stamp, known=there):
            if path not in met:
                met.add(path)
                _compare(change, index, path, found, known.get(path))
                _lose(change, path, found, there)
    return change


def _compare(change: Change, index: Index, path: str, found: Listed, before: str | None) -> None:
    if path != TOP and before != found.stamp:
        change.stamps[path] = found.stamp
    known = index.stamps(path)
    for file, seen in found.files.items():
        if not seen.stamp or known.get(file) != seen.stamp:
            change.files[file] = (path, seen)
    change.dropped += [file for file in known if file not in found.files or file in change.files]


def _lose(change: Change, path: str, found: Listed, there: set[str]) -> None:
    """Folders that are still there by their names, but lie behind what is no folder now."""
    kept = set(found.folders)
    below = f"{path}/" if path else ""
    children = {one for one in there if one.startswith(below) and "/" not in one[len(below) :]}
    for lost in children - kept:
        change.gone += [one for one in there if one == lost or one.startswith(f"{lost}/")]


def _apply(index: Index, files: FolderFiles, change: Change, progress: Progress) -> None:
    for folder in change.gone:
        index.drop_folder(folder)
    index.drop(change.dropped)
    for folder, stamp in change.stamps.items():
        index.set_folder(folder, stamp)
    for path, (folder, seen) in change.files.items():
        if seen.stray or seen.unreadable:
            index.put_finding(File(folder, path, seen.stamp), _plain(_hindrance(path, seen)))
    documents = [path for path, (_, seen) in change.files.items() if _is_document(seen)]
    for done, (path, content) in enumerate(files.read_all(documents), 1):
        folder, seen = change.files[path]
        file = File(folder, path, seen.stamp)
        document, problem = _read(content, is_one_of_few=len(documents) <= _FEW)
        if problem:
            index.put_finding(file, _plain(finding(path, problem)))
        elif document is not None:
            index.put(file, orjson.dumps(_card(document)), entry(document))
        progress(done, len(documents))


def _is_document(seen: Seen) -> bool:
    return not (seen.stray or seen.unreadable)


def _read(
    content: bytes | OSError, *, is_one_of_few: bool
) -> tuple[Document | None, Problem | None]:
    if is_one_of_few and isinstance(content, bytes):
        try:
            quick = orjson.loads(content)
        except orjson.JSONDecodeError:
            quick = None
        if fits(quick, Snapshot) and quick["lumos_version"] == FORMAT_VERSION:
            return quick, None
    document, problems = structure(content)
    return document, next(iter(problems), None)


def _hindrance(path: str, seen: Seen) -> Finding:
    if seen.stray:
        (found,) = unfit(Found(strays=(Remark(path, seen.stray),)))
    else:
        (found,) = unfit(Found(unreadable=(Remark(path, seen.unreadable),)))
    return found


def _plain(found: Finding) -> bytes:
    """A finding without its path, which may hold what JSON cannot."""
    said = (found.line, found.column, found.rule, found.message, found.hint)
    return orjson.dumps([_utf8(one) if isinstance(one, str) else one for one in said])


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def findings(index: Index) -> Iterator[Finding]:
    """What was left out, by path."""
    for path, plain in index.findings():
        line, column, rule, message, hint = orjson.loads(plain)
        yield Finding(path=path, line=line, column=column, rule=rule, message=message, hint=hint)


def _card(document: Document) -> dict[str, Any]:
    """What is shown of a dataset that is found."""
    schema, governance = document.get("schema", {}), document.get("governance", {})
    return {
        "urn": document["urn"],
        "name": document["name"],
        "platform": document["platform"],
        "kind": document.get("kind"),
        "format": document.get("storage", {}).get("format"),
        "columns": len(schema.get("fields", ())),
        "owners": owners(document),
        "tags": governance.get("tags", ()),
        "terms": governance.get("terms", ()),
        "domain": governance.get("domain"),
        "description": document.get("documentation", {}).get(
            "description", schema.get("description")
        ),
    }

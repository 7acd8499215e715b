"""`lumos snap import`: a document of any known shape becomes files of a tree."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumos_snap.canonical import migrations
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.kinds import KINDS, OBSERVATION, SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.reading import read
from lumos_snap.documents import Place, Pointer, Problem, RefusedError, jsontext, yamltext
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.flows.exporting import tree_documents
from lumos_snap.flows.judging import finding
from lumos_snap.flows.validating import validate_export
from lumos_snap.report.reports import Finding, Imported, Note
from lumos_snap.report.text import shown
from lumos_snap.tree import Tree

EXISTS = "exists"
EXPORT = "lumos-export"
_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Content:
    """What a document holds for a tree."""

    shape: str
    files: Mapping[str, bytes]
    notes: tuple[Note, ...] = ()
    findings: tuple[Finding, ...] = ()


def import_file(tree: Tree, file: Path, *, overwrite: bool, dry_run: bool) -> Imported:
    """Write what a document holds; what is there and differs stays, unless told otherwise."""
    content = content_of(file)
    there = {path: tree.files.read(path) for path in content.files}
    new = {p: c for p, c in content.files.items() if there[p] is None or overwrite}
    changed = {path: c for path, c in new.items() if there[path] != c}
    unchanged = sum(there[path] == c for path, c in content.files.items())
    kept = [p for p, c in content.files.items() if p not in new and there[p] != c]
    if changed and not dry_run:
        tree.write_bytes(changed)
    counts = _counts(content.files)
    return Imported(
        file=shown(str(file)),
        shape=content.shape,
        datasets=counts.pop(SNAPSHOT.name),
        observations=counts.pop(OBSERVATION.name),
        entities=sum(counts.values()),
        written=tuple(map(shown, changed)),
        unchanged=unchanged,
        dry_run=dry_run,
        notes=content.notes,
        findings=(*content.findings, *map(_exists, kept)),
    )


def _counts(paths: Mapping[str, bytes]) -> dict[str, int]:
    counts = {kind.name: 0 for kind in KINDS}
    for path in paths:
        kind = kind_at(path)
        counts[kind.name if kind else SNAPSHOT.name] += 1
    return counts


def _exists(path: str) -> Finding:
    message = "is there already and differs: kept as it is"
    return finding(path, Problem(Place(), EXISTS, message, "use --overwrite to replace it"))


def content_of(file: Path) -> Content:
    """The files that a document of any known shape stands for."""
    raw = _bytes(file)
    try:
        document, places = _parsed(file, raw)
    except RefusedError as exc:
        where = f"{file}:{exc.problem.place.line}:{exc.problem.place.column}"
        raise LumosError(f"{where}: {exc.problem.message}", hint=exc.problem.hint) from exc
    if isinstance(document, dict) and document.get("document") == EXPORT:
        return _exported(file, raw)
    shape = migrations.shape_of(document)
    if shape is None:
        raise LumosError(
            f"{file}: is in no shape that can be imported",
            hint="an export of `lumos snap export`, or one of the older shapes in docs/formats.md",
        )
    return _upgraded(file, shape, document, places)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as exc:
        raise OutsideError(f"{file}: cannot be read: {exc.strerror}") from exc


@dataclass(frozen=True, slots=True)
class _JsonPlaces:
    raw: bytes

    def place(self, pointer: Pointer) -> Place:
        """Where a value stands."""
        return jsontext.locate(self.raw, [pointer])[pointer]


def _parsed(file: Path, raw: bytes) -> tuple[Any, "_JsonPlaces | yamltext.YamlDocument"]:
    """The document; numbers that are not integers keep the text they were written with."""
    if file.suffix.lower() in _YAML:
        found = yamltext.parse(raw)
        return found.value, found
    jsontext.parse(raw)
    try:
        return json.loads(jsontext.without_mark(raw), parse_float=str), _JsonPlaces(raw)
    except RecursionError as exc:
        problem = Problem(Place(), jsontext.UNREADABLE, "is nested too deep")
        raise RefusedError(problem) from exc


def _exported(file: Path, raw: bytes) -> Content:
    validation = validate_export(file)
    if validation.findings:
        first = validation.findings[0]
        more = len(validation.findings) - 1
        raise LumosError(
            f"{first.path}:{first.line}:{first.column}: {first.message}",
            hint=f"`lumos snap validate {file}` shows {more} more" if more else first.hint,
        )
    return Content(EXPORT, dict(tree_documents(jsontext.parse(raw))))


def _upgraded(
    file: Path,
    shape: migrations.Shape,
    document: Any,
    places: "_JsonPlaces | yamltext.YamlDocument",
) -> Content:
    upgraded = shape.upgrade(document)
    files: dict[str, bytes] = {}
    findings = [
        finding(str(file), Problem(places.place(p.pointer), "structure", p.message))
        for p in upgraded.problems
    ]
    for kind, one in _documents(upgraded):
        content = encode_document(one, kind.cls)
        problems = read(content, kind.cls).problems
        findings += [finding(str(file), _of(one[kind.identity], problem)) for problem in problems]
        if not problems:
            files[kind.path_of(one)] = content
    notes = (
        Note(
            subject=shown(note.urn) or "document",
            source=shown(note.source),
            target=shown(note.target),
            message=shown(note.message),
        )
        for note in upgraded.notes
    )
    return Content(shape.name, files, tuple(notes), tuple(findings))


def _of(identity: str, problem: Problem) -> Problem:
    return Problem(Place(), problem.rule, f"{identity}: {problem.message}", problem.hint)


def _documents(upgraded: migrations.Upgraded) -> Iterator[tuple[DocumentKind, dict[str, Any]]]:
    for snapshot in upgraded.snapshots:
        yield SNAPSHOT, snapshot
    for observation in upgraded.observations:
        yield OBSERVATION, observation
    for folder, entities in upgraded.entities.items():
        kind = next(kind for kind in KINDS if kind.folder == f"entities/{folder}")
        for entity in entities:
            yield kind, entity

"""Conversion of external documents (exports, older formats) to files of a tree."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lumos_snap.canonical import migrations
from lumos_snap.canonical.document_kinds import KINDS, OBSERVATION, SNAPSHOT, DocumentKind
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.export_format import EXPORT
from lumos_snap.canonical.read import read
from lumos_snap.canonical.rules import OLDER_FORMAT, STRUCTURE
from lumos_snap.catalogs.export_file import changes_beside
from lumos_snap.commands.export import tree_documents
from lumos_snap.documents import (
    DocumentRefusedError,
    Pointer,
    Position,
    Problem,
    json_text,
    yaml_text,
)
from lumos_snap.documents.limits import TRANSFER, TooLarge, read_stream
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.model.export import Export
from lumos_snap.report.command_reports import FileFinding, Note, ValidateReport
from lumos_snap.schema import Document
from lumos_snap.tree.file_check import build_finding, check_file

_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class IncomingDocument:
    """A document outside a tree: its name and its bytes."""

    name: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class ImportContent:
    """The files that a document contains for a tree, and its problems."""

    shape: str
    files: Mapping[str, bytes]
    notes: tuple[Note, ...] = ()
    findings: tuple[FileFinding, ...] = ()


def read_incoming(path: Path) -> IncomingDocument:
    """Read the document in a file."""
    if path.is_block_device() or path.is_char_device():
        raise LumosError(f"{path}: is a device", hint="name a file, or `-` for standard input")
    require_settled(path)
    try:
        with path.open("rb") as file:
            return IncomingDocument(str(path), read_stream(file, TRANSFER))
    except FileNotFoundError as exc:
        raise LumosError(f"{path}: there is no such file") from exc
    except OSError as exc:
        raise OutsideError(f"{path}: cannot be read: {exc.strerror}") from exc


def require_settled(path: Path) -> None:
    """Refuse a document whose sync is unfinished: its changes are still in a file beside it."""
    if changes_beside(path).exists():
        raise OutsideError(
            f"{path}: a sync with it was cut off, and {changes_beside(path).name} is not in it yet",
            hint="`lumos snap sync --resume` finishes it",
        )


def validate_all(documents: Sequence[IncomingDocument]) -> ValidateReport:
    """Validate several documents."""
    reports = [validate_incoming(document) for document in documents]
    return ValidateReport(
        source=", ".join(document.name for document in documents),
        checked=sum(report.checked for report in reports),
        findings=tuple(finding for report in reports for finding in report.findings),
    )


def validate_incoming(document: IncomingDocument) -> ValidateReport:
    """Validate an export: its structure, and the validation rules of all its documents."""
    parsed, found, _ = _parse_document(document)
    findings = [build_finding(document.name, problem) for problem in found]
    datasets = 0
    if _is_export(parsed):
        reading = read(document.raw, Export, TRANSFER)
        findings += [build_finding(document.name, problem) for problem in reading.problems]
        datasets = len((reading.document or {}).get("datasets", ()))
    elif migrations.shape_of(parsed) is not None:
        hint = "`lumos snap import` brings it into a tree"
        problem = Problem(Position(), OLDER_FORMAT, "is in an older shape", hint)
        findings.append(build_finding(document.name, problem))
    elif not found:
        raise _unknown_shape_error(document)
    return ValidateReport(source=document.name, checked=datasets, findings=tuple(findings))


def content_of(document: IncomingDocument, environment: str | None = None) -> ImportContent:
    """Convert a document of any known format to files of a tree."""
    parsed, found, places = _parse_document(document)
    if found:
        findings = tuple(build_finding(document.name, problem) for problem in found)
        return ImportContent("unreadable", {}, findings=findings)
    if _is_export(parsed):
        findings = validate_incoming(document).findings
        if findings:
            return ImportContent(EXPORT, {}, findings=findings)
        return _drop_refused(
            document, ImportContent(EXPORT, dict(tree_documents(parsed))), environment
        )
    shape = migrations.shape_of(parsed)
    if shape is None:
        raise _unknown_shape_error(document)
    upgraded = _build_content(document, shape.name, shape.upgrade(parsed), places)
    return _drop_refused(document, upgraded, environment)


def _drop_refused(
    document: IncomingDocument, content: ImportContent, environment: str | None
) -> ImportContent:
    """Drop the files that a tree of this environment would reject; findings explain why."""
    found = {
        path: check_file(path, file, environment).findings for path, file in content.files.items()
    }
    files = {path: file for path, file in content.files.items() if not found[path]}
    refused = (_about(document, one) for findings in found.values() for one in findings)
    return replace(content, files=files, findings=(*content.findings, *refused))


def _about(document: IncomingDocument, found: FileFinding) -> FileFinding:
    """Convert a finding about a converted file to one about the document that it comes from."""
    problem = Problem(Position(), found.rule, f"{found.path}: {found.message}", found.hint)
    return build_finding(document.name, problem)


def _is_export(parsed: Any) -> bool:
    return isinstance(parsed, dict) and parsed.get("document") == EXPORT


def _unknown_shape_error(document: IncomingDocument) -> LumosError:
    return LumosError(
        f"{document.name}: is in no shape that is known",
        hint="give an export of `lumos snap export`, or a document in one of the older shapes",
    )


@dataclass(frozen=True, slots=True)
class _JsonPlaces:
    raw: bytes

    def place(self, pointer: Pointer) -> Position:
        """Line and column of a value."""
        return json_text.locate(self.raw, [pointer])[pointer]


_Places = _JsonPlaces | yaml_text.YamlDocument


def _parse_document(document: IncomingDocument) -> tuple[Any, tuple[Problem, ...], _Places]:
    """Parse a document; numbers that are not integers keep their original text."""
    places: _Places = _JsonPlaces(document.raw)
    try:
        if _is_yaml(document):
            places = yaml_text.parse(document.raw)
            return places.value, (), places
        value = json_text.parse(document.raw, TRANSFER)
        if _is_export(value):
            return value, (), places
        text = json_text.without_mark(document.raw)
        return json.loads(text, parse_float=str), json_text.find_repeated_keys(document.raw), places
    except DocumentRefusedError as exc:
        return None, (exc.problem,), places
    except RecursionError:
        problem = Problem(json_text.deepest(document.raw), STRUCTURE, "is nested too deep")
        return None, (problem,), places


def _is_yaml(document: IncomingDocument) -> bool:
    """Whether a document is YAML: by its suffix, otherwise by the lack of an opening bracket."""
    if isinstance(document.raw, TooLarge):
        return False  # too large for both formats; JSON has the higher limit
    if document.name.lower().endswith((*_YAML, ".json")):
        return document.name.lower().endswith(_YAML)
    return json_text.without_mark(document.raw).lstrip()[:1] not in (b"{", b"[", b"")


def _build_content(
    document: IncomingDocument, shape: str, upgraded: migrations.MigrationResult, places: _Places
) -> ImportContent:
    files = {
        kind.path_of(one): encode_document(one, kind.cls) for kind, one in _documents(upgraded)
    }
    findings = tuple(
        build_finding(document.name, Problem(places.place(p.pointer), STRUCTURE, p.message))
        for p in upgraded.problems
    )
    notes = tuple(
        Note(
            subject=note.urn or "document",
            source=note.source,
            target=note.target,
            message=note.message,
        )
        for note in upgraded.notes
    )
    return ImportContent(shape, files, notes, findings)


def _documents(upgraded: migrations.MigrationResult) -> Iterator[tuple[DocumentKind, Document]]:
    for snapshot in upgraded.snapshots:
        yield SNAPSHOT, snapshot
    for observation in upgraded.observations:
        yield OBSERVATION, observation
    for folder, entities in upgraded.entities.items():
        kind = next(kind for kind in KINDS if kind.folder == f"entities/{folder}")
        for entity in entities:
            yield kind, entity

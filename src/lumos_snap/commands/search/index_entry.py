"""The index entry of one file: the text of a snapshot, or the reason that it is left out."""

from typing import Any

import orjson

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.commands.ls import read_structure
from lumos_snap.documents import Problem
from lumos_snap.documents.limits import loads
from lumos_snap.json_object import JsonObject
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.report.envelope import FileFinding
from lumos_snap.schema import Document
from lumos_snap.schema.fast_check import fits
from lumos_snap.search.document import build_entry, owners
from lumos_snap.search.fingerprints import (
    FileState,
)
from lumos_snap.search.index import IndexedFile, SearchIndex
from lumos_snap.tree.file_check import build_finding, unfit_findings
from lumos_snap.tree.files import PathRemark, TreePaths

FEW = 200
"""So many documents are proven sound sooner than the validator is loaded."""


def put_document(
    index: SearchIndex, file: IndexedFile, content: bytes | OSError, *, is_one_of_few: bool
) -> None:
    """Index a snapshot, or its problem."""
    document, problem = _read_document(content, is_one_of_few=is_one_of_few)
    if document is not None:
        index.put(file, orjson.dumps(_card(document)), build_entry(document))
    elif problem is not None:
        index.put_finding(file, _plain(build_finding(file.path, problem)))


def put_problem(index: SearchIndex, file: IndexedFile, seen: FileState) -> None:
    """Index the problem of a file that is not a document."""
    remarks = (PathRemark(file.path, seen.stray or seen.unreadable),)
    found = TreePaths(strays=remarks) if seen.stray else TreePaths(unreadable=remarks)
    for one in unfit_findings(found):
        index.put_finding(file, _plain(one))


def _read_document(
    content: bytes | OSError, *, is_one_of_few: bool
) -> tuple[Document | None, Problem | None]:
    if is_one_of_few and isinstance(content, bytes):
        quick = _parse_json(content)
        if fits(quick, Snapshot) and quick["lumos_version"] == FORMAT_VERSION:
            return quick, None
    document, problems = read_structure(content)
    return document, next(iter(problems), None)


def _parse_json(content: bytes) -> Any:
    try:
        return loads(content)
    except orjson.JSONDecodeError:
        return None


def _plain(found: FileFinding) -> bytes:
    """Serialize a finding without its path, which JSON may be unable to encode."""
    said = (found.line, found.column, found.rule, found.message, found.hint)
    return orjson.dumps([_utf8(one) if isinstance(one, str) else one for one in said])


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _card(document: Document) -> JsonObject:
    """The fields of a dataset that a hit shows."""
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

"""Documents of which a catalog cannot hold all, as a tree had them: kept beside its base."""

from collections.abc import Container

from lumos_snap.canonical.document_kinds import kind_at
from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs import sharded_json
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.sync_state import Base, Contents, Files, path_of
from lumos_snap.git import blobs
from lumos_snap.schema import Document

_FOLDER = "whole/"


def oids(base: Base) -> dict[str, str]:
    """What git calls each document that is kept, by its path in a tree."""
    return {
        path.removeprefix(_FOLDER): one.oid
        for path, one in base.files.items()
        if path.startswith(_FOLDER)
    }


def kept(base: Base, but: Container[str] = ()) -> dict[Identity, Document]:
    """What is kept, but for some paths; what is damaged is forgotten."""
    found = {}
    paths = {path: oid for path, oid in oids(base).items() if path not in but}
    for path, (_, raw) in zip(paths, blobs(base.repository, paths.values()), strict=True):
        kind, document = kind_at(path), sharded_json.parsed(raw) or {}
        if kind is not None and kind.identity in document:
            found[Identity(kind.name, str(document[kind.identity]))] = document
    return found


def files(documents: Contents) -> Files:
    """The files that keep documents; None of one that is no longer to be kept."""
    return tuple(
        (
            _FOLDER + path_of(one),
            None if document is None else encode_document(document, one.cls),
        )
        for one, document in sorted(documents.items(), key=lambda item: item[0])
    )

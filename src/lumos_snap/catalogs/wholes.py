"""Documents of which a catalog cannot hold all, as a tree had them: kept beside its base."""

from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.kinds import kind_at
from lumos_snap.catalogs import shards
from lumos_snap.catalogs.base import Base, Contents, Files, path_of
from lumos_snap.catalogs.seam import Identity
from lumos_snap.git import blobs
from lumos_snap.shape import Document

_FOLDER = "whole/"


def kept(base: Base) -> dict[Identity, Document]:
    """What is kept; what is damaged is forgotten."""
    found = {}
    paths = {path: one.oid for path, one in base.files.items() if path.startswith(_FOLDER)}
    for path, (_, raw) in zip(paths, blobs(base.repository, paths.values()), strict=True):
        kind, document = kind_at(path.removeprefix(_FOLDER)), shards.parsed(raw) or {}
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

"""The kinds of documents in a tree: their folders and classes."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from lumos_snap.canonical.paths import join_path, path_of
from lumos_snap.json_object import JsonObject
from lumos_snap.model.urn import parse_urn
from lumos_snap.schema import Value


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """One kind of document."""

    name: str
    folder: str
    holder: str  # the module and name of its class, which is imported on demand
    identity: str  # the key that identifies a document
    where: Callable[[str], str]  # maps the identity to the path below the folder

    @property
    def cls(self) -> type[Value]:
        """The class that describes it."""
        return _class(self.holder)

    def path(self, identity: str) -> str:
        """The path of the document with this identity in a tree."""
        return f"{self.folder}/{self.where(identity)}"

    def path_of(self, document: JsonObject) -> str:
        """The path of a document in a tree."""
        return self.path(document[self.identity])


@functools.cache
def _class(holder: str) -> type[Value]:
    module, _, name = holder.partition(":")
    found: type[Value] = getattr(import_module(f"lumos_snap.model.{module}"), name)
    return found


def _by_urn(urn: str) -> str:
    return path_of(parse_urn(urn))


def _by_id(identity: str) -> str:
    return join_path((identity,))


SNAPSHOT = DocumentKind("snapshot", "snapshots", "snapshot:Snapshot", "urn", _by_urn)
OBSERVATION = DocumentKind("observation", "observations", "observation:Observation", "urn", _by_urn)
ENTITIES = (
    DocumentKind("user", "entities/users", "entities:User", "id", _by_id),
    DocumentKind("group", "entities/groups", "entities:Group", "id", _by_id),
    DocumentKind("term", "entities/glossary", "entities:Term", "id", _by_id),
    DocumentKind("domain", "entities/domains", "entities:Domain", "id", _by_id),
    DocumentKind("job", "entities/jobs", "entities:Job", "id", _by_id),
    DocumentKind("tag", "entities/tags", "entities:Tag", "id", _by_id),
    DocumentKind("property", "entities/properties", "entities:Property", "id", _by_id),
)
KINDS = (SNAPSHOT, *ENTITIES, OBSERVATION)
FOLDERS = ("snapshots", "entities", "observations")


def kind_at(path: str) -> DocumentKind | None:
    """The kind of document at a path of a tree."""
    return next((kind for kind in KINDS if path.startswith(kind.folder + "/")), None)


def kind_of(value: Value) -> DocumentKind:
    """The kind of a value."""
    return kind_for(type(value))


def kind_for(cls: type) -> DocumentKind:
    """The kind of document that a class describes."""
    for kind in KINDS:
        if issubclass(cls, kind.cls):
            return kind
    names = ", ".join(kind.cls.__name__ for kind in KINDS)
    raise TypeError(f"{cls.__name__} is no document of a tree: those are {names}")

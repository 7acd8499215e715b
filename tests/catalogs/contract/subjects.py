"""The catalogs that must keep the contract: a row each.

A row opens an empty catalog in a folder, and says how somebody else edits and sees it: with means
of its own, not through the adapter.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs.base import path_of
from lumos_snap.catalogs.files import Folder
from lumos_snap.catalogs.seam import Capabilities, Catalog, Held, Identity
from lumos_snap.shape import Document
from tests.catalogs.memory import Memory


class Subject(Protocol):
    """A catalog on trial."""

    @property
    def catalog(self) -> Catalog:
        """Its adapter."""

    def edit(self, identity: Identity, document: Document | None, who: str = "jdoe") -> None:
        """Somebody else makes a document say this, or removes it."""

    def shown(self) -> Mapping[Identity, Document]:
        """What it shows: every document that is not removed, as plain canonical JSON."""


class InMemory:
    """The catalog of the tests themselves."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @property
    def catalog(self) -> Catalog:
        return self.memory

    @property
    def capabilities(self) -> Capabilities:
        return self.memory.capabilities

    def edit(self, identity: Identity, document: Document | None, who: str = "jdoe") -> None:
        self.memory.edit(identity, document, who)

    def shown(self) -> Mapping[Identity, Document]:
        return self.memory.shown()


class InFolder:
    """A folder, and somebody with an editor."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.catalog = Folder("files", root)

    @property
    def capabilities(self) -> Capabilities:
        return self.catalog.capabilities

    def edit(self, identity: Identity, document: Document | None, who: str = "jdoe") -> None:
        del who  # files do not tell
        place = self._root / path_of(identity)
        if document is None:
            place.unlink()
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(encode_document(document, identity.cls))

    def shown(self) -> Mapping[Identity, Document]:
        named = list(self.catalog.search(""))
        found = (one for one in self.catalog.read(named) if isinstance(one, Held))
        return {one.identity: one.document for one in found}


SUBJECTS: Mapping[str, Callable[[Path], Subject]] = {
    "folder": lambda folder: InFolder(folder / "catalog"),
    "memory": lambda _: InMemory(Memory()),
    "memory without preconditions": lambda _: InMemory(Memory(has_preconditions=False)),
    "memory without attribution": lambda _: InMemory(Memory(has_attribution=False)),
}

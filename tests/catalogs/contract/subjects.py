"""The catalogs that must keep the contract: a row each.

A row opens an empty catalog in a folder, and says how somebody else edits and sees it: with means
of its own, not through the adapter.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.export_format import SECTIONS
from lumos_snap.catalogs.adapter import Capabilities, Catalog, CatalogDocument, Identity
from lumos_snap.catalogs.datahub.aspect_registry import TABLES, find_mapping
from lumos_snap.catalogs.datahub.client.sdk_classes import as_class
from lumos_snap.catalogs.datahub.client.server import Access, Mode, connect_server
from lumos_snap.catalogs.datahub.documents import urn_of
from lumos_snap.catalogs.datahub.mapping import companion_urns, from_aspects, is_removed, to_aspects
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_lite import DataHubLiteCatalog
from lumos_snap.catalogs.datahub_server import DataHubCatalog
from lumos_snap.catalogs.export_file import ExportFileCatalog
from lumos_snap.catalogs.folder import FolderCatalog
from lumos_snap.catalogs.sync_state import path_of
from lumos_snap.schema import Document
from tests.catalogs.memory import Memory
from tests.gms import Gms, running

if TYPE_CHECKING:
    from datahub.lite.sqlite_lite import SqliteLite


class Subject(Protocol):
    """A catalog on trial."""

    @property
    def catalog(self) -> Catalog:
        """Its adapter."""

    def edit(self, identity: Identity, document: Document | None, who: str = "jdoe") -> None:
        """Somebody else makes a document say this, or removes it."""

    def shown(self) -> Mapping[Identity, Document]:
        """What it shows: every document that is not removed, as plain canonical JSON."""


Make = Callable[[Path, ExitStack], Subject]


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
        self.catalog = FolderCatalog("files", root)

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
        found = (one for one in self.catalog.read(named) if isinstance(one, CatalogDocument))
        return {one.identity: one.document for one in found}


class InDocument:
    """One document, and somebody who lays it out and writes it anew."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.catalog = ExportFileCatalog("document", file)

    @property
    def capabilities(self) -> Capabilities:
        return self.catalog.capabilities

    def edit(self, identity: Identity, document: Document | None, who: str = "jdoe") -> None:
        del who  # files do not tell
        self.catalog.settle()
        whole = json.loads(self._file.read_bytes()) if self._file.exists() else dict(EMPTY_EXPORT)
        kind = _KINDS[identity.kind]
        section = next(name for name, one in SECTIONS.items() if one is kind)
        held = [one for one in whole.get(section, []) if one[kind.identity] != identity.id]
        whole[section] = [*held, *([document] if document else [])]
        self._file.write_text(json.dumps(whole, indent=len(whole[section]) % 3))

    def shown(self) -> Mapping[Identity, Document]:
        named = list(self.catalog.search(""))
        found = (one for one in self.catalog.read(named) if isinstance(one, CatalogDocument))
        return {one.identity: one.document for one in found}


EMPTY_EXPORT: Mapping[str, Any] = {
    "lumos_version": "1.0.0",
    "document": "lumos-export",
    "statistics": {"datasets": 0, "lineage_edges": 0, "owners": 0, "tags": 0},
}
_KINDS = {kind.name: kind for kind in KINDS}


class OfAspects:
    """A store of aspects, and somebody who writes plain ones past the adapter."""

    names = Names(NamingSettings())
    catalog: Catalog

    @property
    def capabilities(self) -> Capabilities:
        return self.catalog.capabilities

    def _urns(self) -> list[str]:
        """All that is there."""
        raise NotImplementedError

    def _aspects(self, urn: str) -> dict[str, Any]:
        """What is there of one entity."""
        raise NotImplementedError

    def write(self, urn: str, aspects: Mapping[str, Any], who: str) -> None:
        """Somebody writes aspects."""
        raise NotImplementedError

    def edit(self, identity: Identity, document: Document | None, who: str = "jdoe") -> None:
        there = self._aspects(urn_of(identity, self.names))
        urn = urn_of(identity, self.names)
        before = self.shown().get(identity)
        if document is None:
            self.write(urn, {"status": {"removed": True}}, who)
            return
        kind = TABLES[identity.kind].kind
        said = to_aspects(before, kind, self.names).aspects if before else {}
        for name, aspect in to_aspects(document, kind, self.names).aspects.items():
            if said.get(name) != aspect:
                self.write(urn, {name: _by_hand(aspect, there.get(name, {}), who)}, who)
        for name in said.keys() - to_aspects(document, kind, self.names).aspects.keys():
            self.write(urn, {name: EMPTY[name]}, who)

    def shown(self) -> Mapping[Identity, Document]:
        found = {}
        for urn in self._urns():
            table = find_mapping(urn.split(":")[2])
            aspects = self._aspects(urn)
            if table is None or is_removed(aspects):
                continue
            named = companion_urns(table.kind, aspects)
            beside = {one: held for one in named if not is_removed(held := self._aspects(one))}
            document = from_aspects(table.kind, urn, aspects, self.names, beside)
            found[Identity(table.kind.name, document[table.kind.identity])] = document
        return dict(sorted(found.items()))


class InLite(OfAspects):
    """DataHub Lite, and DataHub's own tools."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.catalog = DataHubLiteCatalog("lite", file, self.names)

    @contextmanager
    def _store(self) -> "Iterator[SqliteLite]":
        from datahub.lite.sqlite_lite import SqliteLite  # noqa: PLC0415

        store = SqliteLite.create({"file": str(self._file)})
        with closing(store.sqlite_client):
            yield store

    def _urns(self) -> list[str]:
        with self._store() as store:
            return list(store.list_ids())

    def _aspects(self, urn: str) -> dict[str, Any]:
        with self._store() as store:
            found: dict[str, Any] = store.get(urn, aspects=None) or {}
        return {name: one for name, one in found.items() if name != "urn"}

    def write(self, urn: str, aspects: Mapping[str, Any], who: str) -> None:
        del who  # the store does not keep it
        from datahub.emitter.mcp import MetadataChangeProposalWrapper  # noqa: PLC0415

        with self._store() as store:
            for name, one in aspects.items():
                store.write(
                    MetadataChangeProposalWrapper(entityUrn=urn, aspect=as_class(name, one))
                )


class InServer(OfAspects):
    """A DataHub server, and people in front of its pages."""

    def __init__(self, gms: Gms, mode: Mode) -> None:
        self._gms = gms
        server = connect_server(Access(address=gms.url, token=gms.token, mode=mode))
        self.catalog = DataHubCatalog("datahub", server, self.names)

    def _urns(self) -> list[str]:
        return list(self._gms.dump())

    def _aspects(self, urn: str) -> dict[str, Any]:
        return {name: self._gms.value(urn, name) for name in self._gms.dump().get(urn, {})}

    def write(self, urn: str, aspects: Mapping[str, Any], who: str) -> None:
        for name, one in aspects.items():
            self._gms.edit(urn, name, one, actor=f"urn:li:corpuser:{who}")


def _served(mode: Mode) -> Make:
    """A server of its own for each test."""
    return lambda _, until: InServer(until.enter_context(running(token="secret")), mode)  # noqa: S106


EMPTY: Mapping[str, Any] = {
    "globalTags": {"tags": []},
    "ownership": {"owners": []},
    "domains": {"domains": []},
    "editableDatasetProperties": {"description": ""},
}
"""What people leave behind when they take all away."""


def _by_hand(aspect: Any, there: Any, who: str) -> Any:
    """An aspect as somebody writes it who knows of no marks, and keeps those that are there."""
    known = {_name(one): one for name in ("tags", "owners") for one in there.get(name) or ()}
    found = dict(aspect)
    for name in ("tags", "owners"):
        if name in found:
            plain = [{k: v for k, v in one.items() if k != "attribution"} for one in found[name]]
            found[name] = [known.get(_name(one), one) for one in plain]
    if "upstreams" in found:
        edges = {one["dataset"]: one for one in there.get("upstreams") or ()}
        plain = [{k: v for k, v in one.items() if k != "properties"} for one in found["upstreams"]]
        found["upstreams"] = [edges.get(one["dataset"], one) for one in plain]
    if "lastModified" in found:
        found["lastModified"] = {"time": 1, "actor": f"urn:li:corpuser:{who}"}
    return found


def _name(item: Any) -> tuple[object, ...]:
    return (item.get("tag"), item.get("owner"), item.get("typeUrn"))


SUBJECTS: Mapping[str, Make] = {
    "datahub lite": lambda folder, _: InLite(folder / "datahub.db"),
    "datahub over openapi": _served(Mode.OPENAPI),
    "datahub over rest.li": _served(Mode.RESTLI),
    "folder": lambda folder, _: InFolder(folder / "catalog"),
    "document": lambda folder, _: InDocument(folder / "catalog.json"),
    "memory": lambda *_: InMemory(Memory()),
    "memory without preconditions": lambda *_: InMemory(Memory(has_preconditions=False)),
    "memory without attribution": lambda *_: InMemory(Memory(has_attribution=False)),
}


@contextmanager
def on_trial(name: str, folder: Path) -> Iterator[Subject]:
    """An empty catalog."""
    with ExitStack() as until:
        yield SUBJECTS[name](folder, until)

"""Through DataHub and back: identical bytes for all that it can hold, and with git's help for all.

What it cannot hold is named by the loss report, and by nothing else.
"""

import tempfile
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs.adapter import (
    Catalog,
    DocumentWrite,
    Identity,
    Loss,
    Projection,
    WriteAction,
    WriteConfirmed,
)
from lumos_snap.catalogs.datahub.client.server import Access, Mode, connect_server
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_lite import DataHubLiteCatalog
from lumos_snap.catalogs.datahub_server import DataHubCatalog
from lumos_snap.catalogs.fetch import FetchedDocument, FetchFilter, FetchSource
from lumos_snap.catalogs.sync_state import path_of
from lumos_snap.commands.export import Backup, tree_documents
from lumos_snap.schema import Document
from tests.catalogs.lake import CLICKS, ORDERS, edited, snapshot
from tests.catalogs.memory import Memory
from tests.gms import running
from tests.strategies import LAW, SHARE
from tests.strategies.datahub import KINDS, documents_of, identities

SERVED = settings(LAW, max_examples=40 // SHARE)
Tree = dict[Identity, Document]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A few documents of every kind."""
    found = {}
    for name, kind in KINDS.items():
        for document in draw(st.lists(documents_of(kind), max_size=2)):
            found[Identity(name, document[kind.identity])] = document
    return dict(sorted(found.items()))


def files(tree: Tree) -> dict[str, bytes]:
    return {path_of(one): encode_document(said, one.cls) for one, said in tree.items()}


def through(catalog: Catalog, whole: Tree) -> dict[str, bytes]:
    """The files of an import of an export of a catalog."""
    with Backup() as backup:
        backup.gather(FetchSource(catalog, "x", whole=whole), FetchFilter(), lambda *_: None)
        assert backup.missed == []
        return dict(tree_documents(orjson.loads(b"".join(backup.pieces()))))


def moved(catalog: Catalog, tree: Tree) -> None:
    """Write a tree, and look at what comes back."""
    held = {one: catalog.project(one, document) for one, document in tree.items()}
    there = {one: found.document for one, found in held.items() if not found.refusal}
    for one, document in there.items():
        assert isinstance(
            catalog.apply(DocumentWrite(one, WriteAction.CREATE, document)), WriteConfirmed
        )
    lossy = {one: tree[one] for one, found in held.items() if found.losses or found.refusal}
    back = through(catalog, {})
    assert back == files(there)
    before = files(tree)
    named = {path_of(one) for one in lossy}
    assert {path for path, content in before.items() if back.get(path) != content} == named
    assert through(catalog, lossy) == before


@LAW
@given(tree=trees(), names=identities)
def test_a_tree_comes_back_through_datahub_lite(tree: Tree, names: Names) -> None:
    with tempfile.TemporaryDirectory() as folder:
        moved(DataHubLiteCatalog("lite", Path(folder) / "datahub.db", names), tree)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [Mode.OPENAPI, Mode.RESTLI])
@SERVED
@given(data=st.data())
def test_a_tree_comes_back_through_a_datahub_server(mode: Mode, data: st.DataObject) -> None:
    with running() as gms:
        server = connect_server(Access(address=gms.url, mode=mode))
        moved(DataHubCatalog("hub", server, Names(NamingSettings())), data.draw(trees()))


class WithoutJobs(Memory):
    """A catalog that does not hold what job an edge of lineage comes by."""

    def project(self, identity: Identity, document: Document) -> Projection:
        edges = document.get("lineage", {}).get("upstream", ())
        plain = [{name: one for name, one in edge.items() if name != "via"} for edge in edges]
        if plain == list(edges):
            return Projection(document)
        lost = Loss("lineage.upstream.via", "no room")
        return Projection({**document, "lineage": {"upstream": plain}}, (lost,))


def test_what_does_not_fit_any_more_is_left_out_and_named() -> None:
    """The edge of which git has kept the job is gone from the catalog."""
    catalog, lost = WithoutJobs(), ("lineage.upstream.via",)
    edge = {"urn": CLICKS.id, "via": "clean"}
    whole = {ORDERS: snapshot(ORDERS, lineage={"upstream": [edge]})}
    there = catalog.project(ORDERS, whole[ORDERS]).document
    catalog.edit(ORDERS, there)
    (taken,) = FetchSource(catalog, "x", whole=whole).taken([ORDERS], lambda *_: None)
    assert isinstance(taken, FetchedDocument)
    assert (taken.document, taken.restored) == (whole[ORDERS], lost)
    catalog.edit(ORDERS, edited(there, lineage=None))
    with Backup() as backup:
        backup.gather(FetchSource(catalog, "x", whole=whole), FetchFilter(), lambda *_: None)
        (left,) = backup.left_out
        assert (left.identity, left.left_out, left.restored) == (ORDERS, lost, ())
        assert "lineage" not in left.document

"""What DataHub Lite is given, it gives back, byte for byte: all but what the loss report names."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentWrite,
    Identity,
    WriteAction,
    WriteConfirmed,
)
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_lite import DataHubLiteCatalog
from lumos_snap.catalogs.sync.join import iter_documents
from lumos_snap.commands.sync.tree_documents import TreeSide
from lumos_snap.schema import Document
from lumos_snap.tree import open_tree
from tests.catalogs.world import World
from tests.strategies import LAW
from tests.strategies.datahub import KINDS, documents_of, identities


def given_back(
    lite: DataHubLiteCatalog, identity: Identity, document: Document, seen: CatalogDocument | None
) -> CatalogDocument:
    action = WriteAction.UPDATE if seen else WriteAction.CREATE
    answer = lite.apply(DocumentWrite(identity, action, document, seen))
    assert isinstance(answer, WriteConfirmed), answer
    (held,) = lite.read([identity])
    assert isinstance(held, CatalogDocument)
    assert encode_document(held.document, identity.cls) == encode_document(document, identity.cls)
    return held


@pytest.mark.parametrize("name", KINDS)
@LAW
@given(data=st.data(), names=identities)
def test_a_document_and_what_becomes_of_it_come_back(
    name: str, data: st.DataObject, names: Names
) -> None:
    kind = KINDS[name]
    first, second = data.draw(documents_of(kind)), data.draw(documents_of(kind))
    identity = Identity(name, first[kind.identity])
    second = {**second, **{key: first[key] for key in IDENTIFYING if key in first}}
    with tempfile.TemporaryDirectory() as folder:
        lite = DataHubLiteCatalog("lite", Path(folder) / "datahub.db", names)
        once, twice = (lite.project(identity, one) for one in (first, second))
        if once.refusal or twice.refusal:
            return
        held = given_back(lite, identity, once.document, None)
        given_back(lite, identity, twice.document, held)
        assert list(lite.search("")) == [identity]


IDENTIFYING = ("id", "urn", "name", "platform")


def test_the_shop_comes_back(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "examples/shop", tmp_path / "shop")
    shutil.rmtree(tmp_path / "shop/.lumos", ignore_errors=True)
    side = TreeSide(open_tree(tmp_path / "shop"), lambda _: True)
    world = World(
        DataHubLiteCatalog("lite", tmp_path / "datahub.db", Names(NamingSettings())), tmp_path
    )
    world.tree |= dict(iter_documents(side))
    world.push()
    assert len(world.tree) > 30
    there = [
        one for one in world.catalog.read(sorted(world.tree)) if isinstance(one, CatalogDocument)
    ]
    assert [one.identity for one in there] == sorted(world.tree)
    for held in there:
        ours = world.catalog.project(held.identity, world.tree[held.identity])
        assert encode_document(held.document, held.identity.cls) == encode_document(
            ours.document, held.identity.cls
        )
        if held.identity.kind == "snapshot":
            assert ours.losses == ()
            assert held.document == world.tree[held.identity]
    assert list(world.catalog.search("")) == sorted(world.tree)

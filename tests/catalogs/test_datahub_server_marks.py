"""What tells a document of a DataHub server from all that it ever was."""

from pathlib import Path
from urllib.parse import quote

import requests

from lumos_snap.catalogs.adapter import CatalogDocument, UnchangedDocument
from lumos_snap.catalogs.datahub.client.server import Access, connect_server
from lumos_snap.catalogs.datahub.documents import urn_of
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_server import DataHubCatalog
from tests.catalogs.lake import CLICKS, edited, lake
from tests.catalogs.world import World
from tests.gms import running


def test_versions_that_began_anew_are_not_taken_for_the_old_ones(tmp_path: Path) -> None:
    names = Names(NamingSettings())
    with running() as gms:
        catalog = DataHubCatalog("datahub", connect_server(Access(address=gms.url)), names)
        world = World(catalog, tmp_path, tree=lake())
        world.push()
        (before,) = catalog.read([CLICKS])
        assert isinstance(before, CatalogDocument)
        urn = quote(urn_of(CLICKS, names), safe="")
        requests.delete(f"{gms.url}/openapi/v3/entity/dataset/{urn}", timeout=5).raise_for_status()
        world.tree[CLICKS] = edited(world.tree[CLICKS], documentation={"description": "Other"})
        world.base.clear()
        world.push()
        (after,) = catalog.read([CLICKS], {CLICKS: before.mark})
    assert not isinstance(after, UnchangedDocument)
    assert isinstance(after, CatalogDocument)
    assert after.versions == before.versions
    assert after.document["documentation"] == {"description": "Other"}

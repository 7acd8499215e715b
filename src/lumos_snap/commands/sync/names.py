"""Dataset names in a catalog, kept with the sync base, because settings change them.

Under other names a sync would find no dataset, and would abandon the existing ones.
"""

from collections.abc import Iterator

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.adapter import Catalog
from lumos_snap.catalogs.datahub.settings import parse_settings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_lite import DataHubLiteCatalog
from lumos_snap.catalogs.datahub_server import DataHubCatalog
from lumos_snap.catalogs.sync.join import iter_documents
from lumos_snap.catalogs.sync.write_order import references
from lumos_snap.catalogs.sync_state import Files, SyncBase
from lumos_snap.errors import LumosError
from lumos_snap.git import blobs

_FILE = "names.json"


def require_same_names(base: SyncBase, catalog: Catalog) -> None:
    """Refuse settings that change the catalog name of a synced dataset."""
    before, now = _last_names(base), _names(catalog)
    if before is None or now is None or before.naming.told() == now.naming.told():
        return
    for urn in _urns(base):
        if before.dataset(urn) != now.dataset(urn):
            raise LumosError(
                f"lumos.yaml leads to other names in {catalog.name} than at the last sync: {urn}"
                f" is {before.dataset(urn)} there, and would be {now.dataset(urn)}",
                hint="take the settings back; or give the catalog another name, to begin anew"
                " beside what is there",
            )


def names_to_keep(base: SyncBase, catalog: Catalog) -> Files:
    """Names file to add to the sync base."""
    before, now = _last_names(base), _names(catalog)
    if now is None or (before is not None and before.naming.told() == now.naming.told()):
        return ()
    return ((_FILE, now.naming.told().encode() + b"\n"),)


def _names(catalog: Catalog) -> Names | None:
    return catalog.names if isinstance(catalog, DataHubLiteCatalog | DataHubCatalog) else None


def _last_names(base: SyncBase) -> Names | None:
    """Naming of the last sync; None where it is unknown or invalid."""
    entry = base.files.get(_FILE)
    if entry is None:
        return None
    _, content = next(blobs(base.repository, [entry.oid]))
    try:
        return Names(parse_settings(content.decode()))
    except (LumosError, TypeError, ValueError):
        return None


def _urns(base: SyncBase) -> Iterator[str]:
    """Urns of all confirmed datasets, and of those that confirmed documents reference."""
    for identity, document in iter_documents(base.documents()):
        if identity.kind == SNAPSHOT.name:
            yield identity.id
        for one in references(document, identity.cls):
            if one.kind == SNAPSHOT.name:
                yield one.id

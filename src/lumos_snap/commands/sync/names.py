"""What a catalog calls datasets, kept with what it confirmed: other settings lead to other names.

Under other names nothing is there, and what is there would never be looked at again.
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
    """Refuse settings under which a dataset that was synced would have another name."""
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
    """What a base is to learn of the names."""
    before, now = _last_names(base), _names(catalog)
    if now is None or (before is not None and before.naming.told() == now.naming.told()):
        return ()
    return ((_FILE, now.naming.told().encode() + b"\n"),)


def _names(catalog: Catalog) -> Names | None:
    return catalog.names if isinstance(catalog, DataHubLiteCatalog | DataHubCatalog) else None


def _last_names(base: SyncBase) -> Names | None:
    """The names at the last sync; none where nothing, or nothing sound, is known."""
    entry = base.files.get(_FILE)
    if entry is None:
        return None
    _, content = next(blobs(base.repository, [entry.oid]))
    try:
        return Names(parse_settings(content.decode()))
    except (LumosError, TypeError, ValueError):
        return None


def _urns(base: SyncBase) -> Iterator[str]:
    """Every dataset that was confirmed, or that something confirmed names."""
    for identity, document in iter_documents(base.documents()):
        if identity.kind == SNAPSHOT.name:
            yield identity.id
        for one in references(document, identity.cls):
            if one.kind == SNAPSHOT.name:
                yield one.id

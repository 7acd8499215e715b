"""The catalog of `lumos.yaml` that documents are taken from."""

from collections.abc import Mapping

from lumos_snap.catalogs import sync_state as bases
from lumos_snap.catalogs import unholdable_documents
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.flows.moving.taking import Origin
from lumos_snap.flows.syncing.opening import chosen, made
from lumos_snap.git import find_repository
from lumos_snap.schema import Document
from lumos_snap.tree import Tree


def origin(tree: Tree, name: str, environment: Mapping[str, str], *, fetch: bool) -> Origin:
    """The catalog of a name; `environment` holds credentials."""
    settings = chosen(tree, name)
    catalog = made(settings, tree, environment)
    whole = kept(tree, settings.name, fetch=fetch)
    return Origin(catalog, settings.type, tree.config.environment, whole)


def kept(tree: Tree, name: str, *, fetch: bool) -> Mapping[Identity, Document]:
    """What git has kept of documents that lost something in a catalog, if there is a repository."""
    if find_repository(tree.root) is None:
        return {}
    return unholdable_documents.kept(bases.opened(tree.repository, name, fetch=fetch))

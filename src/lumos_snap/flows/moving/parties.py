"""The two sides of a comparison: a catalog of `lumos.yaml`, the tree itself, or an export."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import Catalog, Identity, Projection, Unreadable, opened
from lumos_snap.catalogs.export_file import Portable
from lumos_snap.catalogs.sync.client import Asking
from lumos_snap.catalogs.sync.join import worked_out
from lumos_snap.catalogs.sync.rate_limit import Pace, Speed
from lumos_snap.flows.syncing import opening
from lumos_snap.flows.syncing.sides import TreeSide, identity_at
from lumos_snap.schema import Document
from lumos_snap.tree import Tree

TREE = "tree"
"""What the tree itself is called."""

Found = tuple[Identity, Document | str]
"""A document, or why it cannot be read."""


@dataclass(frozen=True, slots=True)
class Party:
    """One side: what it has, and what it can hold."""

    name: str
    named: Callable[[], Iterable[Identity]]
    """What it has, as far as a list of it tells."""
    read: Callable[[list[Identity]], Iterator[Found]]
    """What it has of some documents, in order; what cannot be read may come at the end."""
    project: Callable[[Identity, Document], Projection]


def party(tree: Tree, name: str, environment: Mapping[str, str]) -> Party:
    """The side of a name: `tree`, a catalog, or the file of an export."""
    if name == TREE:
        return _tree(tree)
    known = {one.name for one in tree.config.catalogs}
    if name not in known and Path(name).is_file():
        return _catalog(name, Portable(name, Path(name)))
    return _catalog(name, opening.made(opening.chosen(tree, name), tree, environment))


def _tree(tree: Tree) -> Party:
    side = TreeSide(tree, lambda _: True)

    def read(_: list[Identity]) -> Iterator[Found]:
        yield from worked_out(side)
        yield from ((identity_at(path), one.message) for path, one in side.invalid.items())

    return Party(TREE, side.identities, read, lambda _, document: Projection(document))


def _catalog(name: str, catalog: Catalog) -> Party:
    def read(identities: list[Identity]) -> Iterator[Found]:
        asking = Asking(catalog, Pace(Speed()))
        for one in map(opened, asking.read(identities)):
            if isinstance(one, Unreadable):
                yield one.identity, one.reason
            elif one is not None and not one.is_removed:
                yield one.identity, canonical_document(one.document, one.identity.cls)

    return Party(name, lambda: catalog.search(""), read, catalog.project)

"""Which dataset is meant, also if it is gone."""

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.errors import LumosError
from lumos_snap.flows.choosing import find_dataset
from lumos_snap.git import Repository
from lumos_snap.git.history import history
from lumos_snap.tree import Tree


def dataset_path(tree: Tree, repository: Repository, start: str, wanted: str) -> str:
    """The path of a dataset; one that is gone may still be named by its urn or its whole path."""
    try:
        return find_dataset(tree, wanted)
    except LumosError:
        path = _stated_path(wanted)
        if not path or not history(repository, (start,), under=(path,)):
            raise
        return path


def _stated_path(wanted: str) -> str:
    if wanted.startswith("lumos://"):
        return SNAPSHOT.path(wanted)
    inside = wanted.removeprefix("./")
    is_path = inside.startswith(f"{SNAPSHOT.folder}/") and ".." not in inside.split("/")
    return inside if is_path else ""

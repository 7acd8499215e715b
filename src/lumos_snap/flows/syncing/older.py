"""A tree that is older than what a catalog was brought in line with last.

Two jobs of a pipeline may overtake each other: the one that comes late would take back what the
other one brought.
"""

from lumos_snap.catalogs.sync_state import SUBJECT, Base
from lumos_snap.errors import LumosError
from lumos_snap.git import custom_refs
from lumos_snap.git.refs import look_up
from lumos_snap.git.tags import is_ancestor, parents_of

_SHOWN = 10


def require_not_older(base: Base) -> None:
    """Refuse a tree whose commit comes before the one that was synced last."""
    head = look_up(base.repository, ("HEAD",))[0]
    source = _source(base)
    if head is None or source is None or source == head.id:
        return
    if is_ancestor(base.repository, head.id, source):
        raise LumosError(
            f"{head.id[:_SHOWN]} is older than {source[:_SHOWN]}, which {base.name} was brought in"
            " line with: what has changed since would be taken back",
            hint="`git pull` first; `--older` takes it back all the same",
        )


def _source(base: Base) -> str | None:
    """The commit that was synced last, as far as this clone knows it."""
    commit = base.commit
    while commit is not None:
        parents = parents_of(base.repository, commit)
        for one in reversed(parents):
            if not custom_refs.line_of(base.repository, one, SUBJECT):
                return one
        commit = parents[0] if parents else None
    return None

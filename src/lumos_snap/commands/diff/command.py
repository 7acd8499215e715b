"""`lumos snap diff`: what differs from a base, what it means, and whether it may pass."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.diff.sides import Asked, chosen_sides
from lumos_snap.concurrency import Ahead
from lumos_snap.schema import prepare
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce

if TYPE_CHECKING:
    from lumos_snap.report.diff import Difference

Progress = Callable[[int, int], object]


def _unheard(_done: int, _total: int) -> None:
    """Nobody waits."""


def _nothing() -> None:
    """There is nothing else to do."""


def diff(
    open_here: Callable[[], Tree],
    asked: Asked,
    announce: Announce,
    progress: Progress = _unheard,
    *,
    meanwhile: Callable[[], object] = _nothing,
) -> "Difference":
    """Compare, judge, and say what follows; `meanwhile` runs while git lists what changed."""
    chosen = Ahead(functools.partial(chosen_sides, open_here, asked.sought, announce))
    if asked.impact:
        from lumos_snap.commands.diff import impact  # noqa: PLC0415 - loads while git looks

        prepare(SNAPSHOT.cls)
        meanwhile()
        return impact.judged_with_impact(chosen.result(), asked, progress)
    from lumos_snap.commands.diff.judge import judged  # noqa: PLC0415 - loads while git looks

    return judged(chosen.result(), asked, progress)

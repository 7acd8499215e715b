"""`lumos snap diff`: differences from a base, their severity, and the verdict."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.diff.sides import DiffOptions, resolve_sides
from lumos_snap.concurrency import BackgroundCall
from lumos_snap.schema import prepare
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce

if TYPE_CHECKING:
    from lumos_snap.report.diff import DiffReport

Progress = Callable[[int, int], object]


def _ignore_progress(_done: int, _total: int) -> None:
    """Ignore progress."""


def _do_nothing() -> None:
    """Do nothing."""


def diff(
    open_here: Callable[[], Tree],
    asked: DiffOptions,
    announce: Announce,
    progress: Progress = _ignore_progress,
    *,
    meanwhile: Callable[[], object] = _do_nothing,
) -> "DiffReport":
    """Compare and judge two sides; `meanwhile` runs while git lists the changes."""
    chosen = BackgroundCall(functools.partial(resolve_sides, open_here, asked.sought, announce))
    if asked.impact:
        from lumos_snap.commands.diff import impact  # noqa: PLC0415 - loads while git looks

        prepare(SNAPSHOT.cls)
        meanwhile()
        return impact.judge_with_impact(chosen.result(), asked, progress)
    from lumos_snap.commands.diff.judge import judge_sides  # noqa: PLC0415 - loads while git looks

    return judge_sides(chosen.result(), asked, progress)

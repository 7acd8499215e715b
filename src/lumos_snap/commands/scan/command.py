"""`lumos snap scan`: storage is read, and the tree says what lies there."""

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime

from lumos_snap.commands.scan.cache import Noting, as_before, remember
from lumos_snap.commands.scan.commit import Committing, committing
from lumos_snap.commands.scan.missing_datasets import Leaving, leaving
from lumos_snap.commands.scan.options import Asked, Progress, Stage, unheard
from lumos_snap.commands.scan.report import reported
from lumos_snap.commands.scan.sources import Seen, look
from lumos_snap.commands.scan.unreachable import lost_in, note_unreached
from lumos_snap.report.scan import Outcome, Scanned
from lumos_snap.scan.dataset_update import Decided, Settings, decide
from lumos_snap.scan.executors import error_codes
from lumos_snap.tree import Tree, Written


def scan(tree: Tree, asked: Asked, *, now: datetime, progress: Progress = unheard) -> Scanned:
    """Read storage, and bring the tree's snapshots in line with it."""
    tree.files.folder()  # says so where there is no working tree
    with committing(tree, asked) as commit:
        return _scanned(tree, asked, now, progress, commit)


def _scanned(
    tree: Tree, asked: Asked, now: datetime, progress: Progress, commit: Committing
) -> Scanned:
    with ExitStack() as stack:
        seen = look(tree, asked, progress, stack)
        noting = Noting(tree.files.read)
        settings = Settings(
            contents=noting.read,
            environment=tree.config.environment,
            reinfer=asked.reinfer,
            now=now,
        )
        decided = _decided(seen, settings, noting, progress)
        left = leaving(tree, seen, decided, asked)
        decided = _moved(seen, decided, left, settings)
        written = _written(tree, decided, left, asked, progress)
        if asked.write:
            settled = {one.urn: one for one in decided if one.path not in written.left}
            remember(tree, seen.surveys, settled, noting, progress, partly=bool(asked.only))
        committed = commit.done(written.changed, decided, left)
        report = reported(seen, decided, left, written=written, asked=asked, committed=committed)
        if asked.write:
            note_unreached(tree, lost_in(report), (one.name for one in report.sources))
        return report


def _decided(seen: Seen, settings: Settings, noting: Noting, progress: Progress) -> list[Decided]:
    decided = []
    decisions, fresh = seen.decisions(), seen.fresh()
    for done, met in enumerate(seen.met, 1):
        before = None if met.gathered.number in fresh else decisions.get(met.urn)
        decided.append(as_before(met, before, noting) or decide(met, settings))
        progress(Stage.MERGED, done, len(seen.met))
    return decided


def _moved(
    seen: Seen, decided: Sequence[Decided], left: Leaving, settings: Settings
) -> list[Decided]:
    """What only lies elsewhere keeps its words."""
    return [
        decide(met, settings, former=left.former(one.urn)) if one.urn in left.moves else one
        for met, one in zip(seen.met, decided, strict=True)
    ]


def _written(
    tree: Tree, decided: Sequence[Decided], left: Leaving, asked: Asked, progress: Progress
) -> Written:
    """Put the files there, whole; what somebody else has changed meanwhile stays as it is."""
    contents = {path: content for one in decided for path, content in one.files.items()}
    if not asked.write:
        return Written((*contents, *left.files()), ())
    were = {path: content for one in decided for path, content in one.were.items()}
    return tree.write_bytes(
        contents,
        were,
        gone=left.files(),
        progress=lambda done, total: progress(Stage.WRITTEN, done, total),
    )


def changes(report: Scanned) -> bool:
    """Whether the tree is, or would be, another one after the scan."""
    return any(report.counts.get(outcome, 0) for outcome in _CHANGING)


def is_short(report: Scanned) -> bool:
    """Whether something lies there that is not described."""
    unread = report.counts[Outcome.KEPT] or report.counts[Outcome.FAILED]
    return bool(report.bad_files or unread)


def is_out_of_reach(report: Scanned) -> bool:
    """Whether a source, or a part of it, could not be reached: nobody knows what lies there."""
    lost = any(one.reason == error_codes.UNREACHABLE for one in report.bad_files)
    return bool(report.failed) or lost


_CHANGING = (Outcome.ADDED, Outcome.CHANGED, Outcome.MOVED, Outcome.REMOVED)

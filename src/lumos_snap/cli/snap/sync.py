"""`lumos snap sync`."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.cli.progress import sync_progress
from lumos_snap.commands.sync.options import SyncOptions
from lumos_snap.errors import Exit, LumosError
from lumos_snap.render import sync_text

if TYPE_CHECKING:
    from lumos_snap.catalogs.sync.execute import DocumentOutcome
    from lumos_snap.commands.sync.command import Sync, SyncResult
    from lumos_snap.report.envelope import FileFinding
    from lumos_snap.report.sync import SyncPlan


@command(
    "lumos snap sync",
    "lumos snap sync --to datahub --apply",
    "lumos snap sync --apply --yes --only 's3/lake/**'",
    "lumos snap sync --out plan.json",
    "lumos snap sync --apply plan.json --yes",
    "lumos snap sync --pull",
    "lumos snap sync --pull --commit",
    "lumos snap sync --check --section documentation",
    "lumos snap sync --resume",
    "lumos snap sync --losses",
)
@click.option("--to", "catalog", metavar="NAME", help="Which catalog of lumos.yaml is meant.")
@click.option(
    "--apply",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[PLAN]",
    help="Bring the catalog in line; asks on a terminal. With a plan of --out: that, or nothing.",
)
@click.option("--yes", is_flag=True, help="Ask nothing before writing.")
@click.option("--pull", is_flag=True, help="Take the catalog's edits into the tree.")
@click.option("--commit", is_flag=True, help="With --pull: as commits of who edited there.")
@click.option("--check", is_flag=True, help="Exit 1 if anything differs; write nothing.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="PLAN", help="Keep the plan in a file."
)
@click.option("--resume", is_flag=True, help="Finish a sync that was cut off.")
@click.option(
    "--losses", is_flag=True, help="Show what git keeps because the catalog cannot hold it."
)
@click.option(
    "--only", multiple=True, metavar="GLOB", help="Only documents that match: 's3/lake/**'."
)
@click.option(
    "--section", "sections", multiple=True, metavar="NAME", help="Only this section, or key of one."
)
@click.option(
    "--deletes",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="So many may be deleted at once; left out: 20, or a tenth of all if that is fewer.",
)
@click.option(
    "--older", is_flag=True, help="Apply a tree that is older than what was applied last."
)
@options.no_fetch_but("Ask no remote what was confirmed, and tell it nothing.")
@options.folder
@options.limit
@options.as_json
def sync(
    *, folder: Path, limit: int, as_json: bool, resume: bool, losses: bool, **chosen: Any
) -> int:
    """Say how a tree and a catalog differ, and bring them in line where that is asked for.

    Without --apply and --pull nothing is written: neither there nor here. Three sides count: the
    tree, the catalog as it is now, and what it was last seen to hold. What only the tree changed is
    written; what only the catalog changed goes into the tree with --pull, or is reverted, as
    the policy in lumos.yaml says; what both changed comes together key by key, and where that
    cannot be, a person decides.

    Exit 0, 1 where --check finds something, a document is invalid or something waits for a person,
    2 for usage, 3 where a catalog or a remote is out of reach, or refuses.
    """
    asked = SyncOptions(environment=os.environ, **{name: chosen[name] for name in _OPTION_NAMES})
    wish = _SyncAction(**{name: chosen[name] for name in _SyncAction._fields})
    has_out = wish.out is not None
    _require_one(wish.apply is not None, wish.pull, wish.check, resume, has_out, losses)
    if wish.commit and not wish.pull:
        raise LumosError("--commit goes with --pull", hint="`--pull --commit`")
    if losses:
        return _show_losses(asked, folder, limit, as_json=as_json)
    if resume:
        return _resume(asked, folder, limit, as_json=as_json)
    return _run_sync(asked, folder, limit, wish, as_json=as_json)


_OPTION_NAMES = ("catalog", "only", "sections", "deletes", "fetch")


def _require_one(*wishes: bool) -> None:
    if sum(wishes) > 1:
        raise LumosError(
            "--apply, --pull, --check, --out, --resume and --losses are one thing at a time",
            hint="choose one",
        )


class _SyncAction(NamedTuple):
    """The action to take with a plan."""

    apply: str | None
    """The plan file to apply; empty to apply the current plan."""
    yes: bool
    pull: bool
    commit: bool
    check: bool
    out: Path | None
    older: bool


def _run_sync(
    asked: SyncOptions, folder: Path, limit: int, wish: _SyncAction, *, as_json: bool
) -> int:
    from lumos_snap.catalogs.report import build_plan_report  # noqa: PLC0415 - not needed to show help
    from lumos_snap.commands.sync import command as command_command  # noqa: PLC0415 - likewise
    from lumos_snap.commands.sync import command as flow  # noqa: PLC0415 - likewise

    with sync_progress() as progress:
        found = flow.prepare_sync(options.tree(folder), asked, progress)
    options.say(
        sync_text.invalid_lines(found.invalid, found.readings.invalid, limit=limit), err=True
    )
    report = replace(
        build_plan_report(found.plan, found.catalog.name, observations=len(found.readings.due)),
        damaged=_invalid_files(found),
    )
    if not (as_json and (wish.pull or wish.apply is not None)):
        options.emit(report, sync_text.plan(report, limit=limit), as_json=as_json)
    if wish.pull:
        report = _pull(found, report, commit=wish.commit)
        options.emit(report, sync_text.pull_lines(report), as_json=as_json)
    if wish.out is not None:
        command_command.save_plan(found, wish.out)
    if wish.apply:
        command_command.require_same(found, Path(wish.apply))
    if wish.apply is not None and _is_anything_due(found):
        _require_consent(report, wish)
        with sync_progress() as progress:
            applied = flow.apply_sync(found, progress, older=wish.older)
        code = _report_run(applied, found, limit, as_json=as_json) or _exit(report, check=False)
        return code or options.verdict(failed=bool(_invalid_files(found)))
    if as_json and wish.apply is not None:  # nothing was applied: print the plan
        options.emit(report, "", as_json=True)
    return _exit(report, check=wish.check) or options.verdict(failed=bool(_invalid_files(found)))


def _invalid_files(found: "Sync") -> "tuple[FileFinding, ...]":
    """Problems of invalid files in the tree, which are not sent."""
    return (*found.invalid, *found.readings.invalid)


def _pull(found: "Sync", report: "SyncPlan", *, commit: bool) -> "SyncPlan":
    """Pull the remote edits; the report with the written files and commits."""
    from lumos_snap.commands.sync import pull as pull_command  # noqa: PLC0415 - not needed to show help

    taken = pull_command.commit_edits(found) if commit else pull_command.pull_edits(found)
    return replace(report, written=taken.written, commits=taken.commits)


def _is_anything_due(found: "Sync") -> bool:
    """Whether there is anything to write to the catalog, or to record in the sync base."""
    return bool(found.plan.writes or _decisions_to_note(found) or found.readings.due or found.lost)


def _decisions_to_note(found: "Sync") -> tuple[object, ...]:
    """Decisions that only update the sync base: both sides are equal, or both lack the document."""
    return tuple(one for one in found.plan.decisions if one.adopted or one.is_forgotten)


def _require_consent(report: "SyncPlan", wish: _SyncAction) -> None:
    if wish.yes:
        return
    if not sys.stdin.isatty():
        raise LumosError("nobody is there to ask", hint="`--apply --yes` writes without asking")
    if not click.confirm(f"\nWrite this to {report.catalog}?", err=True):
        raise LumosError("nothing was written")


def _report_run(applied: "SyncResult", found: "Sync", limit: int, *, as_json: bool) -> int:
    from lumos_snap.catalogs.report import build_run_report  # noqa: PLC0415 - not needed to show help

    journal = found.journal if found.journal.exists() else None
    done, measured = applied
    report = build_run_report(
        done, found.catalog.name, journal, observations=measured.sent, unsent=measured.failed
    )
    report = replace(report, damaged=_invalid_files(found))
    options.emit(report, sync_text.sync_lines(report, limit=limit), as_json=as_json)
    return Exit.OUTSIDE if measured.failed else _outcome(done)


def _outcome(done: "tuple[DocumentOutcome, ...]") -> int:
    from lumos_snap.commands.sync.command import counts_of  # noqa: PLC0415 - not needed to show help

    counts = counts_of(done)
    if counts["failed"]:
        return Exit.OUTSIDE
    return options.verdict(failed=bool(counts["conflict"]))


def _resume(asked: SyncOptions, folder: Path, limit: int, *, as_json: bool) -> int:
    from lumos_snap.catalogs.report import build_run_report  # noqa: PLC0415 - not needed to show help
    from lumos_snap.commands.sync import command as flow  # noqa: PLC0415 - likewise

    tree = options.tree(folder)
    with sync_progress() as progress:
        name, done = flow.resume_sync(tree, asked, progress)
    journal = flow.journal_of(tree, name)
    report = build_run_report(done, name, journal if journal.exists() else None)
    options.emit(report, sync_text.sync_lines(report, limit=limit), as_json=as_json)
    return _outcome(done)


def _show_losses(asked: SyncOptions, folder: Path, limit: int, *, as_json: bool) -> int:
    from lumos_snap.commands.sync import command as flow  # noqa: PLC0415 - not needed to show help

    report = flow.list_losses(options.tree(folder), asked)
    options.emit(report, sync_text.losses(report, limit=limit), as_json=as_json)
    return Exit.CLEAN


def _exit(report: "SyncPlan", *, check: bool) -> int:
    is_left = bool(report.counts.conflicting or report.counts.refused)
    return options.verdict(failed=bool(report.documents) if check else is_left)

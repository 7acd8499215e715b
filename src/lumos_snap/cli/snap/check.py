"""`lumos snap check`."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.check import check as check_tree
from lumos_snap.commands.diff.sides import DiffOptions, SideOptions
from lumos_snap.render import diff_text

if TYPE_CHECKING:
    from lumos_snap.config.settings import FailOn


@command(
    "lumos snap check",
    "lumos snap check --base main",
    "lumos snap check 's3/lake/gold/**' --fail-on non-breaking",
    "lumos snap check --json --limit 0",
)
@click.argument("datasets", nargs=-1, metavar="[DATASET]...")
@click.option(
    "--base",
    metavar="REF",
    help="Look only at datasets that differ from what is shared with this branch, tag or commit.",
)
@options.no_fetch
@options.fail_on
@options.folder
@options.limit
@options.as_json
def check(
    datasets: tuple[str, ...],
    *,
    base: str | None,
    fetch: bool,
    fail_on: "FailOn | None",
    folder: Path,
    limit: int,
    as_json: bool,
) -> int:
    """Find what the policy in lumos.yaml asks of datasets as they stand, and is not there.

    That is what `policy` has under `require`, `owners`, `personal`, `freshness` and `naming`. All
    datasets are looked at, or those that a DATASET names: a path, a urn, a folder or a pattern.

    Every document must be valid, as `lumos snap validate` has it.

    Exit 0 if nothing blocks, 1 if something does, 3 if the base cannot be read or no snapshots are
    seen though git has some.
    """
    asked = DiffOptions(
        sought=SideOptions(base=base or "HEAD", fetch=fetch),
        datasets=datasets,
        fail_on=fail_on,
        approvals=options.approvals,
        today=options.today(),
    )
    report = check_tree(
        functools.partial(options.tree, folder),
        asked,
        options.announce,
        options.progress("checked"),
        everything=base is None,
    )
    options.emit(report, diff_text.check_lines(report, limit=limit), as_json=as_json)
    return options.verdict(failed=report.verdict == "fail")

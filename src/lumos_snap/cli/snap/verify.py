"""`lumos snap verify`."""

import os
from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.errors import Exit
from lumos_snap.render import sync_text


@command(
    "lumos snap verify --source tree --target datahub",
    "lumos snap verify --source datahub --target lite --json",
    "lumos snap verify --source backup.json --target tree",
)
@click.option("--source", required=True, metavar="NAME", help="What everything should come from.")
@click.option("--target", required=True, metavar="NAME", help="Where everything should be.")
@options.folder
@options.limit
@options.as_json
def verify(*, source: str, target: str, folder: Path, limit: int, as_json: bool) -> int:
    """Say whether two sides hold the same: after a move, and before an old catalog is switched off.

    A side is a catalog of lumos.yaml, `tree` for the tree itself, or the file of an export.
    Datasets, edges, owners, tags and all else are counted; what is missing, additional or different
    is named. What one of the sides cannot hold is named too, and is no difference. So are names
    that lead to nothing.

    Exit 0 if both hold the same, 1 if not, 2 for usage, 3 where a side, or a part of it, cannot be
    read.
    """
    from lumos_snap.commands.verify import open_side, verify_sides  # noqa: PLC0415 - not for help

    tree = options.tree(folder)
    ours, theirs = (open_side(tree, name, os.environ) for name in (source, target))
    shown = options.progress("verified")
    report = verify_sides(ours, theirs, lambda _, done, total: shown(done, total))
    options.emit(report, sync_text.verify_lines(report, limit=limit), as_json=as_json)
    if report.unreadable:
        return Exit.OUTSIDE
    return options.verdict(failed=bool(report.missing or report.additional or report.different))

"""`lumos snap fmt`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.commands.fmt import fmt as format_tree
from lumos_snap.render import plain_text


@command("lumos snap fmt", "lumos snap fmt --check", "lumos snap fmt snapshots/s3")
@options.paths
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if anything would change.")
@options.folder
@options.limit
@options.as_json
def fmt(paths: tuple[Path, ...], *, check: bool, folder: Path, limit: int, as_json: bool) -> int:
    """Bring documents into their canonical form: all of the tree, or PATHS."""
    progress = options.progress("formatted")
    report = format_tree(options.tree(folder), paths, progress, write=not check)
    options.emit(report, plain_text.formatting(report, limit=limit), as_json=as_json)
    return options.verdict(failed=bool(report.findings) or (check and bool(report.changed)))

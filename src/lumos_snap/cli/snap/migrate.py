"""`lumos snap migrate-format`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.migrate_format import migrate as migrate_tree
from lumos_snap.render import plain_text


@command("lumos snap migrate-format", "lumos snap migrate-format --check", name="migrate-format")
@options.paths
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if anything would change.")
@options.folder
@options.limit
@options.as_json
def migrate(
    paths: tuple[Path, ...], *, check: bool, folder: Path, limit: int, as_json: bool
) -> int:
    """Upgrade documents of the tree that are in older shapes to the present format."""
    progress = options.progress("looked at")
    report = migrate_tree(options.tree(folder), paths, progress, write=not check)
    options.emit(report, plain_text.migrate_lines(report, limit=limit), as_json=as_json)
    return options.verdict(failed=bool(report.findings) or (check and bool(report.changed)))

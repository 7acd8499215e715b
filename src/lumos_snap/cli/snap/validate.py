"""`lumos snap validate` and `fmt`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.fmt import fmt as format_tree
from lumos_snap.commands.validate import validate as validate_tree
from lumos_snap.render import plain_text
from lumos_snap.tree.selection import is_elsewhere


@command(
    "lumos snap validate",
    "lumos snap validate snapshots/s3 --json",
    "lumos snap validate --ref main",
    "lumos snap validate backup.json",
)
@options.paths
@options.at("Look at a branch, tag or commit instead of the folder.")
@options.folder
@options.limit
@options.as_json
def validate(
    paths: tuple[Path, ...], *, ref: str | None, folder: Path, limit: int, as_json: bool
) -> int:
    """Find everything that is wrong with the tree, with PATHS in it, or with an export document.

    Exit 0 if nothing is wrong, 1 if something is, 3 if no snapshots are seen though git has some.
    """
    if ref is None and is_elsewhere(paths):
        from lumos_snap.commands.import_reader import validate_all  # noqa: PLC0415 - a tree needs none of it

        report = validate_all([options.document(path) for path in paths])
    else:
        tree = options.tree(folder, ref)
        report = validate_tree(tree, paths, options.progress("checked"))
    options.emit(report, plain_text.validation(report, limit=limit), as_json=as_json)
    return options.verdict(failed=bool(report.findings))


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

"""`lumos snap import` and `export`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.errors import OutsideError
from lumos_snap.flows.exporting import export as export_tree
from lumos_snap.flows.importing import import_file
from lumos_snap.git import find_repository, resolve
from lumos_snap.render import text
from lumos_snap.tree import Tree, open_tree


@command("lumos snap import backup.json", "lumos snap import old.yaml --dry-run", name="import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace files that are there and differ.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be written.")
@options.folder
@options.limit
@options.as_json
def import_(
    file: Path, *, overwrite: bool, dry_run: bool, folder: Path, limit: int, as_json: bool
) -> int:
    """Bring the datasets of FILE into the tree: an export, or a document in an older shape.

    Nothing is lost: what has no place of its own is kept under properties, and the report says so.
    """
    report = import_file(open_tree(folder), file, overwrite=overwrite, dry_run=dry_run)
    options.emit(report, text.imported(report, limit=limit), as_json=as_json)
    return options.verdict(failed=bool(report.findings))


@command("lumos snap export -o backup.json", "lumos snap export --at v1.0 's3/*' > s3.json")
@click.argument("globs", nargs=-1, metavar="[GLOB]...")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@options.at("Export the tree as it was at a branch, tag or commit.")
@options.folder
def export(globs: tuple[str, ...], *, output: Path | None, ref: str | None, folder: Path) -> int:
    """Write the tree, or the datasets that match a GLOB, as one portable JSON document.

    `lumos snap import` makes identical files of it.
    """
    tree = open_tree(folder)
    source = tree.at(ref) if ref else tree
    document = export_tree(source, globs=globs, source="lumos", moment=_moment(tree, ref))
    if output is None:
        options.write(document)
        return 0
    try:
        output.write_bytes(document)
    except OSError as exc:
        raise OutsideError(f"{output}: cannot be written: {exc.strerror}") from exc
    click.echo(f"wrote {output}", err=True)
    return 0


def _moment(tree: Tree, ref: str | None) -> int | None:
    """When the exported commit was made: the same tree always gives the same bytes."""
    repository = find_repository(tree.root) if ref else None
    return resolve(repository, ref).time if repository and ref else None

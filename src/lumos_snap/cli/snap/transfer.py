"""`lumos snap import` and `export`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.errors import LumosError
from lumos_snap.flows.choosing import is_of_a_tree
from lumos_snap.flows.exporting import export as export_tree
from lumos_snap.flows.importing import import_document
from lumos_snap.render import text
from lumos_snap.tree.replacing import replace_file


@command(
    "lumos snap import backup.json",
    "lumos snap import old.yaml --dry-run",
    "lumos snap export -C ../other | lumos snap import -",
    name="import",
)
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

    FILE may be `-` for standard input. Nothing is lost: what has no place of its own is kept under
    properties, and the report says so.
    """
    tree = options.tree(folder)
    document = options.document(file)
    report = import_document(tree, document, overwrite=overwrite, dry_run=dry_run)
    options.emit(report, text.imported(report, limit=limit), as_json=as_json)
    return options.verdict(failed=bool(report.findings))


@command("lumos snap export -o backup.json", "lumos snap export --at v1.0 's3/*' > s3.json")
@click.argument("globs", nargs=-1, metavar="[GLOB]...")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@options.at("Export the tree as it was at a branch, tag or commit.")
@options.folder
@options.limit
def export(
    globs: tuple[str, ...], *, output: Path | None, ref: str | None, folder: Path, limit: int
) -> int:
    """Write the tree, or the datasets that match a GLOB, as one portable JSON document.

    `lumos snap import` makes identical files of it. Where something is wrong with the tree, the
    findings are shown and nothing is written.
    """
    if output is not None and is_of_a_tree(output):
        raise LumosError(f"{output}: is a part of a tree", hint="write the export elsewhere")
    exported = export_tree(options.tree(folder, ref), globs)
    if exported.document is None:
        options.say(text.findings(exported.findings, limit), err=True)
    elif output is None or str(output) == "-":
        options.write(exported.document)
    else:
        replace_file(output, exported.document)
        options.say([f"wrote {output}"], err=True)
    return options.verdict(failed=exported.document is None)

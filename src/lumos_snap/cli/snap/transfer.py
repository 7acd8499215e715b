"""`lumos snap import`, `export` and `verify`."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lumos_snap.catalogs.fetch import SORTS, FetchFilter
from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.export import export as export_tree
from lumos_snap.commands.import_ import import_document
from lumos_snap.commands.import_reader import require_settled
from lumos_snap.errors import Exit, LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.render import plain_text, sync_text
from lumos_snap.tree.atomic import replace_file_with
from lumos_snap.tree.selection import is_of_a_tree

if TYPE_CHECKING:
    from lumos_snap.catalogs.fetch import Progress
    from lumos_snap.tree import Tree


@command(
    "lumos snap import backup.json",
    "lumos snap import old.yaml --dry-run",
    "lumos snap export -C ../other | lumos snap import -",
    "lumos snap import --from datahub --dry-run",
    "lumos snap import --from datahub --platform s3 --only 's3/lake/**'",
    name="import",
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--from", "catalog", metavar="NAME", help="Bring in what a catalog holds already.")
@click.option("--only", multiple=True, metavar="GLOB", help="Of a catalog: only what matches.")
@click.option("--platform", multiple=True, metavar="NAME", help="Of its datasets: only these.")
@click.option(
    "--kind", multiple=True, type=click.Choice(list(SORTS)), help="Of a catalog: only these kinds."
)
@click.option("--overwrite", is_flag=True, help="Replace files that are there and differ.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be written.")
@options.no_fetch_but("Ask no remote what it has kept that the catalog cannot hold.")
@options.folder
@options.limit
@options.as_json
def import_(file: Path | None, *, catalog: str | None, folder: Path, **given: Any) -> int:
    """Bring the datasets of FILE into the tree: an export, or a document in an older shape.

    FILE may be `-` for standard input. Nothing is lost: what has no place of its own is kept under
    properties, and the report says so.

    With --from, a catalog of lumos.yaml is adopted that is full already: datasets, words, owners,
    tags, lineage, glossary, users, groups, domains and properties become files, and a plan made
    then is empty. What others made there stays theirs. What is in the tree is not asked for again,
    so the same command goes on where it was cut off. What cannot be brought in is named.

    Exit 0, 1 where something was left out, 2 for usage, 3 where a catalog is out of reach, or a
    part of it cannot be read.
    """
    wanted = FetchFilter(only=given["only"], platforms=given["platform"], sorts=given["kind"])
    if (file is None) == (catalog is None) or (file is not None and wanted != FetchFilter()):
        raise LumosError(
            "what is to be brought in is a FILE, or a catalog and what is meant of it",
            hint="`lumos snap import backup.json`, or `lumos snap import --from NAME --only GLOB`",
        )
    tree = options.tree(folder)
    if catalog is not None:
        return _adopt(tree, catalog, wanted, given)
    assert file is not None  # noqa: S101 - one of the two is there
    document = options.document(file)
    how = {name: given[name] for name in ("overwrite", "dry_run")}
    report = import_document(tree, document, **how)
    options.emit(
        report, plain_text.import_lines(report, limit=given["limit"]), as_json=given["as_json"]
    )
    return options.verdict(failed=bool(report.findings))


def _adopt(tree: "Tree", name: str, wanted: FetchFilter, given: JsonObject) -> int:
    from lumos_snap.commands.import_ import ImportOptions, import_catalog, open_origin  # noqa: PLC0415 - late

    manner = ImportOptions(overwrite=given["overwrite"], dry_run=given["dry_run"])
    source = open_origin(tree, name, os.environ, fetch=given["fetch"])
    report, is_outside = import_catalog(tree, source, wanted, manner, _progress())
    options.emit(
        report, plain_text.import_lines(report, limit=given["limit"]), as_json=given["as_json"]
    )
    return Exit.OUTSIDE if is_outside else options.verdict(failed=bool(report.findings))


def _progress() -> "Progress":
    shown = options.progress("read", least=200)
    return lambda _, done, total: shown(done, total)


@command(
    "lumos snap export -o backup.json",
    "lumos snap export --at v1.0 's3/*' > s3.json",
    "lumos snap export --from datahub -o backup.json",
)
@click.argument("globs", nargs=-1, metavar="[GLOB]...")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@options.at("Export the tree as it was at a branch, tag or commit.")
@click.option("--from", "catalog", metavar="NAME", help="Export what a catalog holds instead.")
@click.option("--partial", is_flag=True, help="Of a catalog: write also if a part is missing.")
@options.no_fetch_but("Ask no remote what it has kept that the catalog cannot hold.")
@options.folder
@options.limit
def export(globs: tuple[str, ...], *, output: Path | None, folder: Path, **given: Any) -> int:
    """Write the tree, or the datasets that match a GLOB, as one portable JSON document.

    `lumos snap import` makes identical files of it. Where something is wrong with the tree, the
    findings are shown and nothing is written.

    With --from it is a backup of a catalog of lumos.yaml. What cannot be read there, or would not
    be sound here, is named, the exit code is 3, and nothing is written: a backup that lacks
    something is taken for a whole one later. --partial writes the rest all the same.
    """
    ref, catalog, limit = (given[name] for name in ("ref", "catalog", "limit"))
    if output is not None and is_of_a_tree(output):
        raise LumosError(f"{output}: is a part of a tree", hint="write the export elsewhere")
    if catalog is not None:
        if ref is not None:
            raise LumosError("a catalog has no past", hint="leave out --at, or --from")
        return _back_up(options.tree(folder), globs, output, given)
    exported = export_tree(options.tree(folder, ref), globs)
    if exported.document is None:
        options.say(plain_text.findings(exported.findings, limit), err=True)
    else:
        _put(output, [exported.document])
    return options.verdict(failed=exported.document is None)


def _back_up(tree: "Tree", globs: tuple[str, ...], output: Path | None, given: JsonObject) -> int:
    from lumos_snap.catalogs.fetch import as_finding  # noqa: PLC0415 - likewise
    from lumos_snap.commands.export import Backup  # noqa: PLC0415 - as above
    from lumos_snap.commands.import_ import open_origin  # noqa: PLC0415 - likewise

    source = open_origin(tree, given["catalog"], os.environ, fetch=given["fetch"])
    with Backup() as backup:
        backup.gather(source, FetchFilter(datasets=globs), _progress())
        findings = [as_finding(one) for one in backup.missed]
        options.say(plain_text.findings(findings, given["limit"]), err=True)
        for one in backup.left_out:
            what = ", ".join(one.left_out)
            options.say([f"{one.identity.id}: {what}: stays in git, and fits no more"], err=True)
        if not backup.missed or given["partial"]:
            _put(output, backup.pieces())
        else:
            options.say(["nothing is written: --partial writes the rest"], err=True)
        return Exit.OUTSIDE if backup.missed else Exit.CLEAN


def _put(output: Path | None, pieces: Iterable[bytes]) -> None:
    if output is None or str(output) == "-":
        for piece in pieces:
            options.write(piece)
        return
    require_settled(output)
    replace_file_with(output, pieces)
    options.say([f"wrote {output}"], err=True)


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

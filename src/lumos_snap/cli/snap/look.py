"""`lumos snap ls` and `show`."""

import sys
from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.ls import DatasetFilter
from lumos_snap.commands.ls import ls as list_datasets
from lumos_snap.commands.show import show as show_dataset
from lumos_snap.render import plain_text


@command(
    "lumos snap ls",
    "lumos snap ls 's3/*/raw/*' --owner analytics",
    "lumos snap ls --platform kafka --json",
    "lumos snap ls --at v1.0",
)
@click.argument("globs", nargs=-1, metavar="[GLOB]...")
@click.option("--platform", "platforms", multiple=True, help="Only datasets of this platform.")
@click.option("--tag", "tags", multiple=True, help="Only datasets with this tag.")
@click.option("--owner", "owners", multiple=True, help="Only datasets of this user or group.")
@click.option("--domain", "domains", multiple=True, help="Only datasets of this domain.")
@options.at("List the tree as it was at a branch, tag or commit.")
@options.folder
@options.limit
@options.as_json
def ls(
    globs: tuple[str, ...],
    *,
    platforms: tuple[str, ...],
    tags: tuple[str, ...],
    owners: tuple[str, ...],
    domains: tuple[str, ...],
    ref: str | None,
    folder: Path,
    limit: int,
    as_json: bool,
) -> int:
    """List datasets, all or those whose urn or name matches a GLOB.

    An option that is given twice means one or the other; different options must all hold.
    """
    wanted = DatasetFilter(globs, platforms, tags, owners, domains)
    report = list_datasets(options.tree(folder, ref), wanted)
    options.emit(report, plain_text.listing(report, limit=limit), as_json=as_json)
    return options.verdict(failed=bool(report.findings))


@command(
    "lumos snap show user_clicks",
    "lumos snap show lumos://s3/data-lake-prod/raw/events/user_clicks --at main",
)
@click.argument("dataset")
@options.at("Show it as it was at a branch, tag or commit.")
@options.folder
@options.as_json
def show(dataset: str, *, ref: str | None, folder: Path, as_json: bool) -> int:
    """Show one DATASET as a page: the words of machines and of people side by side.

    DATASET is a urn, a path in the tree, or the end of either that only it has.
    """
    found = show_dataset(options.tree(folder, ref), dataset)
    if as_json:
        options.emit(found.page, (), as_json=True)
    else:
        from lumos_snap.render.dataset_page import print_page  # noqa: PLC0415 - a page needs rich

        print_page(found.page, found.snapshot, sys.stdout, color=options.color())
    return 0

"""`lumos snap impact`."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands import impact as impact_command
from lumos_snap.commands.diff.sides import DiffOptions, SideOptions
from lumos_snap.render import impact_text

if TYPE_CHECKING:
    from lumos_snap.report.impact import ImpactReport


@command(
    "lumos snap impact orders",
    "lumos snap impact orders.customer_id",
    "lumos snap impact 's3/lake/raw/events.page.url' --json",
    "lumos snap impact --base main",
    "lumos snap impact orders --base main",
    "lumos snap impact --changes diff.json",
    "lumos snap impact",
)
@click.argument("dataset", required=False, metavar="[DATASET[.FIELD]]")
@click.option("--base", metavar="REF", help="Say who feels what changed since this branch or tag.")
@click.option("--head", metavar="REF", help="Look at this commit instead of the folder.")
@click.option(
    "--changes",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Say who feels what a diff found: its JSON, from `lumos snap diff --output json=FILE`.",
)
@options.no_fetch
@options.folder
@options.limit
@options.as_json
def impact(
    dataset: str | None,
    *,
    base: str | None,
    head: str | None,
    changes: Path | None,
    fetch: bool,
    folder: Path,
    limit: int,
    as_json: bool,
) -> int:
    """Say who reads a dataset or a column, and who feels a change.

    DATASET is a urn, a path in the tree, or the end of either that only it has; FIELD is a field
    path such as `customer_id`, `page.url` or `items[].price`. Without --base or --changes: who
    reads it, as if it were to be removed. With neither and no DATASET: the lineage of the whole
    tree in numbers, its circles, and edges from what is not in the tree.

    A consumer is BREAKING where it uses the column itself, AT RISK where only its table is known
    or others stand between, and COMPATIBLE where it gets along.

    Exit 0, 1 where a snapshot cannot be read and its lineage is not known, 3 if the base cannot be
    read.
    """
    if changes is not None and (base is not None or head is not None):
        raise click.UsageError("--changes says what is compared: give no --base and no --head")
    report = _report(dataset, base=base, head=head, changes=changes, fetch=fetch, folder=folder)
    options.emit(report, impact_text.impact_lines(report, limit=limit), as_json=as_json)
    return options.verdict(failed=bool(report.findings))


def _report(
    dataset: str | None,
    *,
    base: str | None,
    head: str | None,
    changes: Path | None,
    fetch: bool,
    folder: Path,
) -> "ImpactReport":
    if changes is not None:
        return impact_command.impact_of_file(options.tree(folder), changes, dataset, fetch=fetch)
    if base is None:
        return impact_command.find_consumers(options.tree(folder, head), dataset, fetch=fetch)
    return impact_command.impact_of_diff(
        functools.partial(options.tree, folder),
        DiffOptions(sought=SideOptions(base=base, head=head, fetch=fetch), today=options.today()),
        dataset,
        options.announce,
        options.progress("compared"),
    )

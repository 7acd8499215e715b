"""`lumos snap log` and `blame`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.blame import blame as blame_dataset
from lumos_snap.commands.log import LogOptions, build_evolution
from lumos_snap.commands.log import log as log_dataset
from lumos_snap.render import history_text


@command(
    "lumos snap log user_clicks",
    "lumos snap log user_clicks --field page.url",
    "lumos snap log silver/orders --since v12 --limit 20",
    "lumos snap log --since '3 months ago'",
    "lumos snap log --since 2026-01-01 --until 2026-03-31 --json",
)
@click.argument("dataset", required=False)
@click.option("--field", "column", metavar="PATH", help="Only what touched this column.")
@click.option("--since", metavar="WHEN", help="Only what came after a date, tag or other ref.")
@click.option("--until", metavar="WHEN", help="Only what came up to a date, tag or other ref.")
@options.at("End at a branch, tag or commit instead of HEAD.")
@options.folder
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="Show at most this many commits or datasets; 0 shows all.",
)
@options.as_json
def log(
    dataset: str | None,
    *,
    column: str | None,
    since: str | None,
    until: str | None,
    ref: str | None,
    folder: Path,
    limit: int,
    as_json: bool,
) -> int:
    """Show every change of one DATASET and what it meant, newest first.

    Former names are followed: of the dataset, where its contract or its store's id says so, and of
    columns. Without a DATASET: how the whole tree has changed since, by dataset and by month.
    WHEN is a date as git understands it, or a ref.
    """
    tree = options.tree(folder, ref)
    if dataset is not None:
        asked = LogOptions(ref=ref, since=since, until=until, column=column, limit=limit)
        report = log_dataset(tree, dataset, asked)
        options.emit(report, history_text.log(report), as_json=as_json)
        return 0
    if column is not None:
        raise click.UsageError("--field asks about a column: name its dataset")
    if since is None and until is None:
        raise click.UsageError("name a dataset, or a period with --since")
    found = build_evolution(tree, since, until, ref=ref, progress=options.progress("judging"))
    options.emit(found, history_text.evolution(found, limit=limit), as_json=as_json)
    return 0


@command("lumos snap blame user_clicks", "lumos snap blame silver/orders --at v12 --json")
@click.argument("dataset")
@options.at("Ask about the dataset as it was at a branch, tag or commit.")
@options.folder
@options.as_json
def blame(dataset: str, *, ref: str | None, folder: Path, as_json: bool) -> int:
    """Say of each column of a DATASET since which commit it is what it is.

    And in which commit it first appeared, under whatever name. What is not committed is named so.
    """
    report = blame_dataset(options.tree(folder, ref), dataset, ref)
    options.emit(report, history_text.blame(report), as_json=as_json)
    return 0

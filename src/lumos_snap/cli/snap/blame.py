"""`lumos snap blame`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.commands.blame import blame as blame_dataset
from lumos_snap.render import history_text


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

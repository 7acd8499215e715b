"""`lumos snap notify`."""

import os
from pathlib import Path

import click

from lumos_snap.ci.webhook import VARIABLE, webhook
from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.commands.diff.saved_report import read_saved_diff
from lumos_snap.commands.notify import notify as notify_owners
from lumos_snap.errors import Exit
from lumos_snap.render import notifications


@command(
    "lumos snap notify --changes diff.json",
    "lumos snap notify --changes diff.json --slack",
    "lumos snap notify --changes diff.json --mail letters --json",
)
@click.option(
    "--changes",
    type=click.Path(path_type=Path),
    required=True,
    help="What `lumos snap diff --output json=FILE` wrote.",
)
@click.option("--slack", is_flag=True, help=f"Post it to the webhook in {VARIABLE}.")
@click.option(
    "--mail",
    "letters",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write a text and a page for each owner, to be sent by mail.",
)
@options.folder
@options.as_json
def notify(*, changes: Path, slack: bool, letters: Path | None, folder: Path, as_json: bool) -> int:
    """Tell owners what breaks: of their datasets, and of those that theirs are made from.

    Owners of what changed are those in the snapshots; who is affected is what the diff says of it.
    Nothing is sent unless that is asked for, and nothing at all where nothing breaks.

    Exit 0, or 3 where files could not be read: what breaks there, nobody knows.
    """
    difference = read_saved_diff(changes)
    to = webhook(os.environ.get(VARIABLE)) if slack else None
    report = notify_owners(options.tree(folder), difference, webhook=to, folder=letters)
    options.emit(report, notifications.notify_lines(report), as_json=as_json)
    return Exit.OUTSIDE if report.unread else Exit.CLEAN

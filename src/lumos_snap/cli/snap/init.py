"""`lumos snap init`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.init import init as start
from lumos_snap.commands.schema import read_schema
from lumos_snap.render import plain_text


@command("lumos snap init", "lumos snap init metadata --environment PROD")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option("--environment", metavar="NAME", help="The environment of this tree, such as PROD.")
@click.option("--track-observations", is_flag=True, help="Let git keep what was measured.")
@options.as_json
def init(folder: Path, *, environment: str | None, track_observations: bool, as_json: bool) -> int:
    """Make FOLDER a tree of snapshots: settings, and what git must know.

    Safe to repeat: what is there is kept, and only missing lines are added.
    """
    report = start(
        folder,
        environment=environment,
        track_observations=track_observations,
        schema=read_schema("lumos-yaml"),
    )
    options.emit(report, plain_text.init_lines(report), as_json=as_json)
    return 0

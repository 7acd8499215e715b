"""`lumos schema`."""

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.schema import CATALOG, read_schema


@command("lumos schema", "lumos schema snapshot", "lumos schema output/validate > validate.json")
@click.argument("name", required=False)
def schema(name: str | None) -> int:
    """Print the published JSON Schema of this NAME, or the names of all."""
    if name is None:
        options.say(CATALOG)
    else:
        options.write(read_schema(name))
    return 0

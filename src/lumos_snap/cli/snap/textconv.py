"""`lumos snap textconv`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.textconv import flat_file


@command(
    "lumos snap textconv snapshots/s3/lake/clicks.json",
    "git config diff.lumos.textconv 'lumos snap textconv'",
)
@click.argument("file", type=click.Path(path_type=Path))
def textconv(file: Path) -> int:
    """Print a document as flat text: a line for each column and each other fact.

    `git diff` and `git log -p` call this, and so speak of columns; `lumos snap init` installs it.
    A file that is no document is printed as it is.
    """
    options.write(flat_file(file))
    return 0

"""`lumos snap merge-driver`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.merge_driver import merge_files
from lumos_snap.render import plain_text

_FILE = click.Path(path_type=Path)


@command(
    "lumos snap merge-driver base.json ours.json theirs.json",
    "git config merge.lumos.driver 'lumos snap merge-driver %O %A %B --path %P --marker-size %L'",
    name="merge-driver",
)
@click.argument("base", type=_FILE)
@click.argument("ours", type=_FILE)
@click.argument("theirs", type=_FILE)
@click.option("--path", metavar="PATH", help="What the document is called in the repository.")
@click.option(
    "--marker-size",
    type=click.IntRange(min=1),
    default=7,
    show_default=True,
    help="The length of conflict markers, where only git's own merge can help.",
)
def merge_driver(
    base: Path, ours: Path, theirs: Path, *, path: str | None, marker_size: int
) -> int:
    """Merge what two branches made of a document: git calls this, `lumos snap init` installs it.

    The result replaces OURS. Exit 0 if it is clean; exit 1 if something is in conflict: then the
    file says in its first section, `conflicts`, what is to be decided.
    """
    result = merge_files(base, ours, theirs, path=path, marker_size=marker_size)
    lines = plain_text.merging(result.conflicts, remark=result.remark, path=path or str(ours))
    options.say(lines, err=True)
    return options.verdict(failed=not result.is_clean)

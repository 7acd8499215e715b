"""`lumos snap diff`."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.diff.judge import diff as diff_trees
from lumos_snap.commands.diff.sides import DiffOptions, SideOptions, is_tree_folder
from lumos_snap.errors import Exit
from lumos_snap.render import diff_formats

if TYPE_CHECKING:
    from lumos_snap.config.settings import FailOn
    from lumos_snap.report.diff import DiffReport


@command(
    "lumos snap diff",
    "lumos snap diff --base main",
    "lumos snap diff --base v12 --head main --no-merge-base",
    "lumos snap diff --base main s3/lake/raw/events",
    "lumos snap diff yesterday/ today/",
    "lumos snap diff --base main --output markdown=comment.md --output json=diff.json",
    "lumos snap diff --base main --output github --output sarif=diff.sarif --output junit=diff.xml",
)
@click.argument("what", nargs=-1, metavar="[DATASET... | OLD NEW]")
@options.comparison
@click.option("--all", "everything", is_flag=True, help="Show every change, not only what breaks.")
@click.option(
    "--output",
    "wanted",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help=f"Print or write {diff_formats.format_names()}; may be given several times.",
)
@options.fail_on
@click.option(
    "--no-impact",
    "impact",
    flag_value=False,
    default=True,
    type=bool,
    help="Do not look for those who feel the changes downstream.",
)
@options.config
@options.folder
@options.limit
@options.as_json
def diff(
    what: tuple[str, ...],
    *,
    sought: SideOptions,
    everything: bool,
    wanted: tuple[str, ...],
    fail_on: "FailOn | None",
    impact: bool,
    config: Path | None,
    folder: Path,
    limit: int,
    as_json: bool,
) -> int:
    """Say what differs from a base, what it breaks, for whom, why, and what to do.

    Without a base: what is not committed yet. With `--base main`: what this branch changed since
    it left main. With two folders: what differs between the two trees in them.

    Exit 0, 1 if a change or an invalid document fails, 3 if the base cannot be read.
    """
    chosen = diff_formats.parse_outputs(wanted or (("json",) if as_json else ("text",)))
    folders = tuple(Path(one) for one in what)
    is_two_folders = len(folders) == 2 and all(map(is_tree_folder, folders))  # noqa: PLR2004
    asked = DiffOptions(
        sought=SideOptions(folders=(folders[0], folders[1])) if is_two_folders else sought,
        datasets=() if is_two_folders else what,
        fail_on=fail_on,
        impact=impact,
        config=config,
        approvals=options.approvals,
        today=options.today(),
    )
    report = diff_trees(
        functools.partial(options.tree, folder),
        asked,
        options.announce,
        options.progress("compared"),
        meanwhile=diff_formats.load_text,
    )
    options.put(chosen, report, limit=limit, everything=everything)
    return _exit(report)


def _exit(report: "DiffReport") -> int:
    return {"pass": Exit.CLEAN, "fail": Exit.FINDINGS, "undecided": Exit.OUTSIDE}[report.verdict]

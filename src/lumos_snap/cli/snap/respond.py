"""`lumos snap respond`."""

import os
from pathlib import Path

import click

from lumos_snap.cli import github, options
from lumos_snap.cli.lazy import command
from lumos_snap.errors import Exit


@command(
    "lumos snap respond --marker Snapshots/gate",
    "lumos snap respond --marker 'Snapshots/gate teams/lake teams/shop' teams/lake teams/shop",
)
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[TREE...]")
@options.config
@click.option(
    "--marker",
    default="Snapshots/gate",
    show_default=True,
    metavar="NAME",
    help="The gate whose comment and status follow, as `lumos/NAME` shows it on a commit.",
)
@options.as_json
@github.show_errors
def respond(folders: tuple[Path, ...], *, config: Path | None, marker: str, as_json: bool) -> int:
    """Run the `/lumos waive` command of a comment on a GitHub pull request.

    `/lumos waive FINGERPRINT until=DATE reason=…` commits a waiver to the branch of the pull
    request, in the name of who wrote the comment. They must be able to write to the repository
    and, where CODEOWNERS of the target branch covers the file, be an owner. The gate then judges
    that commit and sets its status, and the thread gets an answer. `ci/github/waive.yml` is the
    workflow that runs this; the checkout must be the head of the pull request.

    Exit 0 if a waiver was committed or the comment holds no command, 1 if the command was refused.
    """
    from lumos_snap.ci.environment import read_run  # noqa: PLC0415 - not needed to show help
    from lumos_snap.commands import respond as respond_command  # noqa: PLC0415 - likewise
    from lumos_snap.report.gate import RespondReport  # noqa: PLC0415 - likewise

    posted = github.read_comment()
    if posted is None:
        report = RespondReport(
            outcome="ignored", message="no person has commented on a pull request"
        )
    else:
        asked = respond_command.RespondOptions(
            posted=posted,
            folders=folders or (Path(),),
            config=config,
            name=marker,
            run=read_run(os.environ),
            today=options.today(),
        )
        report = respond_command.respond(asked, options.tree, github.exchange, options.announce)
    told = f"{report.outcome}: {report.message}"
    lines = (told, f"  → {report.hint}") if report.hint else (told,)
    options.emit(report, lines, as_json=as_json)
    return Exit.FINDINGS if report.outcome == "refused" else Exit.CLEAN

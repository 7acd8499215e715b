"""`lumos snap comment`, `respond` and `notify`."""

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumos_snap.ci.webhook import VARIABLE, webhook
from lumos_snap.cli import github, options
from lumos_snap.cli.app import command
from lumos_snap.commands.diff.saved_report import read_saved_diff
from lumos_snap.commands.notify import notify as notify_owners
from lumos_snap.errors import Exit, LumosError, OutsideError
from lumos_snap.render import notifications

if TYPE_CHECKING:
    from lumos_snap.ci.environment import Event
    from lumos_snap.commands.comment import CommentOptions
    from lumos_snap.commands.diff.sides import Approvals
    from lumos_snap.report.gate import TreeResult


@command(
    "lumos snap comment --base main --dry-run",
    "lumos snap comment --changes diff.json --pr 7 --repo owner/name",
    "lumos snap comment --changes lake=a.json --changes shop=b.json",
)
@github.pr
@click.option(
    "--changes",
    multiple=True,
    metavar="[NAME=]FILE",
    help="What `diff --output json=FILE` or `gate` wrote; several are several trees.",
)
@github.repo
@click.option("--base", metavar="REF", help="Without --changes: what to compare with.")
@github.marker
@github.status
@click.option("--dry-run", is_flag=True, help="Print the comment, and send nothing.")
@options.folder
@options.as_json
@github.show_errors
def comment(
    number: int | None,
    *,
    changes: tuple[str, ...],
    repository: str | None,
    base: str | None,
    marker: str | None,
    status: bool | None,
    dry_run: bool,
    folder: Path,
    as_json: bool,
) -> int:
    """Keep one comment on a pull request of GitHub's up to date, and a commit status beside it.

    The comment is found again by a mark that nobody sees, and edited; where there is nothing to
    say, none is written. In GitHub Actions the event says which pull request is meant. The token
    is GITHUB_TOKEN in the environment, and GITHUB_API_URL says where GitHub is.

    Exit 0 whatever the verdict is, because `lumos snap diff` and `lumos snap gate` decide; 3 if the
    base cannot be read, or the comment or the status is refused.
    """
    if changes and base:
        raise click.UsageError("--changes were compared already: leave --base out")
    from lumos_snap.ci.environment import read_run  # noqa: PLC0415 - not needed to show help
    from lumos_snap.commands import comment as comment_command  # noqa: PLC0415 - likewise

    event, here = github.event(), read_run(os.environ)
    approvals = functools.partial(github.approvals, number=number, repository=repository)
    speech = comment_command.CommentOptions(
        results=_results(changes, base, folder, event, approvals),
        event=event,
        run=here,
        name=marker or here.name or "lumos",
        repository=repository,
        number=number,
        status=event.is_trusted if status is None else status,
    )
    return _show(speech, as_json=as_json) if dry_run else _deliver(speech, as_json=as_json)


def _show(speech: "CommentOptions", *, as_json: bool) -> Exit:
    """Print the comment."""
    from lumos_snap.commands import comment as comment_command  # noqa: PLC0415 - not needed to show help

    report = comment_command.preview_comment(speech)
    options.emit(report, report.body.split("\n"), as_json=as_json)
    return Exit.CLEAN


def _deliver(speech: "CommentOptions", *, as_json: bool) -> Exit:
    """Send the comment and the status; rejections give exit code 3."""
    from lumos_snap.commands import comment as comment_command  # noqa: PLC0415 - not needed to show help

    sent = comment_command.comment(speech, github.exchange)
    told = f"{sent.report.message} {sent.report.url}".rstrip()
    options.emit(sent.report, [told], as_json=as_json)
    if sent.is_fork or not sent.refusals:
        return Exit.CLEAN
    for refusal in sent.refusals:
        github.show(refusal, "error")
    return Exit.OUTSIDE


def _results(
    changes: tuple[str, ...],
    base: str | None,
    folder: Path,
    event: "Event",
    approvals: "Approvals",
) -> "list[TreeResult]":
    from lumos_snap.commands.diff.saved_report import read_saved_results  # noqa: PLC0415 - likewise
    from lumos_snap.commands.gate import GateOptions, gate  # noqa: PLC0415 - not needed for help

    if changes:
        named = [_parse_result_file(one) for one in changes]
        return [tree for name, path in named for tree in read_saved_results(path, name)]
    compared = base or event.base
    if compared is None:
        raise LumosError("what to compare with is not said", hint="name it: --base main")
    asked = GateOptions(
        folders=(folder,), base=compared, approvals=approvals, today=options.today()
    )
    (result,) = gate(asked, options.tree, options.announce).trees
    if result.difference is None:
        cause = OutsideError if result.exit == Exit.OUTSIDE else LumosError
        raise cause(result.problem or "nothing can be compared", hint=result.hint)
    return [result]


def _parse_result_file(text: str) -> tuple[str, Path]:
    """Parse `NAME=FILE`; an existing file with `=` in its name takes precedence."""
    name, equals, file = text.partition("=")
    if not equals or not name or Path(text).is_file():
        return Path(text).stem, Path(text)
    return name, Path(file)


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

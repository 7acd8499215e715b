"""`lumos snap comment`."""

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumos_snap.cli import github, options
from lumos_snap.cli.lazy import command
from lumos_snap.errors import Exit, LumosError, OutsideError

if TYPE_CHECKING:
    from lumos_snap.ci.environment import Event
    from lumos_snap.commands.comment import CommentOptions
    from lumos_snap.commands.diff.target import Approvals
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

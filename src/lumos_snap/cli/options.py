"""Options and output functions that commands share."""

import datetime
import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from lumos_snap.cli.app import build_redactor, ignore_closed_pipe
from lumos_snap.errors import Exit, LumosError

if TYPE_CHECKING:
    from lumos_snap.commands.diff.sides import Target
    from lumos_snap.commands.import_reader import IncomingDocument
    from lumos_snap.render.diff_formats import Output
    from lumos_snap.report.command_reports import Report
    from lumos_snap.report.diff import DiffReport
    from lumos_snap.tree import Tree

F = TypeVar("F", bound=Callable[..., Any])

folder = click.option(
    "-C",
    "--tree",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="A folder of the tree.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
limit = click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="Show at most this many findings; 0 shows all.",
)
fail_on = click.option(
    "--fail-on",
    type=click.Choice(["breaking", "non-breaking", "none"]),
    help="The least level that fails; lumos.yaml says it where this does not.",
)
config = click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Judge by the policy in this file, written like lumos.yaml, not by the tree's own.",
)
paths = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))


def at(help_text: str) -> Callable[[F], F]:
    """The option for a ref."""
    return click.option("--at", "--ref", "ref", metavar="REF", help=help_text)


def no_fetch_but(says: str) -> Callable[[F], F]:
    """The option that keeps a command off the network, with its effect as help."""
    return click.option("--no-fetch", "fetch", flag_value=False, default=True, type=bool, help=says)


no_fetch = no_fetch_but("In a shallow or partial clone, fetch nothing: fail instead.")
_COMPARISON = (
    click.option(
        "--base",
        default="HEAD",
        show_default=True,
        metavar="REF",
        help="The branch, tag or commit to compare with; `none` for an empty tree.",
    ),
    click.option("--head", metavar="REF", help="Compare this commit instead of the folder."),
    click.option(
        "--no-merge-base",
        "merge_base",
        flag_value=False,
        default=True,
        type=bool,
        help="Compare with the base itself, not with what the branch shares with it.",
    ),
    no_fetch,
)


def comparison(function: F) -> F:
    """Decorator that adds the options of a comparison; the command receives them as `sought`."""

    @functools.wraps(function)
    def with_sought(
        *args: Any, base: str, head: str | None, merge_base: bool, fetch: bool, **rest: Any
    ) -> object:
        from lumos_snap.commands.diff.sides import SideOptions  # noqa: PLC0415 - not needed to show help

        sought = SideOptions(base=base, head=head, merge_base=merge_base, fetch=fetch)
        return function(*args, sought=sought, **rest)

    for option in reversed(_COMPARISON):
        with_sought = option(with_sought)
    return cast("F", with_sought)


def announce(line: str) -> None:
    """Announce slow steps and network access on standard error."""
    say([line], err=True)


def approvals(tree: "Tree", paths: Set[str], target: "Target | None") -> Mapping[str, str]:
    """Find unapproved waivers; asks GitHub if a pull request started this job."""
    from lumos_snap.cli import github  # noqa: PLC0415 - only for a policy that asks for it

    return github.approvals(tree, paths, target)


def today() -> datetime.date:
    """The current day in UTC, for waivers and sunsets."""
    return datetime.datetime.now(datetime.UTC).date()


def put(outputs: "Iterable[Output]", report: "DiffReport", *, limit: int, everything: bool) -> None:
    """Print a diff or write it to files, in all requested formats."""
    from lumos_snap.render.diff_formats import DiffStyle  # noqa: PLC0415 - only for diffs

    style = DiffStyle(limit=limit, everything=everything)
    for output in outputs:
        text = output.render(report, style)
        if output.file is None:
            with ignore_closed_pipe():
                click.echo(text, nl=False)
        else:
            from lumos_snap.tree.atomic import replace_file  # noqa: PLC0415 - only for files

            replace_file(output.file, text.encode("utf-8", "backslashreplace"))


def tree(folder: Path, ref: str | None = None) -> "Tree":
    """The tree of a folder, in its current state or at a ref; an empty ref is an error."""
    from lumos_snap.tree import open_tree  # noqa: PLC0415 - not needed to show help

    found = open_tree(folder)
    return found if ref is None else found.at(ref)


def document(path: Path) -> "IncomingDocument":
    """Read the document in a file, or on standard input for `-`."""
    from lumos_snap.commands.import_reader import IncomingDocument, read_incoming  # noqa: PLC0415 - only where one is read
    from lumos_snap.documents.limits import TRANSFER, read_stream  # noqa: PLC0415 - as below

    if str(path) == "-":
        if sys.stdin is None:
            raise LumosError("standard input is closed", hint="name a file, or pipe one in")
        return IncomingDocument("standard input", read_stream(sys.stdin.buffer, TRANSFER))
    return read_incoming(path)


def say(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines for people, without secrets and control sequences of terminals or CI logs."""
    from lumos_snap.text import sanitize_text  # noqa: PLC0415 - not needed to show help

    hidden = build_redactor()
    with ignore_closed_pipe():
        for line in lines:
            click.echo(sanitize_text(hidden(line)), err=err)


def write(content: bytes) -> None:
    """Print bytes unchanged."""
    with ignore_closed_pipe():
        sys.stdout.buffer.write(content)


def emit(report: "Report", lines: Iterable[str], *, as_json: bool) -> None:
    """Print a report as JSON or as text."""
    if as_json:
        from lumos_snap.render.json_report import redact_json  # noqa: PLC0415 - only where asked for

        with ignore_closed_pipe():
            click.echo(redact_json(report, build_redactor()), nl=False)
    else:
        say(lines)


def verdict(*, failed: bool) -> int:
    """The exit code of a command with findings."""
    return Exit.FINDINGS if failed else Exit.CLEAN


def color() -> bool:
    """Whether to use colors: only on a terminal, and not with https://no-color.org."""
    return not os.environ.get("NO_COLOR") and sys.stdout.isatty()


_SOON = 2_000
"""Below this number, work ends before a progress display is useful."""


def progress(verb: str, *, least: int = _SOON) -> Callable[[int, int], None]:
    """A progress line on a terminal; nothing in CI, in a pipe, or for little work."""
    quiet = not sys.stderr.isatty() or bool(os.environ.get("CI"))
    since = time.monotonic()

    def show(done: int, total: int) -> None:
        if quiet or total < least:
            return
        seconds = time.monotonic() - since
        rate = f", {done / seconds:,.0f} a second" if seconds > 1 else ""
        end = "\r\033[K" if done >= total else ""
        click.echo(f"\r\033[K{verb} {done:,} of {total:,}{rate}{end}", err=True, nl=False)

    return show

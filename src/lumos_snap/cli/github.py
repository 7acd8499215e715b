"""GitHub Actions: variables and event of a job, and output to the runner."""

import functools
import json
import os
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import click

from lumos_snap.ci.environment import Event, PostedComment, event_of, parse_comment
from lumos_snap.cli.app import complain, ignore_closed_pipe
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject

if TYPE_CHECKING:
    from lumos_snap.ci.github_client import GitHubClient
    from lumos_snap.commands.diff.sides import Target
    from lumos_snap.tree import Tree

F = TypeVar("F", bound=Callable[..., Any])
Level = Literal["error", "warning"]

pr = click.option("--pr", "number", type=click.IntRange(min=1), help="The pull request's number.")
repo = click.option("--repo", "repository", metavar="OWNER/NAME", help="The repository on GitHub.")
marker = click.option(
    "--marker",
    metavar="NAME",
    help="Which configuration speaks: each has one comment and one status.  [default: the job]",
)
status = click.option(
    "--status/--no-status",
    default=None,
    help="Set a commit status too.  [default: unless another workflow's results are reported]",
)


def event() -> Event:
    """The event that started this job; without a name outside of GitHub."""
    name = os.environ.get("GITHUB_EVENT_NAME", "")
    return event_of(name, _payload(), os.environ.get("GITHUB_REPOSITORY") or None)


def read_comment() -> PostedComment | None:
    """The comment on a pull request that started this job, if any."""
    name = os.environ.get("GITHUB_EVENT_NAME", "")
    return parse_comment(name, _payload(), os.environ.get("GITHUB_REPOSITORY") or None)


def _payload() -> JsonObject:
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        found = json.loads(Path(path).read_bytes())
    except OSError as exc:
        raise LumosError(f"{path}: the event cannot be read: {exc.strerror}") from exc
    except ValueError as exc:
        raise LumosError(f"{path}: the event is not JSON", hint="check GITHUB_EVENT_PATH") from exc
    return found if isinstance(found, dict) else {}


def approvals(
    tree: "Tree",
    paths: Set[str],
    target: "Target | None",
    *,
    number: int | None = None,
    repository: str | None = None,
) -> Mapping[str, str]:
    """Find waiver files without a valid approval, and the reasons; calls GitHub."""
    found = event()
    request = number or found.number or found.queued
    home = repository or found.repository
    if request is None or home is None:
        from lumos_snap.commands.diff.waivers import NO_FORGE  # noqa: PLC0415 - only for such a policy

        return dict.fromkeys(paths, NO_FORGE)
    from lumos_snap.commands.approvals import ReviewedPullRequest, find_unapproved_waivers  # noqa: PLC0415 - likewise

    head = found.head if request == found.number else None
    reviewed = ReviewedPullRequest(
        open_exchange=exchange, repository=home, number=request, head=head
    )
    return find_unapproved_waivers(reviewed, tree, paths, target)


def exchange() -> "GitHubClient":
    """A client for the GitHub server in the environment."""
    from lumos_snap.ci.environment import read_host  # noqa: PLC0415 - likewise
    from lumos_snap.ci.github_client import GitHubClient  # noqa: PLC0415 - loads what speaks HTTP
    from lumos_snap.cli.options import announce  # noqa: PLC0415 - likewise

    return GitHubClient(read_host(os.environ), announce)


def is_runner() -> bool:
    """Whether a GitHub runner reads the output."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def append(variable: str, text: str) -> None:
    """Append to the file that a variable names, if set."""
    path = os.environ.get(variable)
    if path:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)


def print_commands(lines: str) -> None:
    """Print workflow commands."""
    with ignore_closed_pipe():
        click.echo(lines, nl=False)


def show(error: LumosError, level: Level) -> None:
    """Print an error that does not end the command; on a runner, also as an annotation."""
    complain(error.message, error.hint)
    if is_runner():
        _annotate(error, level)


def _annotate(error: LumosError, level: Level) -> None:
    from lumos_snap.ci.runner import command  # noqa: PLC0415 - only where it fails
    from lumos_snap.text import sanitize_text  # noqa: PLC0415 - likewise

    words = ". ".join(filter(None, (error.message, error.hint)))
    print_commands(command(level, sanitize_text(words)) + "\n")


def show_errors(function: F) -> F:
    """Annotate errors that end the command: they are easily missed at the end of a log."""

    @functools.wraps(function)
    def told(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except LumosError as exc:
            if is_runner():
                _annotate(exc, "error")
            raise

    return cast("F", told)

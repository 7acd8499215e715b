"""`lumos snap gate`."""

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumos_snap.cli import github, options
from lumos_snap.cli.app import command
from lumos_snap.errors import Exit, LumosError, OutsideError

if TYPE_CHECKING:
    from lumos_snap.ci.environment import Event
    from lumos_snap.commands.comment import CommentResult
    from lumos_snap.config.settings import FailOn
    from lumos_snap.render.diff_formats import Output
    from lumos_snap.report.gate import GateReport


@command(
    "lumos snap gate --base main",
    "lumos snap gate --base main teams/lake teams/shop --report reports/",
    "lumos snap gate --comment --marker lake",
)
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[TREE...]")
@click.option("--base", metavar="REF", help="What to compare with.  [default: as the event says]")
@options.fail_on
@options.config
@click.option(
    "--report",
    "kept",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the answer to this folder, in every form that others read.",
)
@click.option(
    "--output",
    "wanted",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write all trees as one diff to a file, in a format of `lumos snap diff`.",
)
@click.option("--comment/--no-comment", "comments", default=False, help="Comment on GitHub.")
@github.status
@click.option(
    "--require-report",
    is_flag=True,
    help="Exit 3 instead of 0 if the comment or the commit status is refused.",
)
@github.marker
@options.as_json
@github.show_errors
def gate(
    folders: tuple[Path, ...],
    *,
    base: str | None,
    fail_on: "FailOn | None",
    config: Path | None,
    kept: Path | None,
    wanted: tuple[str, ...],
    comments: bool,
    status: bool | None,
    require_report: bool,
    marker: str | None,
    as_json: bool,
) -> int:
    """Judge what a pull request changes in one or several trees, and say so wherever it is read.

    This is what the GitHub Action runs. Like `lumos snap diff` it compares, judges and fails; a
    tree that cannot be judged does not keep the others from it. In GitHub Actions the base comes
    from the event, and annotations, a job summary and outputs are written.

    A comment or a status that the server refuses is a warning: the verdict alone decides how the
    gate ends. `--require-report` makes it an error where the verdict is a pass.

    Exit 0 if every tree passes, 1 if one fails, 3 if the base cannot be read; 2 or 3 if a tree
    could not be judged otherwise.
    """
    if require_report and not (comments or status):
        raise click.UsageError("--require-report needs --comment or --status")
    forms, event = _forms(wanted), github.event()
    report = _judge_trees(folders, base or event.base or _no_base(event), config, fail_on)
    unwritten = _tell(report, kept, forms, as_json=as_json)
    name = marker or _configuration(folders, config)
    speaks = _Delivery(comments=comments, status=status, is_required=require_report)
    is_reported = _comment(report, event, name, speaks)
    return _exit(report, is_delivered=not unwritten and (is_reported or not require_report))


def _judge_trees(
    folders: tuple[Path, ...], base: str, config: Path | None, fail_on: "FailOn | None"
) -> "GateReport":
    from lumos_snap.commands import gate as gate_command  # noqa: PLC0415 - not needed to show help

    asked = gate_command.GateOptions(
        folders=folders or (Path(),),
        base=base,
        config=config,
        fail_on=fail_on,
        approvals=github.approvals,
        today=options.today(),
    )
    return gate_command.gate(asked, options.tree, options.announce)


def _exit(report: "GateReport", *, is_delivered: bool) -> int:
    """The exit code; failed delivery turns only a pass into an error."""
    verdict = max(tree.exit for tree in report.trees)
    return verdict or (Exit.CLEAN if is_delivered else Exit.OUTSIDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delivery:
    """Delivery of the verdict to the forge."""

    comments: bool
    status: bool | None
    is_required: bool


def _forms(wanted: tuple[str, ...]) -> "tuple[Output, ...]":
    from lumos_snap.render import diff_formats  # noqa: PLC0415 - not needed to show help

    forms = diff_formats.parse_outputs(wanted)
    if any(one.file is None for one in forms):
        raise click.UsageError("--output needs a file here: what is printed is for people")
    return forms


def _tell(
    report: "GateReport", kept: Path | None, forms: "tuple[Output, ...]", *, as_json: bool
) -> bool:
    """Print the report, write files, and set outputs of the runner; whether anything failed."""
    from lumos_snap.ci import runner  # noqa: PLC0415 - not needed to show help
    from lumos_snap.ci.aggregate import merge_diffs  # noqa: PLC0415 - likewise

    text = runner.text(report)
    if github.is_runner() and not as_json:
        github.print_commands(runner.escape_commands(text, secrets.token_hex(16)))
    else:
        options.emit(report, text.split("\n"), as_json=as_json)
    steps: list[Callable[[], object]] = []
    found = merge_diffs(report.trees)
    if found is not None:
        steps += [partial(options.put, (one,), found, limit=0, everything=True) for one in forms]
    if kept is not None:
        steps.append(partial(_keep, runner.files(report), kept))
    if github.is_runner():
        outputs = runner.outputs(runner.step_outputs(report, kept))
        steps += [
            partial(github.print_commands, runner.annotations(report)),
            partial(github.append, "GITHUB_STEP_SUMMARY", runner.summary(report)),
            partial(github.append, "GITHUB_OUTPUT", outputs),
        ]
    return any([_has_failed(step) for step in steps])  # noqa: C419 - one that fails stops no other


def _has_failed(step: Callable[[], object]) -> bool:
    """Run one output step; whether it failed. Errors are shown and do not stop other steps."""
    try:
        step()
    except LumosError as exc:
        github.show(exc, "error")
    except OSError as exc:
        what = f"{exc.filename or 'the output'}: cannot be written: {exc.strerror}"
        github.show(OutsideError(what, hint="check free space and permissions"), "error")
    else:
        return False
    return True


def _keep(files: Mapping[str, str], folder: Path) -> None:
    from lumos_snap.git import refuse_committed_links  # noqa: PLC0415 - only where asked for
    from lumos_snap.tree.atomic import replace_file  # noqa: PLC0415 - likewise

    refuse_committed_links(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise OutsideError(f"{folder}: cannot be made: {exc.strerror}") from exc
    for name, content in files.items():
        replace_file(folder / name, content.encode("utf-8", "backslashreplace"))


def _configuration(folders: tuple[Path, ...], config: Path | None) -> str:
    """Name that tells this gate from others of the same pull request."""
    from lumos_snap.ci.environment import read_run  # noqa: PLC0415 - loads what speaks HTTP

    trees = [str(one) for one in folders if one != Path()]
    named = (
        read_run(os.environ).name or "lumos",
        *trees,
        *([] if config is None else [str(config)]),
    )
    return " ".join(named)


def _comment(report: "GateReport", event: "Event", name: str, speaks: _Delivery) -> bool:
    """Report to the pull request, if any; whether everything was delivered."""
    comments = speaks.comments
    wants_status = comments and event.is_trusted if speaks.status is None else speaks.status
    if event.number is None or not (comments or wants_status):
        return True
    from lumos_snap.ci.environment import read_run  # noqa: PLC0415 - loads what speaks HTTP
    from lumos_snap.commands.comment import CommentOptions, comment  # noqa: PLC0415 - likewise

    try:
        sent = comment(
            CommentOptions(
                results=report.trees,
                event=event,
                run=read_run(os.environ),
                name=name,
                comments=comments,
                status=wants_status,
            ),
            github.exchange,
        )
    except LumosError as exc:
        refusals: tuple[LumosError, ...] = (exc,)
    else:
        refusals = () if sent.is_fork and not speaks.is_required else sent.refusals
        _say_sent(sent)
    for refusal in refusals:
        told = OutsideError(f"{refusal.message}; the verdict stays", hint=refusal.hint)
        github.show(told, "error" if speaks.is_required else "warning")
    return not refusals


def _say_sent(sent: "CommentResult") -> None:
    from lumos_snap.ci.runner import command as told  # noqa: PLC0415 - loads what speaks HTTP

    said = sent.report
    if said.outcome == "not allowed" and github.is_runner():
        github.print_commands(
            told("notice", f"{said.message}; the summary of this run says it all") + "\n"
        )
    else:
        options.announce(f"{said.message} {said.url}".rstrip())


def _no_base(event: "Event") -> str:
    why = f"no base given, and the event `{event.name}` has none" if event.name else "no base given"
    raise LumosError(why, hint="pass --base, as in --base main")

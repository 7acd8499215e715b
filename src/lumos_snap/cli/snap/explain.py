"""`lumos snap explain`, `waive` and `rules`."""

import datetime
import functools
from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands import explain as explain_command
from lumos_snap.commands.diff.sides import DiffOptions, SideOptions
from lumos_snap.commands.rules import list_rules
from lumos_snap.config.waivers import Waiver
from lumos_snap.errors import Exit
from lumos_snap.render import diff_text, rules_text

_DAYS = 90


@command("lumos snap explain 3f2a91c07b4e8d15 --base main")
@click.argument("fingerprint")
@options.comparison
@options.folder
@options.as_json
def explain(fingerprint: str, *, sought: SideOptions, folder: Path, as_json: bool) -> int:
    """Print the chain that led a finding to its verdict: fact, rule, reader, policy, waiver.

    FINGERPRINT is what `lumos snap diff` or `check` shows beside the finding, or its beginning;
    name the same `--base`.

    Exit 0, 2 if there is no such finding, 3 if the base cannot be read.
    """
    report = explain_command.explain(
        functools.partial(options.tree, folder),
        DiffOptions(sought=sought, approvals=options.approvals, today=options.today()),
        fingerprint,
        options.announce,
    )
    options.emit(report, diff_text.explanation(report.finding), as_json=as_json)
    return Exit.CLEAN


@command(
    'lumos snap waive 3f2a91c07b4e8d15 --base main --reason "agreed with finance"',
    'lumos snap waive 3f2a --reason "column was empty" --ticket DATA-12 --expires 2027-01-31',
)
@click.argument("fingerprint")
@options.comparison
@click.option("--reason", required=True, help="Why the change is accepted.")
@click.option("--owner", help="Who answers for that; the git user where nobody is named.")
@click.option("--ticket", help="Where it was discussed.")
@click.option(
    "--expires",
    "--until",
    "expires",
    type=click.DateTime(["%Y-%m-%d"]),
    show_default=f"in {_DAYS} days",
    help="The last day on which it holds.",
)
@click.option("--dry-run", is_flag=True, help="Print the file; write nothing.")
@options.folder
@options.as_json
def waive(
    fingerprint: str,
    *,
    sought: SideOptions,
    reason: str,
    owner: str | None,
    ticket: str | None,
    expires: datetime.datetime | None,
    dry_run: bool,
    folder: Path,
    as_json: bool,
) -> int:
    """Accept one finding of `diff` or `check`: write a waiver, to be reviewed with the change.

    A waiver covers exactly this finding, and only until it expires: from then on the finding fails
    again.

    Exit 0, 2 if there is no such finding, 3 if the base cannot be read.
    """
    last = expires.date() if expires else options.today() + datetime.timedelta(days=_DAYS)
    if not reason.strip():
        raise click.BadParameter("say why the change is accepted", param_hint="--reason")
    if last < options.today():
        raise click.BadParameter(f"{last} has passed already", param_hint="--expires")
    tree = options.tree(folder)
    asked = DiffOptions(sought=sought, approvals=options.approvals, today=options.today())
    finding = explain_command.explain(lambda: tree, asked, fingerprint, options.announce).finding
    waiver = Waiver(
        fingerprint=finding.fingerprint,
        reason=reason,
        owner=owner or explain_command.git_user(tree),
        ticket=ticket,
        expires=last.isoformat(),
    )
    report = explain_command.waive(tree, finding, waiver, write=not dry_run)
    verb = "wrote" if report.written else "would write"
    lines = (f"{verb} {report.path}", "", *report.text.splitlines())
    options.emit(report, lines, as_json=as_json)
    return Exit.CLEAN


@command("lumos snap rules", "lumos snap rules SC001", "lumos snap rules field-removed --json")
@click.argument("rule", required=False)
@options.as_json
def rules(rule: str | None, *, as_json: bool) -> int:
    """List the rules that changes are judged by, or explain one, by its id or name."""
    report = list_rules(rule)
    lines = rules_text.rules(report.rules) if rule is None else rules_text.rule(report.rules[0])
    options.emit(report, lines, as_json=as_json)
    return Exit.CLEAN

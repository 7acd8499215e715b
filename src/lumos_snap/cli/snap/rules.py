"""`lumos snap rules`."""

import click

from lumos_snap.cli import options
from lumos_snap.cli.lazy import command
from lumos_snap.commands.rules import list_rules
from lumos_snap.errors import Exit
from lumos_snap.render import rules_text


@command("lumos snap rules", "lumos snap rules SC001", "lumos snap rules field-removed --json")
@click.argument("rule", required=False)
@options.as_json
def rules(rule: str | None, *, as_json: bool) -> int:
    """List the rules that changes are judged by, or explain one, by its id or name."""
    report = list_rules(rule)
    lines = rules_text.rules(report.rules) if rule is None else rules_text.rule(report.rules[0])
    options.emit(report, lines, as_json=as_json)
    return Exit.CLEAN

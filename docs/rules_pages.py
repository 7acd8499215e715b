"""The reference of rules: an index, and a page for each family with an example of each rule.

Rows come from the table of rules, examples from `tests/rules/cases/`, what a change is called from
the other side from `tests/rules/mirrors.py`: the tests prove all three.
"""

import difflib
import json
import runpy
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lumos_snap.commands.rules import list_rules
from lumos_snap.render.rules_text import READERS, step
from lumos_snap.report.rules import RuleEntry
from lumos_snap.rules.rule import Family

FAMILIES = {
    Family.READERS: "Readers: columns, types, keys, and how data lies",
    Family.HISTORY: "History: existence, lifecycle, deprecation, versions",
    Family.GOVERNANCE: "Governance: owners, marks, classes, words",
    Family.OPERATIONS: "Operations: lineage, checks, schedules, promises over time",
    Family.POLICY: "Policy: what a team asks of datasets as they stand",
}
_INTRODUCTION = """\
What a change means. Every change falls under exactly one rule; `policy.rules` in lumos.yaml gives a
rule another level, by its id or name. The last family speaks of datasets as they stand, where
lumos.yaml [asks for something](../guides/policy.md): a demand that warns makes it non-breaking.
"""
_PRESETS = """\
| preset | asks |
|---|---|
| `default` | what most teams mean by a breaking change |
| `history` | does the new schema still read stored data? |
| `consumers` | do readers of the old schema still read new data? |
| `strict` | both: the worse of the two counts |
| `draft` | as `default`, and nothing blocks |

A **silent** change breaks, and no engine says so: other values are read. Where a row has a star,
the readers of the dataset are asked what becomes of stored values, and the worst answer counts if
it is worse than the row. [What readers do](engines.md) is the table they are asked from.
"""


def pages(tests: Path) -> Iterator[tuple[str, str]]:
    """Path below `docs/reference/` and text of each page; `tests` is where rules are tested."""
    mirrors = runpy.run_path(str(tests / "mirrors.py"))["MIRRORS"]
    rules = {one.rule: one for one in list_rules().rules}
    yield "rules.md", _index(rules)
    for family, title in FAMILIES.items():
        parts = [f"# {title}\n", "[All rules](../rules.md)\n"]
        for one in rules.values():
            if one.family == Family.POLICY == family:
                parts += _state_rule(one, tests / "cases" / f"{one.rule}-{one.slug}")
            elif one.family == family:
                mirror = mirrors[one.rule]
                folder = tests / "cases" / f"{one.rule}-{one.slug}"
                parts += _rule(one, rules[mirror.rule], mirror.uneven, folder)
        yield f"rules/{family}.md", "\n".join(parts)


def _index(rules: Mapping[str, RuleEntry]) -> str:
    parts = [
        "# Rules\n",
        _INTRODUCTION,
        _PRESETS,
    ]
    for family, title in FAMILIES.items():
        head = "| rule | name | default | history | consumers | step | says |\n" + "|---" * 7 + "|"
        rows = [_row(one) for one in rules.values() if one.family == family]
        parts.append(f"## {title}\n\n{head}\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _row(one: RuleEntry) -> str:
    star = "\\*" if one.asks_readers else ""
    levels = one.levels
    cells = (
        f"[{one.rule}]({_place(one)})",
        one.slug,
        *(f"{each.value}{star}" for each in (levels.default, levels.history, levels.consumers)),
        one.step.value,
        f"`{one.message}`",
    )
    return f"| {' | '.join(cells)} |"


def _place(one: RuleEntry) -> str:
    return one.documented.removeprefix("docs/reference/")


def _rule(one: RuleEntry, mirror: RuleEntry, uneven: str, folder: Path) -> Iterator[str]:
    yield f"## {one.rule} {one.slug}\n"
    yield f"`{one.message}`\n"
    yield f"**Why.** {one.why}\n"
    yield f"**What to do.** {_sentence(one.fix)}\n"
    yield f"**For.** {_code(one.subjects)}: {', '.join(one.actions)}{_where(one)}.\n"
    yield _levels(one)
    yield f"**Step.** {_sentence(step(one))} {_back(one, mirror, uneven)}\n"
    yield from _example(folder)


def _state_rule(one: RuleEntry, folder: Path) -> Iterator[str]:
    """A rule about what a policy asks for: there is no way back, and no step of a version."""
    yield f"## {one.rule} {one.slug}\n"
    yield f"`{one.message}`\n"
    yield f"**Why.** {one.why}\n"
    yield f"**What to do.** {_sentence(one.fix)}\n"
    yield f"**Asked for by** {_code(one.subjects)}.\n"
    shown = textwrap.indent((folder / "policy.yaml").read_text().strip(), "  ")
    yield f"**Example.**\n\n```yaml\npolicy:\n{shown}\n```\n\n```json"
    yield (folder / "state.json").read_text() + "```\n"
    found = json.loads((folder / "expected.json").read_text())
    blocks = {True: "blocks", False: "warns"}
    rows = (f"- **{blocks[one['blocks']]}** {one['rule']}: `{one['message']}`" for one in found)
    yield "\n".join(rows) + "\n"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _where(one: RuleEntry) -> str:
    return f"; where {one.condition}" if one.condition else ""


def _levels(one: RuleEntry) -> str:
    levels = one.levels
    told = (levels.default, levels.history, levels.consumers, levels.strict)
    note = f"\n{_sentence(READERS)}\n" if one.asks_readers else ""
    head = "| default | history | consumers | strict |\n|---|---|---|---|"
    return f"{head}\n| {' | '.join(level.value for level in told)} |\n{note}"


def _back(one: RuleEntry, mirror: RuleEntry, uneven: str) -> str:
    """The rule of the reversed change, and why its levels are not these with directions swapped."""
    page = "" if mirror.family == one.family else f"{mirror.family}.md"
    anchor = mirror.documented.partition("#")[2]
    known = "this rule too" if mirror is one else f"[{mirror.rule} {mirror.slug}]({page}#{anchor})"
    why = f", and the directions do not just swap: {uneven}" if uneven else ""
    return f"**Going back** is {known}{why}."


def _example(folder: Path) -> Iterator[str]:
    before, after = (_lines(folder / f"{side}.json") for side in ("before", "after"))
    changes = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
    shown = "\n".join(line for line in changes if not line.startswith("@@"))
    yield f"**Example.**\n\n```diff\n{shown}\n```\n"
    found = json.loads((folder / "expected.json").read_text())
    yield "\n".join(line for finding in found for line in _finding(finding)) + "\n"


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _finding(finding: Mapping[str, Any]) -> Iterator[str]:
    level = finding["levels"]["default"]
    yield f"- **{level}** {finding['rule']}: `{finding['message']}` [{finding['bump']}]"
    for direction, way in (("history", "stored data"), ("consumers", "new data, old schema")):
        if direction in finding.get("readers", {}):
            yield f"  - {way}: {_answer(finding['readers'][direction])}"


def _answer(told: Mapping[str, str]) -> str:
    does = {"exact": "reads it as it was", "refused": "refuses it", "changed": "reads other values"}
    shows = f": `{textwrap.shorten(told['shows'], 80)}`" if "shows" in told else ""
    return f"{told['engine']} {does[told['does']]}{shows}"

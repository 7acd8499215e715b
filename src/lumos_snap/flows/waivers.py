"""The waivers of a tree, read, and new ones written."""

from collections.abc import Iterable

from lumos_snap.config.waivers import read_waivers
from lumos_snap.documents import Place, Problem
from lumos_snap.flows.judging import finding
from lumos_snap.report.base import Finding
from lumos_snap.rules.registry import by_name
from lumos_snap.rules.waiving import Filed
from lumos_snap.tree import Tree


def waivers_in(tree: Tree, paths: Iterable[str]) -> tuple[tuple[Filed, ...], tuple[Finding, ...]]:
    """The waivers in files of a tree, and what is wrong with those files."""
    filed: list[Filed] = []
    wrong: list[Finding] = []
    for path in paths:
        waivers, problems = read_waivers(tree.files.read(path) or b"")
        wrong += [finding(path, problem) for problem in problems]
        for waiver in waivers:
            if waiver.rule is not None and waiver.rule not in by_name():
                message = f"there is no rule `{waiver.rule}`"
                problem = Problem(Place(), "waiver", message, "`lumos snap rules` lists all")
                wrong.append(finding(path, problem))
            filed.append(Filed(path, waiver))
    return tuple(filed), tuple(wrong)

"""The waivers of a tree: read, compared with the target branch, and accepted or rejected."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lumos_snap.commands.diff.sides import NO_POLICY_FILES, SUFFIXES, Approvals, Target
from lumos_snap.config import WAIVERS
from lumos_snap.report.diff import NewWaiver, WaiverChange
from lumos_snap.report.envelope import FileFinding
from lumos_snap.rules.finding import FiledWaiver
from lumos_snap.tree import Tree

if TYPE_CHECKING:
    from lumos_snap.config.settings import NewWaivers
    from lumos_snap.config.waivers import Waiver

# Lazy imports: YAML takes time to load, and most trees have no waivers.
# ruff: noqa: PLC0415


NO_FORGE = "policy.new_waivers is approved, and no pull request on GitHub is known here"
"""Why no waiver is approved on a laptop."""


@dataclass(frozen=True, slots=True)
class ChangeWaivers:
    """The waivers that apply to a change."""

    filed: tuple[FiledWaiver, ...] = ()
    new: tuple[NewWaiver, ...] = ()
    wrong: tuple[FileFinding, ...] = ()
    """Problems of the waiver files."""


def waivers_of(
    tree: Tree,
    target: Target | None,
    setting: "NewWaivers",
    approvals: Approvals | None,
) -> ChangeWaivers:
    """Find the waivers that count for a change, the new ones among them, and invalid files.

    The result equals that after a merge: waivers that the target branch has added since count,
    those that it has removed do not.
    """
    filed, wrong = read_filed_waivers(tree)
    decided = target.now if target else NO_POLICY_FILES
    if not filed and not decided.waivers:
        return ChangeWaivers(wrong=wrong)
    agreed = _read(decided.waivers)
    start = _read((target.before if target else NO_POLICY_FILES).waivers)
    name = target.name if target else ""
    standing = [_mark_revoked(one, agreed, start, name) for one in filed]
    fresh = [one for one in standing if one not in agreed and one not in start]
    verdicts = _verdicts(tree, fresh, setting, approvals, target) if fresh else {}
    counted = [replace(one, void=verdicts[one]) if verdicts.get(one) else one for one in standing]
    present = frozenset(filed)
    added_there = (one for one in agreed if one not in start and one not in present)
    return ChangeWaivers(
        (*counted, *added_there),
        tuple(_build_new_waiver(one, agreed, verdicts[one], setting) for one in fresh),
        wrong,
    )


def read_filed_waivers(tree: Tree) -> tuple[tuple[FiledWaiver, ...], tuple[FileFinding, ...]]:
    """Read the waivers of a tree, and the problems of their files."""
    paths = tree.files.listed(WAIVERS, SUFFIXES)
    return waivers_in(tree, paths) if paths else ((), ())


def waivers_in(
    tree: Tree, paths: Iterable[str]
) -> tuple[tuple[FiledWaiver, ...], tuple[FileFinding, ...]]:
    """Read the waivers in the given files, and the problems of those files."""
    from lumos_snap.config.waivers import read_waivers
    from lumos_snap.documents import Position, Problem
    from lumos_snap.rules.registry import by_name
    from lumos_snap.tree.file_check import build_finding

    filed: list[FiledWaiver] = []
    wrong: list[FileFinding] = []
    for path in paths:
        waivers, problems = read_waivers(tree.files.read(path) or b"")
        wrong += [build_finding(path, problem) for problem in problems]
        for waiver in waivers:
            if waiver.rule is not None and waiver.rule not in by_name():
                message = f"there is no rule `{waiver.rule}`"
                problem = Problem(Position(), "waiver", message, "`lumos snap rules` lists all")
                wrong.append(build_finding(path, problem))
            filed.append(FiledWaiver(path, waiver))
    return tuple(filed), tuple(wrong)


def _read(files: Mapping[str, bytes]) -> dict[FiledWaiver, None]:
    """Waivers in files of the base or target, in order; an unreadable file has none."""
    from lumos_snap.config.waivers import read_waivers

    return {
        FiledWaiver(path, waiver): None
        for path, raw in files.items()
        for waiver in read_waivers(raw)[0]
    }


def _mark_revoked(
    one: FiledWaiver,
    agreed: Mapping[FiledWaiver, None],
    start: Mapping[FiledWaiver, None],
    target: str,
) -> FiledWaiver:
    is_revoked = one in start and one not in agreed
    return replace(one, void=f"{target} has removed or changed it since") if is_revoked else one


def _verdicts(
    tree: Tree,
    fresh: Sequence[FiledWaiver],
    setting: "NewWaivers",
    approvals: Approvals | None,
    target: Target | None,
) -> dict[FiledWaiver, str]:
    """The reason why each new waiver does not count; empty for those that do."""
    if setting == "count":
        return dict.fromkeys(fresh, "")
    if setting == "refuse":
        where = target.name if target else "the target branch"
        return dict.fromkeys(fresh, f"policy.new_waivers is refuse: merge it into {where} first")
    if approvals is None:
        return dict.fromkeys(fresh, NO_FORGE)
    refused = approvals(tree, {one.path for one in fresh}, target)
    return {one: refused.get(one.path, "") for one in fresh}


def _build_new_waiver(
    one: FiledWaiver, agreed: Iterable[FiledWaiver], void: str, setting: "NewWaivers"
) -> NewWaiver:
    waiver = one.waiver
    return NewWaiver(
        path=one.path,
        change=_change(one, agreed),
        fingerprint=waiver.fingerprint,
        rule=waiver.rule,
        dataset=waiver.dataset,
        field=waiver.field,
        reason=waiver.reason,
        owner=waiver.owner,
        expires=waiver.expires,
        counts=not void,
        decision=void or f"policy.new_waivers is {setting}",
    )


def _change(one: FiledWaiver, agreed: Iterable[FiledWaiver]) -> WaiverChange:
    """Whether a waiver was moved to another file, changed in its wording, or added."""
    changed = False
    for other in agreed:
        if other.waiver == one.waiver:
            return "moved"
        changed = changed or _about(other.waiver) == _about(one.waiver)
    return "changed" if changed else "added"


def _about(waiver: "Waiver") -> tuple[str | None, ...]:
    return waiver.fingerprint, waiver.rule, waiver.dataset, waiver.field


def void_remarks(
    voided: Iterable[FiledWaiver], new: Sequence[NewWaiver]
) -> Iterator[tuple[str, str]]:
    """Waivers that would cover a finding, do not count, and are not listed as new."""
    listed = {one.path for one in new if not one.counts}
    for one in voided:
        if one.path not in listed:
            yield one.path, f"the waiver does not count: {one.void}"

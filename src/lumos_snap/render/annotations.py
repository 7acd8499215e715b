"""What a reviewer must see, in one form for every CI system: the gravest first.

That is what breaks, what cannot be read, and what is remarked upon; with everything, all changes.
"""

import hashlib
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from lumos_snap.render.impact_text import downstream
from lumos_snap.report.diff import ChangeFinding, Difference, LevelWord
from lumos_snap.report.envelope import Finding
from lumos_snap.text import brief

MOST = 5_000
"""So many notices a file holds: GitHub shows no more of SARIF, and people read less."""
LONGEST = 600
"""Characters of one text in it."""


class Grade(IntEnum):
    """What a notice does to a build, the gravest first."""

    ERROR = 1
    WARNING = 2
    NOTE = 3


class Kind(IntEnum):
    """What a notice is about; of one grade, the first come first."""

    VERDICT = 1
    UNDECIDED = 2
    DAMAGED = 3
    POLICY = 4
    WAIVER = 5
    CHANGE = 6
    REMARK = 7
    MORE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing to see, at a place in the repository."""

    kind: Kind
    grade: Grade
    rule: str
    name: str = ""
    says: str
    """On one line, and safe to print."""
    more: tuple[str, ...] = ()
    """Further lines: for whom, why, what to do."""
    path: str = ""
    line: int = 0
    """0 where the file is gone, or where no line is meant."""
    identity: str = ""
    """No two notices of a report have the same one; wording plays no part in it."""
    finding: ChangeFinding | None = None

    @property
    def title(self) -> str:
        """The rule, as a heading."""
        return f"{self.rule} {self.name}" if self.name else self.rule

    @property
    def text(self) -> str:
        """All that it says, a line each."""
        return "\n".join((self.says, *self.more))


def notices(report: Difference, *, everything: bool = False) -> tuple[Notice, ...]:
    """What a reviewer must see of a diff."""
    least = Grade.NOTE if everything else Grade.WARNING
    found = [one for one in _all(report) if one.grade <= least or _is_accepted(one)]
    if report.verdict != "pass" and all(one.grade is not Grade.ERROR for one in found):
        found.append(_verdict(report))  # whatever the reason is: it never looks green
    return tuple(_distinct(sorted(found, key=_rank)))


class Cut(NamedTuple):
    """So many notices as there is room for."""

    kept: tuple[Notice, ...]
    left: int


def cut(found: Sequence[Notice], most: int) -> Cut:
    """The gravest ones; where some are left out, the last one says so."""
    if len(found) <= most:
        return Cut(tuple(found), 0)
    kept, left = found[: most - 1], found[most - 1 :]
    says = f"{len(left):,} more, none graver: `lumos snap diff --limit 0` prints all"
    last = Notice(
        kind=Kind.MORE,
        grade=left[0].grade,
        rule="more",
        says=says,
        path=left[0].path,
        identity="more",
    )
    return Cut((*kept, last), len(left))


def in_repository(report: Difference, path: str) -> str:
    """A path of the tree, as it is from the top of the repository; never one from elsewhere."""
    whole = f"{report.root}/{path}" if report.root else path
    if "../" in whole:  # a policy that lies beside the tree
        whole = posixpath.normpath(whole).replace("../", "")
    return whole.lstrip("/") or "."


def _all(report: Difference) -> Iterator[Notice]:
    for one in report.undecided:
        yield _unread(report, one, Kind.UNDECIDED, "at the base, so nothing is known of it: ")
    for one in report.damaged:
        yield _unread(report, one, Kind.DAMAGED, "")
    for edit in report.policy_changes:
        yield _decided(report, Kind.POLICY, "policy-changed", edit.path, edit.says)
    for waiver in report.new_waivers:
        yield _decided(report, Kind.WAIVER, "new-waiver", waiver.path, waiver.says)
    for dataset in report.datasets:
        yield from (_change(report, one) for one in dataset.findings)
    yield from (_change(report, one) for one in report.entities)
    for remark in report.remarks:
        yield Notice(
            kind=Kind.REMARK,
            grade=Grade.WARNING,
            rule="remark",
            says=brief(remark.message, LONGEST),
            path=in_repository(report, remark.path),
            identity=_hashed("remark", remark.path, remark.message),
        )


def _decided(report: Difference, kind: Kind, rule: str, path: str, says: str) -> Notice:
    """What the change does to its own policy, or accepts itself."""
    return Notice(
        kind=kind,
        grade=Grade.WARNING,
        rule=rule,
        says=brief(says, LONGEST),
        path=in_repository(report, path),
        identity=_hashed(rule, path, says),
    )


def _unread(report: Difference, one: Finding, kind: Kind, where: str) -> Notice:
    return Notice(
        kind=kind,
        grade=Grade.ERROR,
        rule=brief(one.rule, 100),
        name="undecided" if kind is Kind.UNDECIDED else "invalid",
        says=where + brief(one.message, LONGEST),
        more=(f"→ {brief(one.hint, LONGEST)}",) if one.hint else (),
        path=in_repository(report, one.path),
        line=one.line if kind is Kind.DAMAGED else 0,  # the line of another version of the file
        identity=_hashed(kind.name, one.path, str(one.line), one.rule, one.message),
    )


def _change(report: Difference, one: ChangeFinding) -> Notice:
    waived = "waived: " if one.waived else ""
    return Notice(
        kind=Kind.CHANGE,
        grade=_grade(one),
        rule=brief(one.rule, 100),
        name=brief(one.slug, 100),
        says=f"{waived}{brief(one.message, LONGEST)}",
        more=tuple(_reasons(one)),
        path=in_repository(report, one.path),
        line=one.line,
        identity=one.fingerprint,
        finding=one,
    )


def _grade(one: ChangeFinding) -> Grade:
    if one.blocks:
        return Grade.ERROR
    is_breaking = one.level is LevelWord.BREAKING and not one.waived
    return Grade.WARNING if is_breaking else Grade.NOTE


def _is_accepted(one: Notice) -> bool:
    return one.finding is not None and one.finding.waived


def _reasons(one: ChangeFinding) -> Iterator[str]:
    yield brief(one.urn, LONGEST)
    if one.reads:
        yield brief(one.reads, LONGEST)
    yield brief(one.why, LONGEST)
    if one.impact and one.impact.consumers:
        yield downstream(one.impact)
    yield f"→ {brief(one.fix, LONGEST)}"
    yield from (
        f"→ {brief(advice, LONGEST)}" for advice in (one.impact.advice[:5] if one.impact else ())
    )


def _verdict(report: Difference) -> Notice:
    reasons = "; ".join(report.reasons) or "the base cannot be read"
    return Notice(
        kind=Kind.VERDICT,
        grade=Grade.ERROR,
        rule="verdict",
        name=report.verdict,
        says=f"{report.verdict}: {brief(reasons, LONGEST)}",
        path=in_repository(report, "lumos.yaml"),
        identity=_hashed("verdict", report.verdict, reasons),
    )


_LEVELS = tuple(LevelWord)


def _rank(one: Notice) -> tuple[int, int, bool, int]:
    found = one.finding
    level = _LEVELS.index(found.level) if found else 0
    return one.grade, one.kind, not (found and found.silent), level


def _distinct(found: Iterable[Notice]) -> Iterator[Notice]:
    """The same, each with an identity of its own."""
    seen: Counter[str] = Counter()
    for one in found:
        seen[one.identity] += 1
        again = seen[one.identity]
        yield one if again == 1 else replace(one, identity=_hashed(one.identity, str(again)))


def _hashed(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]


def verdict_line(report: Difference) -> str:
    """The verdict in one line that is no command."""
    reasons = f": {brief('; '.join(report.reasons), LONGEST)}" if report.reasons else ""
    return f"{report.verdict.upper()}{reasons}"

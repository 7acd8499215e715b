"""Annotations of a diff in one form for all CI systems, the most severe first.

By default: breaking changes, unreadable files, policy changes and remarks; optionally all changes.
"""

import hashlib
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from lumos_snap.render.impact_text import downstream
from lumos_snap.render.json_report import dump_json
from lumos_snap.report.diff import ChangeFinding, DiffReport, LevelWord
from lumos_snap.report.envelope import FileFinding
from lumos_snap.text import escape_surrogates, sanitize_brief, sanitize_text

MOST = 5_000
"""The maximum number of annotations in a file, which is GitHub's limit for SARIF."""
LONGEST = 600
"""The maximum number of characters of one text."""


class Grade(IntEnum):
    """The effect of an annotation on a build, the most severe first."""

    ERROR = 1
    WARNING = 2
    NOTE = 3


class AnnotationKind(IntEnum):
    """The subject of an annotation; within one grade, the first ones come first."""

    VERDICT = 1
    UNDECIDED = 2
    DAMAGED = 3
    POLICY = 4
    WAIVER = 5
    CHANGE = 6
    REMARK = 7
    MORE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One annotation at a place in the repository."""

    kind: AnnotationKind
    grade: Grade
    rule: str
    name: str = ""
    says: str
    """On one line, and safe to print."""
    more: tuple[str, ...] = ()
    """Further lines: affected engines, reason, fix."""
    path: str = ""
    line: int = 0
    """0 if the file was deleted, or if no line is meant."""
    identity: str = ""
    """Unique within a report, and independent of wording."""
    finding: ChangeFinding | None = None

    @property
    def title(self) -> str:
        """The rule as a heading."""
        return f"{self.rule} {self.name}" if self.name else self.rule

    @property
    def text(self) -> str:
        """The complete text, in lines."""
        return "\n".join((self.says, *self.more))


def notices(report: DiffReport, *, everything: bool = False) -> tuple[Annotation, ...]:
    """The annotations of a diff."""
    least = Grade.NOTE if everything else Grade.WARNING
    found = [one for one in _all(report) if one.grade <= least or _is_accepted(one)]
    if report.verdict != "pass" and all(one.grade is not Grade.ERROR for one in found):
        found.append(_verdict(report))  # always show an error, whatever the reason
    return tuple(_distinct(sorted(found, key=_rank)))


class Cut(NamedTuple):
    """A limited number of annotations."""

    kept: tuple[Annotation, ...]
    left: int


def cut(found: Sequence[Annotation], most: int) -> Cut:
    """Keep the most severe annotations; if some are left out, the last one says so."""
    if len(found) <= most:
        return Cut(tuple(found), 0)
    kept, left = found[: most - 1], found[most - 1 :]
    says = f"{len(left):,} more, none graver: `lumos snap diff --limit 0` prints all"
    last = Annotation(
        kind=AnnotationKind.MORE,
        grade=left[0].grade,
        rule="more",
        says=says,
        path=left[0].path,
        identity="more",
    )
    return Cut((*kept, last), len(left))


def in_repository(report: DiffReport, path: str) -> str:
    """A path of the tree, relative to the root of the repository; never outside of it."""
    whole = f"{report.root}/{path}" if report.root else path
    if "../" in whole:  # a policy outside the tree
        whole = posixpath.normpath(whole).replace("../", "")
    return whole.lstrip("/") or "."


def _all(report: DiffReport) -> Iterator[Annotation]:
    for one in report.undecided:
        yield _unread(
            report, one, AnnotationKind.UNDECIDED, "at the base, so nothing is known of it: "
        )
    for one in report.damaged:
        yield _unread(report, one, AnnotationKind.DAMAGED, "")
    for edit in report.policy_changes:
        yield _policy_notice(report, AnnotationKind.POLICY, "policy-changed", edit.path, edit.says)
    for waiver in report.new_waivers:
        yield _policy_notice(report, AnnotationKind.WAIVER, "new-waiver", waiver.path, waiver.says)
    for dataset in report.datasets:
        yield from (_change(report, one) for one in dataset.findings)
    yield from (_change(report, one) for one in report.entities)
    for remark in report.remarks:
        yield Annotation(
            kind=AnnotationKind.REMARK,
            grade=Grade.WARNING,
            rule="remark",
            says=sanitize_brief(remark.message, LONGEST),
            path=in_repository(report, remark.path),
            identity=_hash_parts("remark", remark.path, remark.message),
        )


def _policy_notice(
    report: DiffReport, kind: AnnotationKind, rule: str, path: str, says: str
) -> Annotation:
    """An annotation about a policy change or new waiver of the change itself."""
    return Annotation(
        kind=kind,
        grade=Grade.WARNING,
        rule=rule,
        says=sanitize_brief(says, LONGEST),
        path=in_repository(report, path),
        identity=_hash_parts(rule, path, says),
    )


def _unread(report: DiffReport, one: FileFinding, kind: AnnotationKind, where: str) -> Annotation:
    return Annotation(
        kind=kind,
        grade=Grade.ERROR,
        rule=sanitize_brief(one.rule, 100),
        name="undecided" if kind is AnnotationKind.UNDECIDED else "invalid",
        says=where + sanitize_brief(one.message, LONGEST),
        more=(f"→ {sanitize_brief(one.hint, LONGEST)}",) if one.hint else (),
        path=in_repository(report, one.path),
        line=one.line
        if kind is AnnotationKind.DAMAGED
        else 0,  # the line is that of another version of the file
        identity=_hash_parts(kind.name, one.path, str(one.line), one.rule, one.message),
    )


def _change(report: DiffReport, one: ChangeFinding) -> Annotation:
    waived = "waived: " if one.waived else ""
    return Annotation(
        kind=AnnotationKind.CHANGE,
        grade=_grade(one),
        rule=sanitize_brief(one.rule, 100),
        name=sanitize_brief(one.slug, 100),
        says=f"{waived}{sanitize_brief(one.message, LONGEST)}",
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


def _is_accepted(one: Annotation) -> bool:
    return one.finding is not None and one.finding.waived


def _reasons(one: ChangeFinding) -> Iterator[str]:
    yield sanitize_brief(one.urn, LONGEST)
    if one.reads:
        yield sanitize_brief(one.reads, LONGEST)
    yield sanitize_brief(one.why, LONGEST)
    if one.impact and one.impact.consumers:
        yield downstream(one.impact)
    yield f"→ {sanitize_brief(one.fix, LONGEST)}"
    yield from (
        f"→ {sanitize_brief(advice, LONGEST)}"
        for advice in (one.impact.advice[:5] if one.impact else ())
    )


def _verdict(report: DiffReport) -> Annotation:
    reasons = "; ".join(report.reasons) or "the base cannot be read"
    return Annotation(
        kind=AnnotationKind.VERDICT,
        grade=Grade.ERROR,
        rule="verdict",
        name=report.verdict,
        says=f"{report.verdict}: {sanitize_brief(reasons, LONGEST)}",
        path=in_repository(report, "lumos.yaml"),
        identity=_hash_parts("verdict", report.verdict, reasons),
    )


_LEVELS = tuple(LevelWord)


def _rank(one: Annotation) -> tuple[int, int, bool, int]:
    found = one.finding
    level = _LEVELS.index(found.level) if found else 0
    return one.grade, one.kind, not (found and found.silent), level


def _distinct(found: Iterable[Annotation]) -> Iterator[Annotation]:
    """The same annotations with unique identities."""
    seen: Counter[str] = Counter()
    for one in found:
        seen[one.identity] += 1
        again = seen[one.identity]
        yield one if again == 1 else replace(one, identity=_hash_parts(one.identity, str(again)))


def _hash_parts(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]


def verdict_line(report: DiffReport) -> str:
    """The verdict in one line that no CI system interprets as a command."""
    reasons = f": {sanitize_brief('; '.join(report.reasons), LONGEST)}" if report.reasons else ""
    return f"{report.verdict.upper()}{reasons}"


# A diff as workflow commands: GitHub shows them as annotations on the lines of a pull request.


GITHUB_BUDGET = 10
"""GitHub accepts so many annotations of each grade per step, and silently drops the rest."""
_GITHUB_WORDS = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "notice"}
_GITHUB_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_GITHUB_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github_commands(report: DiffReport, *, everything: bool = False) -> str:
    """Render a diff: annotations up to the limit, and the verdict."""
    return "".join(f"{line}\n" for line in _github_lines(report, everything=everything))


def _github_lines(report: DiffReport, *, everything: bool) -> Iterator[str]:
    found = notices(report, everything=everything)
    for grade in Grade:
        kept = cut([one for one in found if one.grade is grade], GITHUB_BUDGET).kept
        yield from map(_github_command, kept)
    yield verdict_line(report)


def _github_command(one: Annotation) -> str:
    said = {
        "file": sanitize_text(one.path),
        "line": str(one.line) if one.line else "",
        "title": sanitize_brief(one.title, 200),
    }
    told = ",".join(
        f"{name}={held.translate(_GITHUB_PROPERTY)}" for name, held in said.items() if held
    )
    return f"::{_GITHUB_WORDS[one.grade]} {told}::{one.text.translate(_GITHUB_DATA)}"


# A diff as logging commands of Azure Pipelines: errors and warnings of a run.


AZURE_BUDGET = 100
"""The maximum number of issues of each type on the page of a run."""
_AZURE_DATA = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
_AZURE_PROPERTY = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A", ";": "%3B", "]": "%5D"})


def azure_commands(report: DiffReport, *, everything: bool = False) -> str:
    """Render a diff: errors, warnings, and the verdict; a waived change is a warning."""
    return "".join(f"{line}\n" for line in _azure_lines(report, everything=everything))


def _azure_lines(report: DiffReport, *, everything: bool) -> Iterator[str]:
    found = notices(report, everything=everything)
    errors = [one for one in found if one.grade is Grade.ERROR]
    others = [one for one in found if one.grade is not Grade.ERROR]
    for word, some in (("error", errors), ("warning", others)):
        yield from (_azure_command(word, one) for one in cut(some, AZURE_BUDGET).kept)
    yield verdict_line(report)


def _azure_command(word: str, one: Annotation) -> str:
    said = {
        "type": word,
        "sourcepath": sanitize_text(one.path),
        "linenumber": str(one.line) if one.line else "",
        "code": sanitize_brief(one.title, 100),
    }
    told = "".join(
        f"{name}={held.translate(_AZURE_PROPERTY)};" for name, held in said.items() if held
    )
    return f"##vso[task.logissue {told}]{_on_one_line(one).translate(_AZURE_DATA)}"


def _on_one_line(one: Annotation) -> str:
    return " · ".join((one.says, *one.more))


# A diff as GitLab's code quality report: a list of issues with fingerprints.


def gitlab_issues(report: DiffReport, *, everything: bool = False) -> str:
    """Render a diff."""
    found = cut(notices(report, everything=everything), MOST).kept
    return dump_json([_gitlab_issue(one) for one in found], indent=True)


def _gitlab_issue(one: Annotation) -> dict[str, object]:
    return {
        "description": " · ".join((one.says, *one.more)),
        "check_name": one.title,
        "fingerprint": one.identity,
        "severity": _gitlab_severity(one),
        # A deleted file has no line, but GitLab requires one.
        "location": {"path": escape_surrogates(one.path), "lines": {"begin": max(one.line, 1)}},
    }


def _gitlab_severity(one: Annotation) -> str:
    if one.grade is Grade.ERROR:
        is_plain = one.kind is AnnotationKind.CHANGE and not (one.finding and one.finding.silent)
        return "critical" if is_plain else "blocker"
    return "major" if one.grade is Grade.WARNING else "info"

"""Pass or fail, and which step of a version: what follows from findings."""

from collections.abc import Iterable
from typing import Literal

from lumos_snap.rules.finding import Finding
from lumos_snap.rules.level import Bump, Level

FailOn = Literal["breaking", "non-breaking", "none"]


def fails(finding: Finding, fail_on: FailOn) -> bool:
    """Whether one finding fails a verdict."""
    if fail_on == "none" or finding.waived:
        return False
    return finding.blocks or (fail_on == "non-breaking" and finding.level is Level.NON_BREAKING)


def bump_of(findings: Iterable[Finding]) -> Bump:
    """The smallest honest step for all of them: a waived change is still a change."""
    return max((finding.bump for finding in findings), default=Bump.NONE)

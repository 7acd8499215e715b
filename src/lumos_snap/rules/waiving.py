"""Waivers against findings: what is accepted, what no longer is, and what should go."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumos_snap.rules.finding import Finding
from lumos_snap.rules.level import Level
from lumos_snap.rules.policy import matches
from lumos_snap.rules.registry import by_name

if TYPE_CHECKING:
    from lumos_snap.config.waivers import Waiver


@dataclass(frozen=True, slots=True)
class Filed:
    """A waiver, and the file that it stands in."""

    path: str
    waiver: "Waiver"


@dataclass(frozen=True, slots=True)
class Waived:
    """Findings after waivers, and what is to be said of the waivers themselves."""

    findings: tuple[Finding, ...]
    expired: tuple[Filed, ...]
    """Those that would cover a finding, had they not expired: they fail a verdict."""
    spent: tuple[Filed, ...]
    """Those that have expired and cover nothing: to be deleted."""


def waive(findings: Iterable[Finding], filed: Sequence[Filed], today: datetime.date) -> Waived:
    """Accept the findings that waivers cover."""
    done: list[Finding] = []
    met: set[Filed] = set()
    for finding in findings:
        covering = [one for one in filed if covers(one.waiver, finding)]
        decided = _decided(finding, covering, today)
        if not decided.waived:
            met.update(covering)
        done.append(decided)
    expired = [one for one in filed if _has_expired(one.waiver, today)]
    return Waived(
        tuple(done),
        tuple(one for one in expired if one in met),
        tuple(one for one in expired if one not in met),
    )


def covers(waiver: "Waiver", finding: Finding) -> bool:
    """Whether a waiver speaks of a finding; a broad one never speaks of a silent one."""
    if waiver.fingerprint is not None:
        return waiver.fingerprint == finding.fingerprint
    rule = by_name().get(waiver.rule or "")
    if rule is not finding.rule or finding.level is Level.SILENT:
        return False
    is_field = waiver.field is None or waiver.field in (finding.told.path, finding.told.was)
    return is_field and matches(waiver.dataset or "", finding.urn)


def _decided(finding: Finding, covering: Sequence[Filed], today: datetime.date) -> Finding:
    for one in covering:
        waiver = one.waiver
        if not _has_expired(waiver, today):
            says = f"{one.path}: {waiver.reason} ({waiver.owner}, until {waiver.expires})"
            return finding.with_decision("waiver", says, waived=True)
    for one in covering:
        finding = finding.with_decision("waiver", f"{one.path} expired on {one.waiver.expires}")
    return finding


def _has_expired(waiver: "Waiver", today: datetime.date) -> bool:
    return waiver.expires < today.isoformat()

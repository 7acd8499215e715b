"""Findings, as reports about history tell them."""

from collections.abc import Iterable, Mapping
from typing import Any

from lumos_snap.report.diff import BumpWord, LevelWord
from lumos_snap.report.log import Change
from lumos_snap.rules.finding import Finding, bump_of
from lumos_snap.rules.messages import message
from lumos_snap.rules.severity import Level


def changes(findings: Iterable[Finding]) -> tuple[Change, ...]:
    """Findings as reports about history have them."""
    return tuple(
        Change(
            rule=one.rule.id,
            slug=one.rule.slug,
            level=LevelWord(one.level.word),
            silent=one.level is Level.SILENT,
            bump=BumpWord(one.bump.word),
            field=one.told.path or None,
            message=message(one.rule.message, one.told),
            fix=one.rule.fix,
        )
        for one in findings
    )


def bump(findings: Iterable[Finding]) -> BumpWord:
    """The step that findings take together."""
    return BumpWord(bump_of(findings).word)


def versions(document: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    """The version of a dataset, and the release, as a document states them."""
    stated = (document or {}).get("versioning", {})
    return stated.get("schema_version"), stated.get("cloud_version")

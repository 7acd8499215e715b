"""Reports as `key=value` lines, for pipelines without JSON: Jenkins and `$GITHUB_OUTPUT`.

A value never ends its line: newlines and control characters are escaped.
"""

from collections.abc import Iterator

from lumos_snap.report.diff import DiffReport
from lumos_snap.report.release import ReleaseReport
from lumos_snap.text import sanitize_text


def difference(report: DiffReport) -> Iterator[str]:
    """The verdict of a diff, and the number of findings."""
    counts = report.counts
    yield _line("verdict", report.verdict)
    yield _line("changesDetected", str(bool(counts.datasets)).lower())
    yield _line("count", str(counts.datasets))
    yield _line("silent", str(counts.silent))
    yield _line("breaking", str(counts.breaking))
    yield _line("nonBreaking", str(counts.non_breaking))
    yield _line("informational", str(counts.informational))
    yield _line("waived", str(counts.waived))
    yield _line("newWaivers", str(len(report.new_waivers)))
    yield _line("policyChanges", str(len(report.policy_changes)))
    yield _line("bump", report.bump.value)


def release(report: ReleaseReport) -> Iterator[str]:
    """A release; one line `released` for each dataset: step, version and urn."""
    yield _line("changesDetected", str(report.changesDetected).lower())
    yield _line("count", str(len(report.datasets)))
    yield _line("cloudVersion", report.cloudVersion)
    yield _line("schemaVersion", report.schemaVersion)
    yield _line("gitTag", report.gitTag)
    yield _line("bump", report.bump.value)
    yield _line("since", report.since)
    yield _line("committed", str(report.committed).lower())
    yield _line("pushed", str(report.pushed).lower())
    for one in report.datasets:
        yield _line("released", f"{one.bump.value} {one.schemaVersion} {one.urn}")


def _line(key: str, value: str) -> str:
    return f"{key}={sanitize_text(value)}"

"""A diff as SARIF 2.1.0, within what GitHub's code scanning takes."""

from collections.abc import Iterable
from urllib.parse import quote

from lumos_snap._version import __version__
from lumos_snap.errors import Exit
from lumos_snap.render.jsontext import written
from lumos_snap.render.notices import LONGEST, MOST, Grade, Kind, Notice, cut, notices
from lumos_snap.render.sarifrules import Plain, rules, unlinked
from lumos_snap.report.base import answer
from lumos_snap.report.changes import Difference
from lumos_snap.schema import document_of
from lumos_snap.text import brief, utf8

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "note"}
_EXITS = {"pass": Exit.CLEAN, "fail": Exit.FINDINGS, "undecided": Exit.OUTSIDE}
_TOLD_APART = (
    *(Kind.UNDECIDED, Kind.DAMAGED, Kind.POLICY, Kind.WAIVER),
    *(Kind.REMARK, Kind.MORE, Kind.VERDICT),
)


def difference(report: Difference, *, everything: bool = False) -> str:
    """The whole diff: one run."""
    found = cut(notices(report, everything=everything), MOST).kept
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, found)]}
    return written(log, indent=True)


def _run(report: Difference, found: Iterable[Notice]) -> Plain:
    listed = list(found)
    described = rules(listed)
    index = {rule["id"]: number for number, rule in enumerate(described)}
    return {
        "tool": {
            "driver": {
                "name": "Lumos Snapshots",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": described,
            }
        },
        # The analyses of two trees in one repository must not take each other's place.
        "automationDetails": {"id": utf8(f"lumos-snap/{report.root or '.'}/")},
        "invocations": [_invocation(report, listed)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, index[one.rule]) for one in listed],
        "properties": _about(report),
    }


def _invocation(report: Difference, found: Iterable[Notice]) -> Plain:
    told = [
        {
            "level": _LEVELS[one.grade],
            "message": {"text": unlinked(one.text)},
            "locations": [_location(one)],
            "descriptor": {"id": one.rule},
        }
        for one in found
        if one.kind in _TOLD_APART
    ]
    return {
        "executionSuccessful": not (report.undecided or report.damaged)
        and report.verdict != "undecided",
        "exitCode": int(_EXITS[report.verdict]),
        "exitCodeDescription": report.verdict,
        "toolExecutionNotifications": told,
    }


def _about(report: Difference) -> Plain:
    plain = answer(report)
    return {
        name: plain[name]
        for name in ("verdict", "reasons", "bump", "counts", "reach")
        if name in plain
    }


def _result(one: Notice, index: int) -> Plain:
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": _LEVELS[one.grade],
        "message": {"text": unlinked(one.text)},
        "locations": [_location(one)],
        # The second is the one that GitHub goes by.
        "partialFingerprints": {
            "lumosFingerprint/v1": one.identity,
            "primaryLocationLineHash": f"{one.identity}:1",
        },
        **_suppressed(one),
        **_properties(one),
    }


def _suppressed(one: Notice) -> Plain:
    found = one.finding
    if not (found and found.waived):
        return {}
    says = next((step.says for step in found.decisions if step.by == "waiver"), "waived")
    return {
        "suppressions": [
            {
                "kind": "external",
                "status": "accepted",
                "justification": unlinked(brief(says, LONGEST)),
            }
        ]
    }


_TELLING = (
    "urn",
    "field",
    "item",
    "subject",
    "action",
    "level",
    "silent",
    "bump",
    "blocks",
    "waived",
    "reader",
)


def _properties(one: Notice) -> Plain:
    if one.finding is None:
        return {}
    plain = document_of(one.finding, keep_empty=True)
    found = {name: plain[name] for name in _TELLING if name in plain}
    impact = one.finding.impact
    if impact is not None:
        found["impact"] = document_of(impact, keep_empty=True)
    return {"properties": found}


def _location(one: Notice) -> Plain:
    """The place; GitHub wants a line also where a file is gone."""
    path = one.path.encode(
        "utf-8", "surrogateescape" if _is_bytes(one.path) else "backslashreplace"
    )
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(path), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(one.line, 1)},
        }
    }


def _is_bytes(path: str) -> bool:
    """Whether single surrogates in a path stand for bytes that are not UTF-8."""
    return all("\udc80" <= char <= "\udcff" for char in path if "\ud800" <= char <= "\udfff")

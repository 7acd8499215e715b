"""A diff as SARIF: one run with rule descriptors and results."""

from collections.abc import Iterable
from urllib.parse import quote

from lumos_snap._version import __version__
from lumos_snap.canonical.rules import ALL_RULES
from lumos_snap.errors import Exit
from lumos_snap.json_object import JsonObject
from lumos_snap.render.annotations import (
    LONGEST,
    MOST,
    Annotation,
    AnnotationKind,
    Grade,
    cut,
    notices,
)
from lumos_snap.render.json_report import dump_json
from lumos_snap.render.markdown_escape import escape_markdown_prose
from lumos_snap.report.diff import DiffReport
from lumos_snap.report.envelope import answer
from lumos_snap.rules.registry import by_name
from lumos_snap.schema import document_of
from lumos_snap.text import escape_surrogates, sanitize_brief


def rules(found: Iterable[Annotation]) -> list[JsonObject]:
    """A descriptor for each rule of the annotations, sorted by id."""
    first: dict[str, Annotation] = {}
    for one in found:
        first.setdefault(one.rule, one)
    laws = {law.id: law for law in ALL_RULES}
    return [_rule(one, laws) for _, one in sorted(first.items())]


def _rule(one: Annotation, laws: JsonObject) -> JsonObject:
    known, law = by_name().get(one.rule), laws.get(one.rule)
    if known is not None:
        return _rule_descriptor(known.id, known.slug, known.why, known.fix, known.family.value)
    if law is not None:
        return _rule_descriptor(law.id, law.id, f"{law.says}. {law.why}", law.fix, "documents")
    if one.finding is not None:
        said = one.finding
        name = one.name or one.rule
        why, fix, family = (
            sanitize_brief(text, LONGEST) for text in (said.why, said.fix, said.family)
        )
        return _rule_descriptor(one.rule, name, why, fix, family)
    return _rule_descriptor(one.rule, one.rule, one.says, "look at the report", "gate")


def _rule_descriptor(name: str, slug: str, why: str, fix: str, family: str) -> JsonObject:
    """A rule descriptor; GitHub shows its first sentence as title."""
    return {
        "id": name,
        "name": slug,
        "shortDescription": {"text": escape_links(f"{_words(slug)} ({name})")},
        "fullDescription": {"text": escape_links(why)},
        "help": {
            "text": escape_links(f"{why}\n\nWhat to do: {fix}"),
            "markdown": f"{escape_markdown_prose(why)}\n\n"
            f"**What to do:** {escape_markdown_prose(fix)}",
        },
        "properties": {"tags": ["metadata", family]},
    }


def _words(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def escape_links(text: str) -> str:
    """Break links: SARIF interprets `[text](address)` even in plain text."""
    return text.replace("](", "]\u200b(")


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "note"}
_EXITS = {"pass": Exit.CLEAN, "fail": Exit.FINDINGS, "undecided": Exit.OUTSIDE}
_TOLD_APART = (
    *(
        AnnotationKind.UNDECIDED,
        AnnotationKind.DAMAGED,
        AnnotationKind.POLICY,
        AnnotationKind.WAIVER,
    ),
    *(AnnotationKind.REMARK, AnnotationKind.MORE, AnnotationKind.VERDICT),
)


def difference(report: DiffReport, *, everything: bool = False) -> str:
    """Render a diff as one run."""
    found = cut(notices(report, everything=everything), MOST).kept
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, found)]}
    return dump_json(log, indent=True)


def _run(report: DiffReport, found: Iterable[Annotation]) -> JsonObject:
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
        # Analyses of two trees in one repository must not replace each other.
        "automationDetails": {"id": escape_surrogates(f"lumos-snap/{report.root or '.'}/")},
        "invocations": [_invocation(report, listed)],
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, index[one.rule]) for one in listed],
        "properties": _about(report),
    }


def _invocation(report: DiffReport, found: Iterable[Annotation]) -> JsonObject:
    told = [
        {
            "level": _LEVELS[one.grade],
            "message": {"text": escape_links(one.text)},
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


def _about(report: DiffReport) -> JsonObject:
    plain = answer(report)
    return {
        name: plain[name]
        for name in ("verdict", "reasons", "bump", "counts", "reach")
        if name in plain
    }


def _result(one: Annotation, index: int) -> JsonObject:
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": _LEVELS[one.grade],
        "message": {"text": escape_links(one.text)},
        "locations": [_location(one)],
        # GitHub uses the second one.
        "partialFingerprints": {
            "lumosFingerprint/v1": one.identity,
            "primaryLocationLineHash": f"{one.identity}:1",
        },
        **_suppression(one),
        **_properties(one),
    }


def _suppression(one: Annotation) -> JsonObject:
    found = one.finding
    if not (found and found.waived):
        return {}
    says = next((step.says for step in found.decisions if step.by == "waiver"), "waived")
    return {
        "suppressions": [
            {
                "kind": "external",
                "status": "accepted",
                "justification": escape_links(sanitize_brief(says, LONGEST)),
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


def _properties(one: Annotation) -> JsonObject:
    if one.finding is None:
        return {}
    plain = document_of(one.finding, keep_empty=True)
    found = {name: plain[name] for name in _TELLING if name in plain}
    impact = one.finding.impact
    if impact is not None:
        found["impact"] = document_of(impact, keep_empty=True)
    return {"properties": found}


def _location(one: Annotation) -> JsonObject:
    """The location; GitHub requires a line even for a deleted file."""
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
    """Whether the surrogates in a path stand for bytes that are not UTF-8."""
    return all("\udc80" <= char <= "\udcff" for char in path if "\ud800" <= char <= "\udfff")

"""A diff as a JUnit report: a suite for each dataset, and one for the gate itself.

The suite of the gate has a passing case for each rule that no change violates, so that a report is
never empty and trends are meaningful. Each change is a case in the suite of its dataset.
"""

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from lumos_snap.render.annotations import MOST, Annotation, AnnotationKind, Grade, cut, notices
from lumos_snap.report.diff import DiffReport
from lumos_snap.rules.registry import RULES
from lumos_snap.text import sanitize_brief, sanitize_text

_GATE = "lumos snap diff"
_UNREAD = (AnnotationKind.VERDICT, AnnotationKind.UNDECIDED, AnnotationKind.DAMAGED)


def difference(report: DiffReport) -> str:
    """Render a diff."""
    found = cut(notices(report, everything=True), MOST).kept
    failing = [one for one in found if _tag(one) == "failure"]
    errors = [one for one in found if _tag(one) == "error"]
    rules = _passing({one.rule for one in failing})
    counted = _count_attributes(len(rules) + len(found), len(failing), len(errors))
    suites = [_suite(_GATE, "", (), rules), *_suites(found)]
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return "\n".join((head, f'<testsuites name="{_GATE}"{counted}>', *suites, "</testsuites>", ""))


def _passing(failing: set[str]) -> list[str]:
    names = sorted({f"{rule.id} {rule.slug}" for rule in RULES if rule.id not in failing})
    return [f"<testcase classname={quoteattr(_GATE)} name={quoteattr(name)}/>" for name in names]


def _suites(found: Iterable[Annotation]) -> Iterator[str]:
    """A suite for each dataset or file, the one with the most severe annotation first."""
    order: dict[tuple[str, str], list[Annotation]] = {}
    for one in found:
        order.setdefault((_suite_name(one), sanitize_text(one.path)), []).append(one)
    for (name, path), some in order.items():
        yield _suite(name, path, some, [_case(name, one) for one in some])


def _suite_name(one: Annotation) -> str:
    if one.kind in (AnnotationKind.VERDICT, AnnotationKind.MORE):
        return _GATE
    return (
        sanitize_brief(one.finding.urn.removeprefix("lumos://"), 300)
        if one.finding
        else sanitize_text(one.path)
    )


def _suite(name: str, path: str, some: Iterable[Annotation], cases: list[str]) -> str:
    tags = [_tag(one) for one in some]
    counted = _count_attributes(len(cases), tags.count("failure"), tags.count("error"))
    file = f" file={quoteattr(path)}" if path else ""
    skipped = f' skipped="{tags.count("skipped")}"'
    start = f"<testsuite name={quoteattr(name)}{counted}{skipped}{file}>"
    return "\n".join((f"  {start}", *(f"    {case}" for case in cases), "  </testsuite>"))


def _count_attributes(tests: int, failures: int, errors: int) -> str:
    return f' tests="{tests}" failures="{failures}" errors="{errors}"'


def _case(suite: str, one: Annotation) -> str:
    what = (one.finding.field or one.finding.item or "") if one.finding else ""
    name = f"{one.title}: {sanitize_brief(what, 200)}" if what else one.title
    start = f"<testcase classname={quoteattr(suite)} name={quoteattr(name)}"
    tag = _tag(one)
    if tag == "skipped":
        return f"{start}><skipped message={quoteattr(one.says)}/></testcase>"
    body = escape(f"{one.text}\n{_place(one)}")
    if not tag:
        return f"{start}><system-out>{body}</system-out></testcase>"
    kind = quoteattr(one.rule)
    return f"{start}><{tag} type={kind} message={quoteattr(one.says)}>{body}</{tag}></testcase>"


def _tag(one: Annotation) -> str:
    """The outcome of a case: an undecided file is an error, never a pass."""
    if one.grade is Grade.ERROR:
        return "error" if one.kind in _UNREAD else "failure"
    return "skipped" if one.finding and one.finding.waived else ""


def _place(one: Annotation) -> str:
    path = sanitize_text(one.path)
    return f"{path}:{one.line}" if one.line else path

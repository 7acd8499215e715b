"""`lumos snap fmt`: documents brought into their canonical form."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from lumos_snap.canonical.laws import NOT_CANONICAL, STRUCTURE
from lumos_snap.documents.jsontext import REPEATED_KEY, UNREADABLE
from lumos_snap.flows.choosing import chosen
from lumos_snap.flows.judging import Judged, judge, stray
from lumos_snap.flows.spread import spread
from lumos_snap.flows.validating import Progress
from lumos_snap.report.reports import Formatting
from lumos_snap.report.text import shown
from lumos_snap.tree import Tree
from lumos_snap.tree.files import Content

_PREVENTS = frozenset({UNREADABLE, REPEATED_KEY, STRUCTURE})
"""What leaves it open which bytes a document should have."""


def fmt(tree: Tree, paths: Sequence[Path], progress: Progress, *, write: bool) -> Formatting:
    """Rewrite the documents that are not in canonical form; without `write`, only name them."""
    found = chosen(tree, paths)
    total, done = len(found.documents), 0
    contents: dict[str, bytes] = {}
    findings = list(map(stray, found.strays)) if paths else []
    for batch, count in spread(_formatted, tree.files.portions(found.documents), size=total):
        for one in batch:
            findings += [f for f in one.findings if f.rule in _PREVENTS]
            if one.canonical is not None:
                contents[one.path] = one.canonical
        done += count
        progress(done, total)
    if write and contents:
        tree.write_bytes(contents)
    return Formatting(
        checked=total,
        changed=tuple(map(shown, contents)),
        written=write,
        findings=tuple(findings),
    )


def _formatted(portion: Iterable[Content]) -> tuple[list[Judged], int]:
    """What is not in canonical form or cannot be brought into it; the rest need not travel."""
    judged = [_one(path, content) for path, content in portion]
    return [one for one in judged if one], len(judged)


def _one(path: str, content: bytes | OSError) -> Judged | None:
    judged = judge(path, content)
    rules = {finding.rule for finding in judged.findings}
    if rules & _PREVENTS:
        return Judged(path, judged.findings)
    if NOT_CANONICAL in rules or judged.canonical not in (None, content):
        return Judged(path, (), judged.canonical)
    return None

"""`lumos snap explain` and `lumos snap waive`: one finding, by its fingerprint."""

from collections.abc import Callable, Iterable, Iterator

from lumos_snap.commands.diff.judge import diff
from lumos_snap.commands.diff.sides import DiffOptions
from lumos_snap.config import WAIVERS
from lumos_snap.config.waivers import Waiver
from lumos_snap.errors import LumosError
from lumos_snap.git import open_repository, user_name
from lumos_snap.report.diff import ChangeFinding, DiffReport, ExplainReport, WaiveReport
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce

_SHORTEST = 4
"""Minimum length of a fingerprint: a shorter one is more likely a typo."""


def explain(
    open_here: Callable[[], Tree], asked: DiffOptions, fingerprint: str, announce: Announce
) -> ExplainReport:
    """Explain the verdict of a finding, from a change or from a policy check."""
    wanted = fingerprint.strip().lower()
    if len(wanted) < _SHORTEST:
        raise LumosError(
            f"`{fingerprint}` is too short for a fingerprint",
            hint=f"write at least {_SHORTEST} of its characters",
        )
    report = diff(open_here, asked, announce)
    found = find_by_fingerprint(findings_of(report), wanted)
    if found is None and asked.sought.head is None:
        found = find_by_fingerprint(_check_findings(open_here, asked, announce), wanted)
    if found is None:
        raise LumosError(
            f"no finding {fingerprint} between {report.base.name} and {report.head.name}",
            hint="`lumos snap diff` shows fingerprints; name the same --base here",
        )
    return ExplainReport(base=report.base, head=report.head, finding=found)


def find_by_fingerprint(findings: Iterable[ChangeFinding], wanted: str) -> ChangeFinding | None:
    """The finding with a fingerprint or a unique prefix of one."""
    found = {one.fingerprint: one for one in findings if one.fingerprint.startswith(wanted)}
    if len(found) > 1:
        raise LumosError(f"{wanted} begins several fingerprints", hint="write more of it")
    return next(iter(found.values()), None)


def _check_findings(
    open_here: Callable[[], Tree], asked: DiffOptions, announce: Announce
) -> Iterable[ChangeFinding]:
    """Findings of `lumos snap check`, which include unchanged datasets."""
    from lumos_snap.commands.check import check  # noqa: PLC0415 - only where no change is meant

    return check(open_here, asked, announce, lambda _done, _total: None, everything=True).findings


def findings_of(report: DiffReport) -> Iterator[ChangeFinding]:
    """All findings of a diff."""
    for dataset in report.datasets:
        yield from dataset.findings
    yield from report.entities


def waive(tree: Tree, finding: ChangeFinding, waiver: Waiver, *, write: bool) -> WaiveReport:
    """Write a waiver into a file of its own; an existing one is not changed."""
    path = f"{WAIVERS}/{_waiver_file_name(finding)}.yaml"
    for other in tree.files.listed(WAIVERS, (".yaml", ".yml")):
        if finding.fingerprint.encode() in (tree.files.read(other) or b""):
            raise LumosError(
                f"{other}: there is a waiver for {finding.fingerprint} already",
                hint="change its `expires` there, or delete it first",
            )
    if write:
        from lumos_snap.tree.writer import open_writer  # noqa: PLC0415 - only where something is written

        with open_writer(tree.files.folder()) as writer:
            writer.put(path, waiver_text(finding, waiver).encode())
    return WaiveReport(path=path, finding=finding, written=write, text=waiver_text(finding, waiver))


def git_user(tree: Tree) -> str:
    """Owner of a waiver where none is given."""
    name = user_name(open_repository(tree.root))
    if name is None:
        raise LumosError("git does not know who you are", hint="say --owner NAME")
    return name


def _waiver_file_name(finding: ChangeFinding) -> str:
    """A descriptive file name that is valid on every system."""
    last = finding.urn.rpartition("/")[2].rpartition(".json")[0] or finding.urn.rpartition("/")[2]
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in last)
    return f"{plain[:60]}-{finding.slug}-{finding.fingerprint}".lower()


def waiver_text(finding: ChangeFinding, waiver: Waiver) -> str:
    """A waiver file with one waiver, and a comment that describes it."""
    lines = [
        f"# {_comment(finding.message)}",
        f"# {_comment(finding.urn)}",
        "version: 1",
        "waivers:",
        f"  - fingerprint: {_quote_yaml(finding.fingerprint)}",
        *(["    silent: true"] if finding.silent else []),
        f"    reason: {_quote_yaml(waiver.reason)}",
        f"    owner: {_quote_yaml(waiver.owner)}",
        *([f"    ticket: {_quote_yaml(waiver.ticket)}"] if waiver.ticket else []),
        f"    expires: {_quote_yaml(waiver.expires)}",
    ]
    return "\n".join(lines) + "\n"


def _quote_yaml(text: str) -> str:
    """Quote any text for YAML, which is a superset of JSON."""
    import orjson  # noqa: PLC0415 - only where a waiver is written

    return orjson.dumps(text).decode()


def _comment(text: str) -> str:
    """Text on a single line."""
    from lumos_snap.text import sanitize_text  # noqa: PLC0415 - only where a waiver is written

    return sanitize_text(text)

"""Reports as plain text: one line per item, in aligned columns, safe to pipe."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from lumos_snap.report.diff import LevelWord
from lumos_snap.text import width

if TYPE_CHECKING:
    from lumos_snap.merging import Conflict
    from lumos_snap.report.command_reports import (
        DoctorReport,
        FileFinding,
        FormatReport,
        ImportReport,
        InitReport,
        ListedDataset,
        ListReport,
        MigrateReport,
        Note,
        ValidateReport,
    )


def findings(found: "Sequence[FileFinding]", limit: int) -> Iterator[str]:
    """One line per finding, up to a limit; 0 means no limit."""
    most = limit or len(found)
    for finding in found[:most]:
        yield finding_line(finding)
    if len(found) > most:
        yield f"… and {count(len(found) - most, 'more finding')}: --limit 0 shows all"


def finding_line(finding: "FileFinding") -> str:
    """A finding: position, rule, message and hint."""
    hint = f" ({finding.hint})" if finding.hint else ""
    where = f"{finding.path}:{finding.line}:{finding.column}"
    return f"{where}: {finding.rule}: {finding.message}{hint}"


def validation(report: "ValidateReport", *, limit: int) -> Iterator[str]:
    """The findings, and the number of checked documents."""
    yield from findings(report.findings, limit)
    files = len({finding.path for finding in report.findings})
    checked = f"{count(report.checked, 'document')} checked in {report.source}"
    if report.findings:
        yield f"{checked}: {count(len(report.findings), 'finding')} in {count(files, 'file')}"
    else:
        yield f"{checked}: all valid"


def formatting(report: "FormatReport", *, limit: int) -> Iterator[str]:
    """The documents that were or would be rewritten."""
    yield from findings(report.findings, limit)
    verb = "formatted" if report.written else "would format"
    yield from (f"{verb} {path}" for path in report.changed)
    verb = "formatted" if report.written else "to be formatted"
    yield f"{count(report.checked, 'document')} checked, {len(report.changed)} {verb}"


def listing(report: "ListReport", *, limit: int) -> Iterator[str]:
    """A table of datasets."""
    head = ("DATASET", "FORMAT", "COLUMNS", "OWNERS", "TAGS", "DOMAIN", "VERSION")
    if report.datasets:
        yield from table((head, *map(_list_row, report.datasets)))
    yield from findings(report.findings, limit)
    yield f"{count(len(report.datasets), 'dataset')} in {report.source}"


def _list_row(dataset: "ListedDataset") -> tuple[str, ...]:
    return (
        dataset.urn.removeprefix("lumos://"),
        dataset.format or "-",
        str(dataset.columns),
        ", ".join(dataset.owners) or "-",
        ", ".join(dataset.tags) or "-",
        dataset.domain or "-",
        dataset.schema_version or "-",
    )


def table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows in aligned columns; the last column is not padded."""
    listed = [tuple(row) for row in rows]
    widths = [max(map(width, column)) for column in zip(*listed, strict=True)]
    for row in listed:
        cells = (cell + " " * (most - width(cell)) for cell, most in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def import_lines(report: "ImportReport", *, limit: int) -> Iterator[str]:
    """The imported documents, and the notes of the import."""
    yield from findings(report.findings, limit)
    yield from notes(report.notes, limit)
    parts = (
        count(report.datasets, "dataset"),
        count(report.observations, "observation"),
        count(report.entities, "entity", "entities"),
    )
    yield f"{report.file} ({report.shape}): {', '.join(parts)}"
    verb = "would write" if report.dry_run else "wrote"
    yield f"{verb} {count(len(report.written), 'file')}, {report.unchanged} unchanged"


def notes(found: "Sequence[Note]", limit: int) -> Iterator[str]:
    """The notes of an import or migration."""
    most = limit or len(found)
    rows = [(note.subject, note.source or "-", note.target or "-", note.message) for note in found]
    if rows:
        yield from table((("OF", "WAS", "NOW", "BECAUSE"), *rows[:most]))
    if len(rows) > most:
        yield f"… and {count(len(rows) - most, 'more note')}: --limit 0 shows all"


def migrate_lines(report: "MigrateReport", *, limit: int) -> Iterator[str]:
    """The documents that were or would be upgraded."""
    yield from findings(report.findings, limit)
    yield from notes(report.notes, limit)
    verb = "upgraded" if report.written else "would upgrade"
    yield from (f"{verb} {path}" for path in report.changed)
    yield (
        f"{count(report.checked, 'document')} checked: {len(report.changed)} "
        f"in older shapes, format is {report.format_version}"
    )


def merging(conflicts: "Sequence[Conflict]", *, remark: str, path: str) -> Iterator[str]:
    """The conflicts of a merge, and how to resolve them; nothing without conflicts."""
    if remark:
        yield f"lumos: {path}: {remark}: look at the file, then `git add` it"
    if conflicts:
        yield f"lumos: {path}: {count(len(conflicts), 'conflict')}"
        yield from (f"  {conflict.at}: {conflict.why}" for conflict in conflicts)
        yield "  → choose a value for each, delete the section `conflicts`, then `git add` the file"


def init_lines(report: "InitReport") -> Iterator[str]:
    """The files that were written, extended or kept."""
    yield from (f"wrote     {name}" for name in report.written)
    yield from (f"extended  {name}" for name in report.extended)
    yield from (f"kept      {name}" for name in report.kept)
    if report.configured:
        sections = sorted({name.rpartition(".")[0] for name in report.configured})
        yield f"set       {' and '.join(sections)} in this clone's git configuration"
    if report.unconfigured:
        yield f"not set   git's merge and diff of documents: {report.unconfigured}"
    for path in report.data:
        fix = f"`echo /{path}/ >> .gitignore`"
        yield f"warning   {path}/ holds data that git does not ignore: {fix}"
    yield f"{report.root} is a tree: `lumos snap scan FOLDER` fills it, `lumos doctor` checks it"


_HEALTH_SIGNS = {
    "ok": "ok       ",
    "optional": "optional ",
    "warning": "warning  ",
    "problem": "PROBLEM  ",
}


def diagnosis(report: "DoctorReport") -> Iterator[str]:
    """The results of the doctor's checks, with fixes."""
    widest = max(width(check.name) for check in report.checks)
    if report.warmed is not None:
        size, spent = report.warmed.bytes / 1_000_000, report.warmed.milliseconds / 1000
        yield f"made     {report.warmed.path}: {size:.0f} MB in {spent:.0f} s"
    for check in report.checks:
        yield f"{_HEALTH_SIGNS[check.health]}{check.name:<{widest}}  {check.found}"
        if check.fix:
            yield f"{' ' * 9}→ {check.fix}"


def count(number: int, one: str, many: str = "") -> str:
    """A count with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


Section: TypeAlias = Callable[[int], str]
"""Renders a part of a page within a number of bytes; empty if that is too little."""


def size(text: str) -> int:
    """The size in UTF-8: limits count characters or bytes, and neither exceeds it."""
    return len(text.encode("utf-8", "replace"))


def whole(text: str) -> Section:
    """A section that is rendered completely or not at all."""
    return lambda room: text if size(text) < room else ""


def fit_sections(
    sections: Sequence[Section], room: int, more: Callable[[int], str]
) -> Iterator[str]:
    """The sections that fit; after the first that does not, the number of the omitted ones."""
    kept_free = size(more(len(sections))) + 1
    for number, section in enumerate(sections):
        is_last = number == len(sections) - 1
        left = room - (0 if is_last else kept_free)
        text = section(left)
        if not text or size(text) + 1 > left:
            yield more(len(sections) - number)
            return
        room -= size(text) + 1
        yield text


_SIGNS = {LevelWord.BREAKING: "✗", LevelWord.NON_BREAKING: "+", LevelWord.INFORMATIONAL: "·"}
_SILENT = "‼"


class HasLevel(Protocol):
    """Anything with a severity."""

    @property
    def level(self) -> LevelWord:
        """The level of the change."""

    @property
    def silent(self) -> bool:
        """Whether engines return different values without an error."""


def sign(change: HasLevel) -> str:
    """The sign of a change in a list."""
    return _SILENT if change.silent else _SIGNS[change.level]

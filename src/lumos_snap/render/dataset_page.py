"""A dataset's page for the terminal: source metadata beside curated metadata."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TextIO, TypeVar

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.snapshot import Partition, Snapshot
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType, Field
from lumos_snap.report.command_reports import ShowReport
from lumos_snap.text import sanitize_text

T = TypeVar("T", bound=DataType)

_WIDE = 100  # columns of a page that is not on a terminal


def print_page(page: ShowReport, snapshot: Snapshot, out: TextIO, *, color: bool) -> None:
    """Print a page; without a terminal, with a fixed width."""
    width = None if out.isatty() else _WIDE
    console = Console(
        file=out,
        width=width,
        force_terminal=color,  # decided by the caller, regardless of FORCE_COLOR and the like
        color_system="auto" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        console.print(Group(*_parts(page, snapshot)))
    out.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _parts(page: ShowReport, snapshot: Snapshot) -> Iterator[RenderableType]:
    yield Text(sanitize_text(snapshot.urn), style="bold")
    yield Text(sanitize_text(_description(snapshot)))
    yield Text("")
    yield _pairs(_facts(page, snapshot))
    for title, rows in _sections(page, snapshot):
        listed = [row for row in rows if row[1]]
        if listed:
            yield Text(f"\n{title}", style="bold cyan")
            yield _pairs(listed)
    if snapshot.schema.key_fields:
        yield Text("\nKey of each record", style="bold cyan")
        yield _columns(snapshot, snapshot.schema.key_fields)
    yield Text("\nColumns", style="bold cyan")
    yield _columns(snapshot, snapshot.schema.fields)


def _description(snapshot: Snapshot) -> str:
    words, source = snapshot.documentation, snapshot.schema.description
    return words.description or source or snapshot.storage.description or "No description yet."


Row = tuple[str, str]


def _facts(page: ShowReport, snapshot: Snapshot) -> Iterator[Row]:
    storage = snapshot.storage
    yield "source", page.source
    yield "file", page.path
    yield (
        "kind",
        _join_parts((snapshot.kind or "", storage.format or "", snapshot.environment or "")),
    )
    yield "location", storage.location or "-"
    if storage.files:
        yield "files", storage.files
    partitions = ", ".join(_partition(p) for p in storage.partitioning)
    yield "partitioned by", partitions or "-"
    yield "primary key", ", ".join(snapshot.schema.primary_key) or "-"
    versions = snapshot.versioning
    yield (
        "version",
        _join_parts((versions.schema_version or "", versions.cloud_version or "")) or "-",
    )


def _partition(partition: Partition) -> str:
    if partition.transform is None:
        return partition.name
    argument = "" if partition.argument is None else f", {partition.argument}"
    return f"{partition.transform}({partition.source}{argument})"


def _sections(page: ShowReport, snapshot: Snapshot) -> Iterator[tuple[str, list[Row]]]:
    yield "People", _people(snapshot)
    yield "Governance", _governance(snapshot)
    yield "Promises", _promises(snapshot)
    yield "Lineage", [*_upstream(snapshot), ("feeds", "\n".join(page.downstream))]
    yield "Measured", list(_measurement_rows(page.observation))


def _people(snapshot: Snapshot) -> list[Row]:
    owners = (
        f"{owner.user or owner.group}{f' ({owner.type})' if owner.type else ''}"
        for owner in snapshot.ownership.owners
    )
    words = snapshot.documentation
    links = "\n".join(
        f"{link.label}: {link.url}" if link.label else link.url for link in words.links
    )
    return [
        ("owners", "\n".join(owners)),
        ("context", words.business_context or ""),
        ("links", links),
    ]


def _governance(snapshot: Snapshot) -> list[Row]:
    held = snapshot.governance
    return [
        ("domain", held.domain or ""),
        ("classification", held.classification or ""),
        ("tags", ", ".join(held.tags)),
        ("terms", ", ".join(held.terms)),
        ("compliance", ", ".join(held.compliance)),
        ("retention", held.retention or ""),
    ]


def _promises(snapshot: Snapshot) -> list[Row]:
    contract, sla = snapshot.contract, snapshot.schedule.sla
    checks = "\n".join(check.name for check in snapshot.quality.checks)
    return [
        ("lifecycle", contract.lifecycle or ""),
        ("readers", ", ".join(contract.readers)),
        ("deprecated", contract.deprecated or ""),
        ("sunset", contract.sunset or ""),
        ("schedule", _join_parts((snapshot.schedule.cron or "", snapshot.schedule.timezone or ""))),
        ("freshness", sla.freshness or ""),
        ("checks", checks),
    ]


def _upstream(snapshot: Snapshot) -> Iterator[Row]:
    edges = (
        _join_parts((edge.urn, f"via {edge.via}" if edge.via else "", edge.type or ""))
        for edge in snapshot.lineage.upstream
    )
    yield "made from", "\n".join(edges)


def _measurement_rows(observation: JsonObject) -> Iterator[Row]:
    data, quality = observation.get("data", {}), observation.get("quality", {})
    yield "at", observation.get("observed_at", "")
    for name in ("files", "bytes", "rows"):
        yield name, f"{data[name]:,}" if name in data else ""
    yield "last modified", data.get("last_modified", "")
    yield "quality score", quality.get("score", "")


def _columns(snapshot: Snapshot, fields: Sequence[Field]) -> RenderableType:
    rows = list(_column_rows(snapshot, fields))
    if not rows:
        return Text("None known.")
    table = Table(box=None, pad_edge=False, header_style="dim", show_edge=False)
    table.add_column("NAME", overflow="fold")
    table.add_column("TYPE", overflow="fold")
    table.add_column("NULL", no_wrap=True)
    table.add_column("THE SOURCE SAYS", overflow="fold", style="dim")
    table.add_column("PEOPLE SAY", overflow="fold")
    for row in rows:
        table.add_row(*(Text(sanitize_text(cell)) for cell in row))
    return table


def _column_rows(snapshot: Snapshot, fields: Sequence[Field]) -> Iterator[tuple[str, ...]]:
    words = {entry.path: entry.description for entry in snapshot.documentation.fields}
    marks = {entry.path: _marks(entry) for entry in snapshot.governance.fields}
    for path, data_type in walk(fields):
        written = format_path(path)
        said = _join_parts((words.get(written) or "", marks.get(written, "")))
        if len(path) > 1 and not _speaks(data_type) and not said:
            continue  # an element that only repeats the type of its column
        yield written, _type(data_type), _null(data_type), _own_words(data_type), said


def _marks(entry: Any) -> str:
    pii = "PII" if entry.pii else ""
    return _join_parts((pii, entry.classification or "", *entry.tags, *entry.terms))


def _speaks(data_type: DataType) -> bool:
    return hasattr(data_type, "name")


def _type(data_type: DataType) -> str:
    """The short form of a type: members of a struct have rows of their own."""
    return format_type(_outline(data_type)).replace("STRUCT<>", "STRUCT")


def _outline(data_type: T) -> T:
    return replace(
        data_type,
        element=data_type.element and _outline(data_type.element),
        key=data_type.key and _outline(data_type.key),
        value=data_type.value and _outline(data_type.value),
        branches=tuple(map(_outline, data_type.branches)),
        fields=(),
    )


def _null(data_type: DataType) -> str:
    nullable = getattr(data_type, "nullable", None)
    return "" if nullable is None else "yes" if nullable else "no"


def _own_words(data_type: DataType) -> str:
    absent = "absent from new data" if getattr(data_type, "absent", False) else ""
    newest = getattr(data_type, "newest_type", None)
    return _join_parts(
        (
            absent,
            f"{newest} in new data" if newest else "",
            getattr(data_type, "description", None) or "",
        )
    )


def _pairs(rows: Iterable[Row]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text("\n".join(map(sanitize_text, str(value).split("\n")))))
    return table


def _join_parts(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)

"""Impact of changes: affected consumers, with their owners, domains and tiers."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError
from lumos_snap.json_object import JsonObject
from lumos_snap.lineage import Graph
from lumos_snap.lineage.change import LineageChange, changes_of
from lumos_snap.lineage.consumers import DatasetContext, impact, list_affected, reach
from lumos_snap.lineage.impact_rules import ChangeImpact, find_impact
from lumos_snap.report.consumers import Impact, Reach
from lumos_snap.report.diff import ChangedDataset, DiffReport, Remark
from lumos_snap.tree.files import CommitFiles, Files, Form

_TIER = re.compile(r"tier(?:[-_.:/ ]\S.*|[0-9]\S*)", re.IGNORECASE)
_UNKNOWN = DatasetContext()


def read_known(files: Files, urns: Iterable[str]) -> Callable[[str], DatasetContext]:
    """Read the context of some datasets from their snapshots; empty for unreadable ones."""
    paths = {path: urn for urn in sorted(set(urns)) if (path := _path(urn))}
    if isinstance(files, CommitFiles):  # it raises for missing paths
        paths = {path: urn for path, urn in paths.items() if files.form(path) is Form.FILE}
    found = {
        paths[path]: _parse_known(content)
        for path, content in files.read_all(paths)
        if isinstance(content, bytes)
    }
    return lambda urn: found.get(urn, _UNKNOWN)


def _path(urn: str) -> str:
    try:
        return SNAPSHOT.path(urn)
    except LumosError:
        return ""


def _parse_known(raw: bytes) -> DatasetContext:
    """Parse the context of a dataset; an invalid file, reported elsewhere, has none."""
    try:
        document = loads(raw)
    except orjson.JSONDecodeError:
        return _UNKNOWN
    owners = [_map(one) for one in _list(_map(_map(document).get("ownership")).get("owners"))]
    governance = _map(_map(document).get("governance"))
    tags = filter(None, map(_text, _list(governance.get("tags"))))
    return DatasetContext(
        groups=_owner_names(owners, "group"),
        users=_owner_names(owners, "user"),
        domain=_text(governance.get("domain")),
        tier=next(filter(_TIER.fullmatch, tags), None),
    )


def _owner_names(owners: Iterable[JsonObject], role: str) -> tuple[str, ...]:
    found = (_text(one.get(role)) for one in owners)
    return tuple(dict.fromkeys(one for one in found if one))


# The structure of the file is not validated, so any value may have any type.


def _map(held: Any) -> JsonObject:
    return held if isinstance(held, dict) else {}


def _list(held: Any) -> Sequence[Any]:
    return held if isinstance(held, list) else ()


def _text(held: object) -> str | None:
    return held if isinstance(held, str) and held else None


_MOST = 1_000
"""Maximum number of listed consumers of one change."""
_MOST_TOGETHER = 20_000
_FEWEST = 20


@dataclass(frozen=True, slots=True)
class ChangeImpacts:
    """Impacts of changes on downstream datasets."""

    changes: tuple[tuple[LineageChange, ChangeImpact], ...]
    touched: tuple[str, ...]
    affected: tuple[str, ...]
    ask: Callable[[str], DatasetContext]

    def impacts(self) -> Iterator[tuple[LineageChange, Impact]]:
        """The impact of each change."""
        for change, felt in self.changes:
            yield change, impact(change, felt, self.ask)

    @property
    def reach(self) -> Reach | None:
        """The reach of all changes together; None without relevant changes."""
        return reach(len(self.touched), self.affected, self.ask) if self.changes else None


def find_impacts(graph: Graph, files: Files, changes: Sequence[LineageChange]) -> ChangeImpacts:
    """Find the impacts of changes."""
    most = max(_FEWEST, min(_MOST, _MOST_TOGETHER // max(len(changes), 1)))
    found = tuple((change, find_impact(graph, change, most=most)) for change in changes)
    touched = tuple(sorted({change.urns[0] for change in changes}))
    own = (urn for change in changes for urn in change.urns)
    downstream = list_affected(graph, (felt for _, felt in found), own)
    named = {one.urn for _, felt in found for one in felt.felt}
    return ChangeImpacts(found, touched, downstream, read_known(files, named.union(downstream)))


def all_changes(datasets: Iterable[ChangedDataset]) -> tuple[LineageChange, ...]:
    """All findings of some datasets that may affect consumers."""
    return tuple(change for dataset in datasets for change in changes_of(dataset))


def with_impacts(
    datasets: Iterable[ChangedDataset], found: ChangeImpacts
) -> tuple[ChangedDataset, ...]:
    """Add the impacts to the findings of the datasets."""
    impacts = {id(change.finding): one for change, one in found.impacts()}
    return tuple(
        replace(
            dataset,
            findings=tuple(
                replace(one, impact=impacts[id(one)]) if id(one) in impacts else one
                for one in dataset.findings
            ),
        )
        for dataset in datasets
    )


def add_impact(report: DiffReport, graph: Graph, files: Files) -> DiffReport:
    """Add the impact to a diff report."""
    found = find_impacts(graph, files, all_changes(report.datasets))
    return replace(
        report,
        datasets=with_impacts(report.datasets, found),
        remarks=(*report.remarks, *remarks(graph, found)),
        reach=found.reach,
    )


def find_cycles(graph: Graph, found: ChangeImpacts) -> tuple[tuple[str, ...], ...]:
    """Lineage cycles among the changed and affected datasets."""
    if not found.affected:
        return ()
    from lumos_snap.lineage.graph import cycles  # noqa: PLC0415 - most changes reach nobody

    return cycles({*found.touched, *found.affected}, consumers_of(graph))


def consumers_of(graph: Graph) -> Callable[[str], Iterable[str]]:
    """A function that returns the consumers of a dataset."""
    return lambda urn: (link.consumer for link in graph.links_from(urn))


def find_missing_upstreams(graph: Graph, found: ChangeImpacts) -> tuple[tuple[str, str], ...]:
    """Datasets with an upstream that is no longer in the tree."""
    urns = {urn for change, _ in found.changes for urn in change.urns}
    gone = (urn for urn in sorted(urns) if not graph.knows(urn))
    return tuple((link.consumer, urn) for urn in gone for link in graph.links_from(urn))


def remarks(graph: Graph, found: ChangeImpacts) -> Iterator[Remark]:
    """Remarks about the lineage of the changes."""
    for circle in find_cycles(graph, found)[:_MOST_NAMED]:
        names = (one.removeprefix("lumos://") for one in (*circle, circle[0]))
        way = " → ".join(names)
        yield Remark(
            path=SNAPSHOT.path(circle[0]), message=f"lineage goes round in a circle: {way}"
        )
    if graph.broken and found.changes:
        yield Remark(
            path=f"{SNAPSHOT.folder}/{graph.broken[0]}", message=_unread(len(graph.broken))
        )


_MOST_NAMED = 3


def _unread(number: int) -> str:
    others = f", and so {number - 1:,} more" if number > 1 else ""
    return f"cannot be read{others}: what it is made from is not known"

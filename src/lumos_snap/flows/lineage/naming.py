"""What `DATASET.FIELD` means, where dots may stand in both."""

from collections.abc import Iterator
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.paths import urn_of
from lumos_snap.errors import LumosError
from lumos_snap.flows.choosing import find_among, unknown
from lumos_snap.lineage import Column, Graph
from lumos_snap.lineage.change import overlap
from lumos_snap.lineage.phrasing import short
from lumos_snap.model.field_path import format_path, parse_path, walk
from lumos_snap.tree import Tree


class Meant(NamedTuple):
    """A dataset, and the field of it that is meant, if one is."""

    urn: str
    field: str | None = None


def meant(tree: Tree, graph: Graph, wanted: str) -> Meant:
    """The dataset and field that a person means; the longest name of a dataset counts."""
    paths = () if wanted.startswith("lumos://") else tree.paths(SNAPSHOT)
    for dataset, field in _splits(wanted):
        urn = _dataset(graph, paths, dataset)
        if urn is not None:
            if field is not None:
                _require_field(tree, graph, urn, field)
            return Meant(urn, field)
    raise unknown(tree, wanted)


def _splits(wanted: str) -> Iterator[tuple[str, str | None]]:
    """Every way to read it: as a dataset, or with a field after one of its dots."""
    yield wanted, None
    at = len(wanted)
    while (at := wanted.rfind(".", 0, at)) > 0:
        try:
            yield wanted[:at], format_path(parse_path(wanted[at + 1 :]))
        except ValueError:
            continue


def _dataset(graph: Graph, paths: tuple[str, ...], name: str) -> str | None:
    """Its urn: also that of a dataset that only lineage names."""
    if name.startswith("lumos://"):
        return name if graph.knows(name) or graph.links_from(name) else None
    path = find_among(paths, name)
    return None if path is None else str(urn_of(path.removeprefix(SNAPSHOT.folder + "/")))


def _require_field(tree: Tree, graph: Graph, urn: str, field: str) -> None:
    """A slip of the pen must not look like a column that nobody reads."""
    if not graph.knows(urn) or any(_uses(one.source, field) for one in _columns(graph, urn)):
        return
    snapshot = tree[urn]
    fields = [*snapshot.schema.fields, *snapshot.schema.key_fields]
    known = [format_path(path) for path, _ in walk(fields)]
    known += [one.name for one in snapshot.storage.partitioning]
    if field not in known:
        raise _no_field(urn, field, known)


def _columns(graph: Graph, urn: str) -> Iterator[Column]:
    for link in graph.links_from(urn):
        yield from link.columns


def _uses(source: str, field: str) -> bool:
    return bool(source) and overlap(source, field)


def _no_field(urn: str, field: str, known: list[str]) -> LumosError:
    import difflib  # noqa: PLC0415 - only when something went wrong

    close = difflib.get_close_matches(field, known, n=1)
    hint = f"did you mean {close[0]}?" if close else "`lumos snap show` lists its fields"
    return LumosError(f"{short(urn)} has no field {field!r}", hint=hint)

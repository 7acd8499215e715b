"""Many older datasets at once: each for itself, then the edges between them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lumos_snap.canonical.migrations.dataset import (
    IMPORTED,
    VOLATILE_AT,
    Dataset,
    dataset,
    named_of,
)
from lumos_snap.canonical.migrations.entities import entities
from lumos_snap.canonical.migrations.left import Left, written
from lumos_snap.canonical.migrations.upgraded import (
    FORMAT,
    Document,
    Note,
    Pointer,
    Problem,
    Upgraded,
)
from lumos_snap.canonical.migrations.urns import Named
from lumos_snap.canonical.migrations.values import filled, moment

NO_OBJECT = "is no object, so no dataset"
NO_URN = "has no urn that names a dataset"
TWICE = "is listed before under the same urn"
NO_DATASETS = "lists no dataset that can be read, so what it says of itself has no place"

EXPORT = "is about the document, not about a dataset: kept with every observation of it"
OBSERVED = "when the document was written is when its figures were read"
TURNED = "an edge stands with the dataset that it leads to"

_WRITTEN_AT = ("exported_at", "export_timestamp")
_VERSION = ("lumos_version", "version")


def document(value: Mapping[str, object], at: Pointer = ()) -> Upgraded:
    """Upgrade a document that lists datasets; `at` leads to it in its file."""
    left = Left(value)
    items = left.take("datasets", as_=lambda held: held if isinstance(held, list) else None)
    found, problems = _identified(items or [], (*at, "datasets"))
    if not found:
        problems = (*problems, Problem((), NO_DATASETS))
    listed, entity_notes, entity_problems = entities(left, at)
    export, export_notes = _export(left)
    upgraded = _upgraded(found)
    return Upgraded(
        snapshots=upgraded.snapshots,
        observations=tuple(_joined(one, export) for one in upgraded.observations),
        entities=listed,
        notes=tuple(sorted({*upgraded.notes, *entity_notes, *export_notes})),
        problems=(*problems, *entity_problems),
    )


def alone(value: Mapping[str, object]) -> Upgraded:
    """Upgrade one dataset that lies in a file of its own."""
    own = named_of(value)
    if own is None:
        return Upgraded(problems=(Problem(("urn",), NO_URN),))
    said = {key: held for key, held in value.items() if (key, held) != ("lumos_version", FORMAT)}
    found = _upgraded({own.urn: _Item(said, own)})
    empty = {"lumos_version": FORMAT, "urn": own.urn}
    measured = tuple(one for one in found.observations if one != empty)
    return Upgraded(found.snapshots, measured, found.entities, tuple(sorted(found.notes)))


@dataclass(frozen=True, slots=True)
class _Item:
    """A dataset of an older document, and what it is called today."""

    value: Mapping[str, object]
    own: Named


def _identified(
    items: Iterable[object], at: Pointer
) -> tuple[dict[str, _Item], tuple[Problem, ...]]:
    """The items that are datasets, by their urns, and what is wrong with the others."""
    found: dict[str, _Item] = {}
    problems = []
    for index, item in enumerate(items):
        own = named_of(item)
        if not isinstance(item, dict):
            problems.append(Problem((*at, index), NO_OBJECT))
        elif own is None:
            problems.append(Problem((*at, index, *(("urn",) if "urn" in item else ())), NO_URN))
        elif own.urn in found:
            problems.append(Problem((*at, index, "urn"), TWICE))
        else:
            found[own.urn] = _Item(item, own)
    return found, tuple(problems)


def _upgraded(items: Mapping[str, _Item]) -> Upgraded:
    known = frozenset(items)
    found = {urn: dataset(items[urn].value, items[urn].own, known) for urn in sorted(items)}
    snapshots, edge_notes = _with_edges(found)
    identities = ({"lumos_version": FORMAT, "urn": urn} for urn in found)
    observations = (
        {**identity, **one.observation}
        for identity, one in zip(identities, found.values(), strict=True)
    )
    notes = (note for one in found.values() for note in one.notes)
    return Upgraded(snapshots, tuple(observations), notes=(*notes, *edge_notes))


def _with_edges(found: Mapping[str, Dataset]) -> tuple[tuple[Document, ...], list[Note]]:
    """The snapshots with each edge where it leads to, though only the other end told of it."""
    sources: dict[str, list[str]] = {urn: [] for urn in found}
    for urn, one in found.items():
        for other in one.leads_to:
            sources[other].append(urn)
    snapshots, notes = [], []
    for urn, one in found.items():
        own = one.snapshot.get("lineage", {}).get("upstream", [])
        told = {edge["urn"] for edge in own}
        missing = [source for source in sources[urn] if source not in told]
        notes += [
            Note(source, "lineage.downstream", f"{urn}: lineage.upstream", TURNED)
            for source in missing
        ]
        edges = [*own, *({"urn": source} for source in missing)]
        snapshots.append(filled({**one.snapshot, "lineage": filled({"upstream": edges})}))
    return tuple(snapshots), notes


def _export(left: Left) -> tuple[Document, tuple[Note, ...]]:
    """What a document says of itself, as every observation of it keeps it."""
    for key in _VERSION:
        left.take(key, as_=lambda said: said if said == FORMAT else None)
    times = {key: at for key in _WRITTEN_AT if (at := left.take(key, as_=moment))}
    kept = {piece.source[0]: left.at(piece.source[0]).value for piece in left.kept()}
    target = (*VOLATILE_AT, IMPORTED, "document")
    notes = [Note("", written((key,)), written((*target, key)), EXPORT) for key in kept]
    notes += [Note("", key, "observation.observed_at", OBSERVED) for key in times]
    return {"observed_at": next(iter(times.values()), None), "document": kept}, tuple(notes)


def _joined(observation: Document, export: Document) -> Document:
    """An observation with what its document said of itself."""
    properties = observation.get("properties", {})
    imported = {**properties.get(IMPORTED, {})}
    if export["document"]:
        imported["document"] = export["document"]
    joined = filled({**properties, IMPORTED: imported})
    return filled({**observation, "observed_at": export["observed_at"], "properties": joined})

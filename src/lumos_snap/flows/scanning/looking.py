"""What lies in the sources, and what its files say."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lumos_snap.canonical.kinds import SNAPSHOT
from lumos_snap.canonical.place import urn_of
from lumos_snap.errors import LumosError
from lumos_snap.flows.programs import INSTALL_JAVA, JAVA, OLDEST_JAVA, is_older, version_of
from lumos_snap.flows.scanning.asked import Asked, Progress, Stage
from lumos_snap.scan.deciding import Met
from lumos_snap.scan.known import ALONE, Known
from lumos_snap.scan.listing import Listing, listed
from lumos_snap.scan.looking import Spark, looked_at
from lumos_snap.scan.only import Only
from lumos_snap.scan.parting import parted
from lumos_snap.scan.sources import Source, chosen, opened
from lumos_snap.shape import Json
from lumos_snap.tree import Tree
from lumos_snap.tree.forms import STATE

Stored: TypeAlias = Mapping[str, Mapping[str, str]]
"""The snapshots that the tree holds: by source, then path by urn."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was met in the sources, dataset by dataset."""

    listings: tuple[Listing, ...]
    met: tuple[Met, ...]
    looked_at: int
    """How many files were looked at."""
    stored: Stored


def look(tree: Tree, asked: Asked, progress: Progress) -> Seen:
    """List the sources and look at the files that must be looked at."""
    sources = sources_of(tree, asked.sources)
    paths = tree.paths(SNAPSHOT)
    stored = {source.name: dict(stored_of(paths, source)) for source in sources}
    listings = _listings(sources, stored, asked.only, progress)
    datasets = [
        (listing.source, names, gathered)
        for listing in listings
        for names, gathered in sorted(listing.datasets.items())
    ]
    evidence, files = looked_at(
        [(source.store, gathered) for source, _, gathered in datasets],
        _spark(tree, asked),
        lambda done, total: progress(Stage.READ, done, total),
    )
    met = (Met(*one, found) for one, found in zip(datasets, evidence, strict=True))
    return Seen(tuple(listings), tuple(_parted(met, stored)), files, stored)


def _parted(met: Iterable[Met], stored: Stored) -> Iterator[Met]:
    listed = tuple(met)
    apart = {
        (one.source.name, one.names[:-1]) for one in listed if one.gathered.placed.rule == ALONE
    }
    for one in listed:
        is_known = one.urn in stored[one.source.name]
        folder = (one.source.name, tuple(filter(None, one.gathered.placed.folder.split("/"))))
        yield from parted(one, among_parted=not is_known and folder in apart)


def stored_of(paths: Sequence[str], source: Source) -> Iterator[tuple[str, str]]:
    """The urns and paths of the snapshots that the tree holds of a source."""
    folder = f"{SNAPSHOT.folder}/{source.platform}/"
    for path in paths:
        if not path.startswith(folder):
            continue
        try:
            urn = str(urn_of(path.removeprefix(f"{SNAPSHOT.folder}/")))
        except LumosError:
            continue  # which `lumos snap validate` says
        if urn == source.prefix or urn.startswith(f"{source.prefix}/"):
            yield urn, path


def sources_of(tree: Tree, wanted: Sequence[str]) -> tuple[Source, ...]:
    """The sources that are meant, open; raises where two would name their datasets alike."""
    sources = tuple(
        opened(one, tree.root) for one in chosen(tree.config.sources, wanted, tree.root)
    )
    taken: dict[str, str] = {}
    for source in sources:
        other = taken.setdefault(source.prefix, source.name)
        if other != source.name:
            raise LumosError(
                f"sources {other!r} and {source.name!r} both fill {source.prefix}",
                hint="give one of them a `container` of its own in lumos.yaml",
            )
    return sources


def _listings(
    sources: Sequence[Source], stored: Stored, only: Sequence[str], progress: Progress
) -> list[Listing]:
    listings: list[Listing] = []
    for source in sources:
        before = sum(listing.files for listing in listings)
        known = Known.of(source.names(urn) for urn in stored[source.name])
        wanted = Only.of(source, only)
        listings.append(listed(source, known, wanted, _counting(progress, before)))
    return listings


def _counting(progress: Progress, before: int) -> Callable[[int], None]:
    return lambda files: progress(Stage.LISTED, before + files, None)


def _spark(tree: Tree, asked: Asked) -> Spark:
    return Spark(
        session=asked.session,
        master=asked.master,
        settings={name: _word(name, value) for name, value in tree.config.spark.items()},
        log=tree.root / STATE / "spark.log",
        why_not=_without_java,
    )


def _without_java() -> tuple[str, str] | None:
    version = version_of(JAVA)
    if version is None:
        return "there is no Java that runs", INSTALL_JAVA
    if is_older(version, OLDEST_JAVA):
        return f"Java {version} is too old", INSTALL_JAVA
    return None


def _word(name: str, value: Json) -> str:
    """A setting as Spark takes it: YAML knows more types than that."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    raise LumosError(
        f"lumos.yaml: spark: {name} is no setting of Spark", hint="give it a word or a number"
    )

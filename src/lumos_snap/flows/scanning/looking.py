"""What lies in the sources, and what its files say."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from lumos_snap.canonical.kinds import SNAPSHOT
from lumos_snap.canonical.place import urn_of
from lumos_snap.errors import LumosError
from lumos_snap.flows.programs import INSTALL_JAVA, JAVA, OLDEST_JAVA, is_older, version_of
from lumos_snap.flows.scanning.asked import Asked, Progress, Stage
from lumos_snap.scan.known import ALONE, Files, Known
from lumos_snap.scan.listing import Listing, listed
from lumos_snap.scan.looking import Spark, looked_at
from lumos_snap.scan.met import Met
from lumos_snap.scan.only import Only
from lumos_snap.scan.parting import parted
from lumos_snap.scan.sources import Source, chosen, opened
from lumos_snap.shape import Json
from lumos_snap.tree import Tree

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
    listings: list[Listing] = []
    for source in sources:
        before = sum(listing.files for listing in listings)
        known = known_of(tree, source, stored[source.name])
        wanted = Only.of(source, asked.only)
        listings.append(listed(source, known, wanted, _counting(progress, before)))
    places = [
        (listing, names, gathered)
        for listing in listings
        for names, gathered in sorted(listing.datasets.items())
    ]
    evidence, files = looked_at(
        [(listing.source.store, gathered) for listing, _, gathered in places],
        _spark(tree, asked),
        lambda done, total: progress(Stage.READ, done, total),
    )
    met = [
        Met(one.source, names, gathered, found, in_sight=not one.hides(gathered.place()[0]))
        for (one, names, gathered), found in zip(places, evidence, strict=True)
    ]
    return Seen(tuple(listings), tuple(_parted(met, stored)), files, stored)


def _parted(met: Sequence[Met], stored: Stored) -> Iterator[Met]:
    """Files that have nothing in common are datasets of their own; what is known stays one."""
    taken = {one.urn for one in met}
    apart = {(one.source.name, one.names[:-1]) for one in met if one.gathered.rule == ALONE}
    for one in met:
        if one.urn in stored[one.source.name]:
            yield one
            continue
        folder = tuple(filter(None, one.gathered.placed.folder.split("/")))
        among_parted = (one.source.name, folder) in apart
        parts = tuple(parted(one, among_parted=among_parted, taken=taken))
        taken.update(part.urn for part in parts)
        yield from parts


def known_of(tree: Tree, source: Source, stored: Mapping[str, str]) -> Known:
    """What the tree knows of a source."""
    return Known.of(map(source.names, stored), _files_of(tree, source))


def _files_of(tree: Tree, source: Source) -> Files:
    def said(names: tuple[str, ...]) -> str | None:
        content = tree.files.read(SNAPSHOT.path(source.urn(names)))
        try:
            document = orjson.loads(content or b"{}")
        except orjson.JSONDecodeError:
            return None
        storage = document.get("storage") if isinstance(document, dict) else None
        files = storage.get("files") if isinstance(storage, dict) else None
        return files if isinstance(files, str) else None

    return said


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
    """The sources that are meant, open."""
    return tuple(opened(one, tree.root) for one in chosen(tree.config.sources, wanted, tree.root))


def _counting(progress: Progress, before: int) -> Callable[[int], None]:
    return lambda files: progress(Stage.LISTED, before + files, None)


def _spark(tree: Tree, asked: Asked) -> Spark:
    return Spark(
        session=asked.session,
        master=asked.master,
        settings={name: _word(name, value) for name, value in tree.config.spark.items()},
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

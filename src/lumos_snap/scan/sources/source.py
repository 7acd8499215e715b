"""Sources: the location of data, the grouping of its files, and the urns of its datasets."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lumos_snap.canonical.document_kinds import FOLDERS
from lumos_snap.config import WAIVERS
from lumos_snap.config.settings import SourceSettings as Settings
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import refuse_committed_links, refuse_committed_links_in
from lumos_snap.model.urn import Urn, parse_urn
from lumos_snap.scan.grouping.assign import Layout
from lumos_snap.scan.grouping.include_exclude import PathFilter, ignore_reason
from lumos_snap.scan.grouping.templates import parse_template
from lumos_snap.scan.sources.urls import (
    Address,
    NamedCatalog,
    address_of,
    is_elsewhere,
    is_url,
    local_path,
)
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import Store
from lumos_snap.text import readable

EXCLUDED = "excluded by lumos.yaml"
TREE_ITSELF = "the tree itself"
_CREDENTIALS = re.compile(r"(?<=://)[^/@]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An open source."""

    name: str
    address: str
    """Its address on this machine, which is never part of reports and documents."""
    store: Store | None
    """The store that lists its files; None if a catalog lists tables."""
    platform: str
    container: tuple[str, ...]
    location: str
    layout: Layout
    filter: PathFilter
    sample: int
    own: frozenset[str]
    """Folders below it that belong to the tree itself."""
    catalog: NamedCatalog | None = None

    @property
    def prefix(self) -> str:
        """The common prefix of its datasets' urns, and the urn of a dataset at its root."""
        return str(Urn(self.platform, self.container))

    def urn(self, names: Sequence[str]) -> str:
        """Return the urn of a dataset in the source."""
        return str(Urn(self.platform, (*self.container, *names)))

    def names(self, urn: str) -> tuple[str, ...]:
        """Return the names of one of its datasets."""
        return parse_urn(urn).parts[len(self.container) :]

    def passed_over(self, path: str) -> str | None:
        """Return why a path is skipped, or None; a trailing slash means a folder."""
        folder = path.removesuffix("/")
        if folder in self.own:
            return TREE_ITSELF
        reason = ignore_reason(path)
        if reason is not None:
            return reason
        is_wanted = self.filter.may_hold(folder) if folder != path else self.filter.wants(path)
        return None if is_wanted else EXCLUDED

    @property
    def is_filtered(self) -> bool:
        """Whether globs select its files."""
        return bool(self.filter.include or self.filter.exclude)

    def folder_of(self, location: str) -> str | None:
        """Return the folder of a location in reports; None if it is outside the source."""
        if location == self.location:
            return ""
        inside = location.removeprefix(f"{self.location}/")
        return None if inside == location else inside

    def below(self, address: str) -> str | None:
        """Return the path of a URL within the source; None if it is outside."""
        inside = address.removeprefix(f"{self.address.rstrip('/')}/")
        return inside if is_url(self.address) and inside != address else None

    def located(self, folder: str) -> str:
        """Return the location of a folder, valid on every machine."""
        return f"{self.location}/{readable(folder)}" if folder else self.location


def open_source(settings: Settings, root: Path) -> Source:
    """Open a source as configured in `lumos.yaml`; raise if its folder does not exist.

    A remote store is not contacted yet.
    """
    there = _address(settings)
    folder = None if there else _folder(settings, root)
    container = _container(settings, there)
    platform = _platform(settings, there)
    return Source(
        name=settings.name,
        address=there.url if there else str(folder),
        store=there.store if there else LocalStore(str(folder)),
        platform=platform,
        container=container,
        location=_location(settings, there, (platform, *container)),
        layout=Layout(
            grouping=settings.grouping,
            templates=tuple(map(parse_template, settings.templates)),
        ),
        filter=PathFilter(include=settings.include, exclude=settings.exclude),
        sample=settings.sample,
        own=_tree_folders(folder, root) if folder else frozenset(),
        catalog=there.catalog if there else None,
    )


def _address(settings: Settings) -> Address | None:
    """Return the address of the source; None if it is a folder of this machine."""
    if is_elsewhere(settings.path):
        try:
            return address_of(settings.path, settings.store)
        except LumosError as exc:
            raise type(exc)(f"{settings.name}: {exc.message}", hint=exc.hint) from exc
    for name in sorted(settings.store.given()):
        raise LumosError(
            f"{settings.name}: a folder has no setting `{name}`", hint="leave out its `store`"
        )
    return None


def _folder(settings: Settings, root: Path) -> Path:
    folder = Path(os.path.normpath(_path(settings, root)))
    if not folder.exists():
        raise OutsideError(
            f"{settings.name}: there is no folder {folder}",
            hint="check the path, and that what it leads to is mounted",
        )
    if not folder.is_dir():
        raise LumosError(f"{settings.name}: {folder} is not a folder", hint="name a folder")
    refuse_committed_links(folder)
    refuse_committed_links_in(folder)
    return folder


def _path(settings: Settings, root: Path) -> Path:
    try:
        return root / Path(local_path(settings.path)).expanduser()
    except RuntimeError as exc:
        raise LumosError(
            f"{settings.name}: {settings.path}: nobody's home is known by that name",
            hint="write the path out",
        ) from exc


def _location(settings: Settings, there: Address | None, names: Sequence[str]) -> str:
    """Return the location in reports: as configured, without credentials, or built from names."""
    made = there.url if there else f"{names[0]}:{'/'.join(names[1:])}"
    return _CREDENTIALS.sub("", settings.location).rstrip("/") if settings.location else made


def _tree_folders(folder: Path, root: Path) -> frozenset[str]:
    """Return the tree's own folders within the source: a tree does not describe itself."""
    inside = os.path.relpath(os.path.realpath(root), os.path.realpath(folder))
    if inside.split("/")[0] == "..":
        return frozenset()
    return frozenset(os.path.normpath(f"{inside}/{name}") for name in (*FOLDERS, WAIVERS))


def select_sources(
    configured: Sequence[Settings], wanted: Sequence[str], root: Path
) -> tuple[Settings, ...]:
    """Select sources by name or folder; the folder need not be configured."""
    if not wanted and not configured:
        raise LumosError(
            "nothing says what to scan",
            hint="name a folder: `lumos snap scan ./lake`, or list `sources:` in lumos.yaml",
        )
    found = [_select_one(configured, one, root) for one in dict.fromkeys(wanted)] or list(
        configured
    )
    others = [one for one in found if one not in configured]
    _refuse_twins([*configured, *others])
    return tuple(found)


def _select_one(configured: Sequence[Settings], wanted: str, root: Path) -> Settings:
    for settings in configured:
        if settings.name == wanted:
            return settings
    there = address_of(wanted, _AD_HOC.store) if is_elsewhere(wanted) else None
    place = there.url if there else os.path.realpath(local_path(wanted))
    for settings in configured:
        known = _canonical_address(settings, root)
        if known == place:
            return settings
        if place.startswith(f"{known.rstrip('/')}/"):
            raise LumosError(
                f"{wanted}: lies in the source {settings.name!r}",
                hint=f"`lumos snap scan {settings.name} --only 'FOLDER/*'` scans a part of it",
            )
    name = "/".join(there.container) if there else Path(place).name
    if not name:
        raise LumosError(
            f"{wanted}: has no name of its own", hint="give it one under `sources:` in lumos.yaml"
        )
    location = None if there else _location_in_tree(place, root, name)
    return replace(_AD_HOC, name=readable(name), path=place, location=location)


def _location_in_tree(folder: str, root: Path, name: str) -> str | None:
    """Return the location of a folder below the tree's own, which tells it from its namesakes."""
    inside = os.path.relpath(folder, os.path.realpath(root))
    is_below = inside not in (name, os.curdir) and Path(inside).parts[0] != os.pardir
    return f"file:{readable(inside)}" if is_below else None


def _canonical_address(settings: Settings, root: Path) -> str:
    """Return a canonical address for comparison."""
    there = _address(settings)
    return there.url if there else os.path.realpath(_path(settings, root))


_AD_HOC = Settings(name="-", path="-")


def _refuse_twins(sources: Sequence[Settings]) -> None:
    """Reject sources whose datasets would get the same urns."""
    for number, one in enumerate(sources):
        for other in sources[:number]:
            if one.name == other.name:
                raise LumosError(
                    f"two sources are called {one.name!r}",
                    hint="give each a name of its own under `sources:` in lumos.yaml",
                )
            first, second = sorted((_prefix(one), _prefix(other)), key=len)
            if second[: len(first)] == first:
                raise LumosError(
                    f"sources {other.name!r} and {one.name!r} both fill {'/'.join(first)}",
                    hint="give one of them a `container` of its own in lumos.yaml",
                )


def _prefix(settings: Settings) -> tuple[str, ...]:
    there = _address(settings)
    return (_platform(settings, there), *_container(settings, there))


def _platform(settings: Settings, there: Address | None) -> str:
    return settings.platform or (there.platform if there else "file")


def _container(settings: Settings, there: Address | None) -> tuple[str, ...]:
    """Return the names after the platform: as configured, by address, or by the source's name."""
    is_store = there is not None and there.catalog is None
    usual = there.container if there and is_store and settings.container is None else ()
    given = settings.container if is_store else settings.container or settings.name
    found = usual or tuple(filter(None, (given or "").split("/")))
    if not found:
        raise LumosError(
            f"{settings.name}: its container is empty",
            hint="give it a `container` in lumos.yaml" if is_store else "leave it out",
        )
    return found

"""Sources: where data lies, how it is grouped, and what its datasets are called."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lumos_snap.canonical.kinds import FOLDERS
from lumos_snap.config import WAIVERS
from lumos_snap.config.settings import Source as Settings
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.model.urn import Urn, parse_urn
from lumos_snap.scan.grouping.filtering import Filter
from lumos_snap.scan.grouping.ignoring import ignored
from lumos_snap.scan.grouping.placing import Layout
from lumos_snap.scan.grouping.templates import parse_template
from lumos_snap.scan.probe.local import LocalStore
from lumos_snap.scan.probe.store import Store
from lumos_snap.scan.spelling import readable

EXCLUDED = "excluded by lumos.yaml"
OWN = "the tree itself"
_CREDENTIALS = re.compile(r"(?<=://)[^/@]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source, ready to be read."""

    name: str
    address: str
    """Where it lies for this machine: reports and documents never say so."""
    store: Store
    platform: str
    container: tuple[str, ...]
    location: str
    layout: Layout
    filter: Filter
    sample: int
    own: frozenset[str]
    """Folders below it in which the tree itself lies."""

    @property
    def prefix(self) -> str:
        """What the urns of all its datasets begin with; a dataset at its root is just that."""
        return str(Urn(self.platform, self.container))

    def urn(self, names: Sequence[str]) -> str:
        """The urn of a dataset below the source."""
        return str(Urn(self.platform, (*self.container, *names)))

    def names(self, urn: str) -> tuple[str, ...]:
        """The names that lead to one of its datasets."""
        return parse_urn(urn).parts[len(self.container) :]

    def passed_over(self, path: str) -> str | None:
        """Why a path is not looked at; one that ends in a slash is a folder."""
        folder = path.removesuffix("/")
        if folder in self.own:
            return OWN
        reason = ignored(path)
        if reason is not None:
            return reason
        is_wanted = self.filter.may_hold(folder) if folder != path else self.filter.wants(path)
        return None if is_wanted else EXCLUDED

    @property
    def is_filtered(self) -> bool:
        """Whether globs choose among its files."""
        return bool(self.filter.include or self.filter.exclude)

    def folder_of(self, location: str) -> str | None:
        """The folder that a location means, as reports spell it; none where it lies elsewhere."""
        if location == self.location:
            return ""
        inside = location.removeprefix(f"{self.location}/")
        return None if inside == location else inside

    def located(self, folder: str) -> str:
        """Where a folder of the source lies, in words that hold on every machine."""
        return f"{self.location}/{readable(folder)}" if folder else self.location


def opened(settings: Settings, root: Path) -> Source:
    """A source as `lumos.yaml` describes it; raises where there is no such folder."""
    folder = Path(os.path.normpath(_path(settings, root)))
    if not folder.exists():
        raise OutsideError(
            f"{settings.name}: there is no folder {folder}",
            hint="check the path, and that what it leads to is mounted",
        )
    if not folder.is_dir():
        raise LumosError(f"{settings.name}: {folder} is not a folder", hint="name a folder")
    container = _container(settings)
    if not container:
        raise LumosError(f"{settings.name}: its container is empty", hint="leave it out")
    return Source(
        name=settings.name,
        address=str(folder),
        store=LocalStore(str(folder)),
        platform=settings.platform,
        container=container,
        location=_location(settings, container),
        layout=Layout(
            grouping=settings.grouping,
            templates=tuple(map(parse_template, settings.templates)),
        ),
        filter=Filter(include=settings.include, exclude=settings.exclude),
        sample=settings.sample,
        own=_own(folder, root),
    )


def _path(settings: Settings, root: Path) -> Path:
    try:
        return root / Path(settings.path).expanduser()
    except RuntimeError as exc:
        raise LumosError(
            f"{settings.name}: {settings.path}: nobody's home is known by that name",
            hint="write the path out",
        ) from exc


def _location(settings: Settings, container: Sequence[str]) -> str:
    """What stands before paths: as it is set, without credentials, or made of names."""
    given = settings.location or f"{settings.platform}:{'/'.join(container)}"
    return _CREDENTIALS.sub("", given).rstrip("/")


def _own(folder: Path, root: Path) -> frozenset[str]:
    """A tree may lie in what it describes, and does not describe itself."""
    inside = os.path.relpath(os.path.realpath(root), os.path.realpath(folder))
    if inside.split("/")[0] == "..":
        return frozenset()
    return frozenset(os.path.normpath(f"{inside}/{name}") for name in (*FOLDERS, WAIVERS))


def chosen(
    configured: Sequence[Settings], wanted: Sequence[str], root: Path
) -> tuple[Settings, ...]:
    """The sources that are meant: by name, or by a folder, which may be in none of them."""
    if not wanted and not configured:
        raise LumosError(
            "nothing says what to scan",
            hint="name a folder: `lumos snap scan ./lake`, or list `sources:` in lumos.yaml",
        )
    found = [_one(configured, one, root) for one in dict.fromkeys(wanted)] or list(configured)
    others = [one for one in found if one not in configured]
    _refuse_twins([*configured, *others])
    return tuple(found)


def _one(configured: Sequence[Settings], wanted: str, root: Path) -> Settings:
    for settings in configured:
        if settings.name == wanted:
            return settings
    folder = os.path.realpath(wanted)
    for settings in configured:
        known = os.path.realpath(_path(settings, root))
        if known == folder:
            return settings
        if folder.startswith(f"{known}/"):
            raise LumosError(
                f"{wanted}: lies in the source {settings.name!r}",
                hint=f"`lumos snap scan {settings.name} --only 'FOLDER/*'` scans a part of it",
            )
    name = Path(folder).name
    if not name:
        raise LumosError(
            f"{wanted}: has no name of its own", hint="give it one under `sources:` in lumos.yaml"
        )
    return replace(_AD_HOC, name=readable(name), path=folder)


_AD_HOC = Settings(name="-", path="-")


def _refuse_twins(sources: Sequence[Settings]) -> None:
    """Refuse sources that would describe their datasets in each other's place."""
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
    return (settings.platform, *_container(settings))


def _container(settings: Settings) -> tuple[str, ...]:
    return tuple(filter(None, (settings.container or settings.name).split("/")))

"""Sources: where data lies, how it is grouped, and what its datasets are called."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lumos_snap.config.settings import Source as Settings
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.model.urn import Urn, parse_urn
from lumos_snap.scan.grouping.filtering import Filter
from lumos_snap.scan.grouping.placing import Layout
from lumos_snap.scan.grouping.templates import parse_template
from lumos_snap.scan.probe.local import LocalStore
from lumos_snap.scan.spelling import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source, ready to be read."""

    name: str
    store: LocalStore
    platform: str
    container: tuple[str, ...]
    location: str
    layout: Layout
    filter: Filter
    sample: int

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

    def located(self, folder: str) -> str:
        """Where a folder of the source lies, in words that hold on every machine."""
        return f"{self.location}/{readable(folder)}" if folder else self.location


def opened(settings: Settings, root: Path) -> Source:
    """A source as `lumos.yaml` describes it; raises where there is no such folder."""
    folder = Path(os.path.normpath(root / Path(settings.path).expanduser()))
    if not folder.exists():
        raise OutsideError(
            f"{settings.name}: there is no folder {folder}",
            hint="check the path, and that what it leads to is mounted",
        )
    if not folder.is_dir():
        raise LumosError(f"{settings.name}: {folder} is not a folder", hint="name a folder")
    container = tuple(filter(None, (settings.container or settings.name).split("/")))
    if not container:
        raise LumosError(f"{settings.name}: its container is empty", hint="leave it out")
    return Source(
        name=settings.name,
        store=LocalStore(str(folder)),
        platform=settings.platform,
        container=container,
        location=(settings.location or f"{settings.platform}:{'/'.join(container)}").rstrip("/"),
        layout=Layout(
            grouping=settings.grouping,
            templates=tuple(map(parse_template, settings.templates)),
        ),
        filter=Filter(include=settings.include, exclude=settings.exclude),
        sample=settings.sample,
    )


def chosen(
    configured: Sequence[Settings], wanted: Sequence[str], root: Path
) -> tuple[Settings, ...]:
    """The sources that are meant: by name, or by a folder, which may be in none of them."""
    _refuse_twins(configured)
    if not wanted:
        if not configured:
            raise LumosError(
                "nothing says what to scan",
                hint="name a folder: `lumos snap scan ./lake`, or list `sources:` in lumos.yaml",
            )
        return tuple(configured)
    return tuple(_one(configured, one, root) for one in dict.fromkeys(wanted))


def _one(configured: Sequence[Settings], wanted: str, root: Path) -> Settings:
    for settings in configured:
        if settings.name == wanted:
            return settings
    folder = Path(os.path.realpath(wanted))
    for settings in configured:
        if Path(os.path.realpath(root / Path(settings.path).expanduser())) == folder:
            return settings
    name = folder.name
    if not name:
        raise LumosError(
            f"{wanted}: has no name of its own", hint="give it one under `sources:` in lumos.yaml"
        )
    return replace(_AD_HOC, name=name, path=str(folder))


_AD_HOC = Settings(name="-", path="-")


def _refuse_twins(configured: Sequence[Settings]) -> None:
    names = [settings.name for settings in configured]
    for name in names:
        if names.count(name) > 1:
            raise LumosError(
                f"lumos.yaml: two sources are called {name!r}", hint="give each its own name"
            )

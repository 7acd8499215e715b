"""`lumos snap scan --explain`: why a file belongs to its dataset. Nothing is read but settings."""

import os
from collections.abc import Sequence
from pathlib import Path

from lumos_snap.canonical.kinds import SNAPSHOT
from lumos_snap.errors import LumosError
from lumos_snap.flows.scanning.looking import sources_of, stored_of
from lumos_snap.report.scanning import PathStep, Placement
from lumos_snap.scan import state
from lumos_snap.scan.grouping.explaining import explain as explained
from lumos_snap.scan.grouping.ignoring import ignored
from lumos_snap.scan.grouping.placing import place
from lumos_snap.scan.grouping.rules import RULES
from lumos_snap.scan.known import Known
from lumos_snap.scan.sources import Source
from lumos_snap.scan.spelling import readable
from lumos_snap.tree import Tree
from lumos_snap.tree.forms import STATE


def explain(tree: Tree, path: str, wanted: Sequence[str]) -> Placement:
    """What a scan would take a path for; the file need not be there."""
    source, relative = _home(sources_of(tree, wanted), path)
    steps = tuple(
        PathStep(part=readable(step.text), meaning=step.why)
        for step in explained(relative, source.layout)
    )
    why = _why_ignored(source, relative)
    if why is not None:
        return Placement(source=source.name, path=readable(relative), ignored=why, steps=steps)
    stored = stored_of(tree.paths(SNAPSHOT), source)
    known = Known.of(source.names(urn) for urn, _ in stored)
    placed = known.place(relative, place(relative, source.layout))
    urn = source.urn(placed.names)
    return Placement(
        source=source.name,
        path=readable(relative),
        urn=urn,
        document=SNAPSHOT.path(urn),
        rule=placed.rule,
        why=RULES[placed.rule],
        last=_last(tree, urn),
        steps=steps,
    )


def _last(tree: Tree, urn: str) -> str | None:
    """What the last scan here has put together under a urn."""
    kept = state.read(tree.files.read(f"{STATE}/{state.STATE_NAME}")).get(urn)
    if kept is None:
        return None
    return f"{kept['files']:,} files by {kept['rule']}, the first of them {kept['example']}"


def _home(sources: Sequence[Source], path: str) -> tuple[Source, str]:
    """The source that a path lies in, and the path below it."""
    for place_ in (os.path.abspath(path), os.path.realpath(path)):  # noqa: PTH100 - as typed
        for source in sources:
            root = source.store.root
            for folder in (root, os.path.realpath(root)):
                relative = os.path.relpath(place_, folder)
                if relative != "." and Path(relative).parts[0] != "..":
                    return source, relative
    for source in sources:
        if not path.startswith("/"):
            return source, os.path.normpath(path)
    raise LumosError(
        f"{path}: lies in no source", hint="name a file below a source, or the source as well"
    )


def _why_ignored(source: Source, relative: str) -> str | None:
    why = ignored(relative)
    if why is None and not source.filter.wants(relative):
        return "excluded by lumos.yaml"
    return why

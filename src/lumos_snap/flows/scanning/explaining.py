"""`lumos snap scan --explain`: why a file belongs to its dataset. Nothing is read but settings."""

import os
from collections.abc import Sequence
from pathlib import Path

from lumos_snap.canonical.kinds import SNAPSHOT
from lumos_snap.errors import LumosError
from lumos_snap.flows.scanning.looking import known_of, sources_of, stored_of
from lumos_snap.report.scanning import PathStep, Placement
from lumos_snap.scan import state
from lumos_snap.scan.grouping.explaining import explain as explained
from lumos_snap.scan.grouping.placing import place
from lumos_snap.scan.grouping.rules import RULES
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
    why = source.passed_over(relative)
    if why is not None:
        return Placement(source=source.name, path=readable(relative), ignored=why, steps=steps)
    stored = dict(stored_of(tree.paths(SNAPSHOT), source))
    placed = known_of(tree, source, stored).place(relative, place(relative, source.layout))
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
    files = "1 file" if kept["files"] == 1 else f"{kept['files']} files"
    return f"{files} by {kept['rule']}, the first of them {kept['example']}"


def _home(sources: Sequence[Source], path: str) -> tuple[Source, str]:
    """The source that a path lies in, and the path below it."""
    if not path or Path(path).is_dir():
        raise LumosError(f"{path or 'nothing'}: is no file", hint="name a file below a source")
    for absolute in (os.path.abspath(path), os.path.realpath(path)):  # noqa: PTH100 - as typed
        for source in sources:
            for root in (source.address, os.path.realpath(source.address)):
                relative = os.path.relpath(absolute, root)
                if relative != "." and Path(relative).parts[0] != "..":
                    return source, relative
    inside = os.path.normpath(path)
    if not inside.startswith(("/", "..")) and len(sources) == 1:
        return sources[0], inside
    raise LumosError(
        f"{path}: lies in no source", hint="name a file below a source, or the source as well"
    )

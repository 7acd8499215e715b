"""`lumos snap import`: a document of any known shape becomes files of a tree."""

from collections.abc import Mapping

from lumos_snap.canonical.document_kinds import KINDS, OBSERVATION, SNAPSHOT, kind_at
from lumos_snap.canonical.rules import EXISTS
from lumos_snap.documents import Place, Problem
from lumos_snap.flows.incoming import Incoming, content_of
from lumos_snap.flows.judging import changed_meanwhile, finding
from lumos_snap.report.command_reports import Finding, Imported
from lumos_snap.tree import Tree


def import_document(tree: Tree, document: Incoming, *, overwrite: bool, dry_run: bool) -> Imported:
    """Write what a document holds; what is there and differs stays, unless told otherwise."""
    content = content_of(document, tree.config.environment)
    there = {path: tree.files.read(path) for path in content.files}
    new = {p: c for p, c in content.files.items() if there[p] is None or overwrite}
    changed = {path: c for path, c in new.items() if there[path] != c}
    unchanged = sum(there[path] == c for path, c in content.files.items())
    kept = [p for p, c in content.files.items() if p not in new and there[p] != c]
    left: tuple[str, ...] = ()
    if changed and not dry_run:
        written = tree.write_bytes(changed, expected={path: there[path] for path in changed})
        changed, left = {path: changed[path] for path in written.changed}, written.left
    counts = _counts(content.files)
    return Imported(
        file=document.name,
        shape=content.shape,
        datasets=counts.pop(SNAPSHOT.name),
        observations=counts.pop(OBSERVATION.name),
        entities=sum(counts.values()),
        written=tuple(changed),
        unchanged=unchanged,
        dry_run=dry_run,
        notes=content.notes,
        findings=(*content.findings, *map(_exists, kept), *map(changed_meanwhile, left)),
    )


def _counts(paths: Mapping[str, bytes]) -> dict[str, int]:
    counts = {kind.name: 0 for kind in KINDS}
    for path in paths:
        kind = kind_at(path)
        counts[kind.name if kind else SNAPSHOT.name] += 1
    return counts


def _exists(path: str) -> Finding:
    message = "is there already and differs: kept as it is"
    return finding(path, Problem(Place(), EXISTS, message, "use --overwrite to replace it"))

"""`lumos snap version`: the version of a dataset, and its unreleased changes."""

from collections.abc import Callable
from dataclasses import replace

from lumos_snap.commands.bump.last_release import LastRelease, Releases
from lumos_snap.commands.bump.plan import day_of, find_releasable, require_readable
from lumos_snap.commands.diff.compare import compare_sides
from lumos_snap.commands.diff.sides import NOTHING, SideOptions, resolve_sides
from lumos_snap.git import find_repository, resolve
from lumos_snap.git.refs import Commit, look_up
from lumos_snap.json_object import JsonObject
from lumos_snap.report.diff import BumpWord
from lumos_snap.report.release import DatasetVersion, PastRelease, UnreleasedChanges
from lumos_snap.rules.finding import bump_of
from lumos_snap.rules.judge import judge
from lumos_snap.schema import document_of
from lumos_snap.tree import Tree
from lumos_snap.tree.files import CommitFiles
from lumos_snap.tree.selection import find_dataset
from lumos_snap.versioning import ReleaseNames, next_version
from lumos_snap.versioning.release_record import (
    change_lines,
    cloud_version_of,
    history_of,
    last_released_version,
    version_of,
)

Announce = Callable[[str], None]


def version(
    tree: Tree, dataset: str, *, history: bool, fetch: bool, announce: Announce
) -> DatasetVersion:
    """The version of a dataset in a tree, its unreleased changes, and optionally its history."""
    path = find_dataset(tree, dataset)
    snapshot = tree.snapshot_at(path)
    document = document_of(snapshot)
    found = DatasetVersion(
        source=tree.label,
        urn=snapshot.urn,
        path=path,
        schema_version=version_of(document),
        cloud_version=cloud_version_of(document),
        history=_history(document) if history else (),
    )
    repository = find_repository(tree.root)
    if repository is None:
        return found
    (head,) = look_up(repository, ("HEAD",))
    if isinstance(tree.files, CommitFiles):
        head = resolve(repository, tree.files.commit)
    if head is None:
        return found  # without a commit there is no release
    at_head = Tree(tree.root, CommitFiles(repository, head.id, head.name))
    versions = tree.config.versions
    naming = ReleaseNames(versions.cloud_prefix, versions.tag_prefix)
    releases = Releases(repository, at_head, head.id, naming, fetch, announce)
    last = releases.last(NOTHING if releases.recorded.others else None)
    return replace(found, unreleased=_find_unreleased(tree, path, head, releases, last))


def _history(document: JsonObject) -> tuple[PastRelease, ...]:
    entries = reversed(history_of(None, document))
    return tuple(
        PastRelease(**{**one, "changes": tuple(one.get("changes", ()))}) for one in entries
    )


def _find_unreleased(
    tree: Tree, path: str, head: Commit, releases: Releases, last: LastRelease
) -> UnreleasedChanges | None:
    sought = SideOptions(
        base=last.commit or NOTHING,
        head=head.id if isinstance(tree.files, CommitFiles) else None,
        merge_base=False,
        fetch=releases.fetch,
    )
    chosen = resolve_sides(lambda: tree, sought, releases.announce)
    # Removed datasets are compared too, to find a dataset's former name.
    changes = (one for one in chosen.changes if one.path == path or one.form_after is None)
    sides = compare_sides(replace(chosen, changes=changes))
    require_readable(replace(sides, unreadable_before=[]), last)
    for pair in find_releasable(sides.pairs):
        comparison = pair.comparison
        if pair.path == path and comparison.new is not None:
            findings = judge(comparison, chosen.policy, day_of(head))
            bump = bump_of(findings)
            before = last_released_version(comparison.old, comparison.new)
            following = next_version(before, version_of(comparison.new), bump)
            return UnreleasedChanges(
                since=last.name,
                bump=BumpWord(bump.word),
                next_version=str(following),
                changes=change_lines(findings),
            )
    return None

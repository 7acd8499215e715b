"""The last release: its commit, and the releases recorded in snapshots and tags."""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.diff.sides import NOTHING
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import Repository, merge_base
from lumos_snap.git.refs import (
    GitTag,
    RemoteRefs,
    deepen,
    find_first_with,
    is_ancestor,
    local_tags,
    parents_of,
    read_remote_refs,
    remotes,
)
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import TreeChange
from lumos_snap.tree.files import Files
from lumos_snap.versioning import ReleaseNames, parse
from lumos_snap.versioning.release_record import cloud_version_of, version_of, without_versions

Announce = Callable[[str], None]
_MAX_TRIES = 10


@dataclass(frozen=True, slots=True)
class LastRelease:
    """The commit from which changes are counted."""

    name: str
    commit: str | None
    number: int | None = None
    is_tagged: bool = True
    """Whether the release has its tag, locally or at the remote."""


@dataclass(frozen=True, slots=True)
class RecordedReleases:
    """Releases that the snapshots of a commit record."""

    paths: Mapping[int, tuple[str, ...]]
    """Release number to the files that state it as their last release."""
    others: frozenset[str]
    """Releases with other names: the prefix has changed, or they were imported."""
    highest: str | None
    """The highest version of any dataset."""


def read_recorded_releases(files: Files, naming: ReleaseNames) -> RecordedReleases:
    """Read the releases that snapshots record; unreadable snapshots are ignored."""
    paths: dict[int, list[str]] = {}
    others: set[str] = set()
    versions: set[str] = set()
    for path, raw in files.read_all(files.found((SNAPSHOT.folder,)).documents):
        document = _load_versioned(raw)
        versions.update(filter(None, [version_of(document)]))
        cloud = cloud_version_of(document)
        if cloud is None:
            continue
        number = naming.number_of_cloud(cloud)
        if number is None:
            others.add(cloud)
        else:
            paths.setdefault(number, []).append(path)
    highest = max(map(parse, versions), key=lambda one: one.rank, default=None)
    by_number = {number: tuple(listed) for number, listed in paths.items()}
    return RecordedReleases(by_number, frozenset(others), None if highest is None else str(highest))


def _load_versioned(raw: bytes | OSError) -> dict[str, object] | None:
    if isinstance(raw, OSError) or b'"versioning"' not in raw:
        return None
    try:
        document = loads(raw)
    except orjson.JSONDecodeError:
        return None
    sound = isinstance(document, dict) and isinstance(document.get("versioning"), dict)
    return document if sound else None


@dataclass
class Releases:
    """Known releases of a tree, as of one commit."""

    repository: Repository
    tree: Tree
    """The tree at that commit."""
    head: str
    naming: ReleaseNames
    fetch: bool
    announce: Announce
    remote: RemoteRefs | None = None
    """Refs of the remote, where they were read already."""
    _local: dict[int, GitTag] = field(init=False)

    def __post_init__(self) -> None:
        self._local = self._numbered(local_tags(self.repository))

    @functools.cached_property
    def recorded(self) -> RecordedReleases:
        """Releases that the snapshots record."""
        return read_recorded_releases(self.tree.files, self.naming)

    @functools.cached_property
    def distant(self) -> Mapping[int, GitTag]:
        """The tags of the remote, by number."""
        if self.remote is None and self.fetch:
            for name in remotes(self.repository)[:1]:
                try:
                    prefix = self.naming.before_number
                    self.remote = read_remote_refs(self.repository, name, prefix=prefix)
                except OutsideError as exc:
                    self.announce(exc.message)
        return self._numbered(self.remote.tags.values()) if self.remote else {}

    def numbers(self) -> frozenset[int]:
        """All release numbers that are in use."""
        distant = self._numbered(self.remote.tags.values()) if self.remote else {}
        return frozenset((*self._local, *distant, *self.recorded.paths))

    def last(self, since: str | None = None) -> LastRelease:
        """Find the last release, or use the commit `since` where it is later."""
        found = self._last()
        if since is None:
            if found is None and self.recorded.others:
                raise self._called_otherwise()
            return found or LastRelease(NOTHING, None)
        asked = self._named(since)
        if found is None or found.commit is None or found.commit == asked.commit:
            return found or asked
        if asked.commit is None or is_ancestor(self.repository, asked.commit, found.commit):
            self.announce(f"{found.name} was released after {since}: changes count from there")
            return found
        return asked

    def _called_otherwise(self) -> LumosError:
        other = min(self.recorded.others)
        return LumosError(
            f"the snapshots record {other}, and releases are called {self.naming.cloud(1)} here",
            hint=f"say where to go on from: `--since {other}`; `--since none` releases all anew",
        )

    def _named(self, since: str) -> LastRelease:
        if since == NOTHING:
            return LastRelease(NOTHING, None)
        base = self.tree.base(since, merge_base=True, fetch=self.fetch, announce=self.announce)
        if base.commit != base.tip:
            self.announce(f"counting from the {base.how}")
        return LastRelease(since, base.commit)

    def _last(self) -> LastRelease | None:
        merged = self._numbered(local_tags(self.repository, merged=self.head))
        newest = max(merged, default=0)
        newer = sorted((n for n in self.recorded.paths if n > newest), reverse=True)
        for number in newer[:_MAX_TRIES]:
            found = self._tagged(number) or self._untagged(number, merged.get(newest))
            if found is not None:
                return found
            if self.repository.shallow:
                self._unshallow(number)
                return self._last()
        tag = merged.get(newest)
        return LastRelease(tag.name, tag.commit, newest) if tag else None

    def _tagged(self, number: int) -> LastRelease | None:
        """Find a recorded release by a tag on a commit of this history."""
        tag = self._local.get(number) or self.distant.get(number)
        if tag is None:
            return None
        is_here = is_ancestor(self.repository, tag.commit, self.head)
        if is_here or (self.repository.shallow and self._reached(tag)):
            return LastRelease(tag.name, tag.commit, number)
        return None

    def _reached(self, tag: GitTag) -> bool:
        """Whether the commit of a tag belongs to the part of the history that is not fetched."""
        if self.fetch:
            for remote in remotes(self.repository)[:1]:
                self.announce(f"shallow clone without {tag.name}: git fetch --deepen=50 {remote}")
                ends = (*self.repository.boundary, tag.commit)
                deepen(self.repository, remote, how="--deepen=50", ends=ends)
        base = merge_base(
            self.repository, tag.commit, head=self.head, announce=self.announce, fetch=self.fetch
        )
        return base.commit == tag.commit

    def _untagged(self, number: int, before: GitTag | None) -> LastRelease | None:
        """Find a recorded release without a tag, by the commit that recorded it."""
        cloud = self.naming.cloud(number)
        commit = find_first_with(
            self.repository,
            f'"{cloud}"',
            self.recorded.paths[number],
            after=before.commit if before else "",
        )
        if commit is None or not is_release(self.repository, self.tree, commit):
            return None
        astray = self._local.get(number) or self.distant.get(number)
        if astray is not None:
            self.announce(
                f"{astray.name} leads to {astray.commit[:10]}, and {commit[:10]} is the release in "
                f"this history: `git tag -d {astray.name}` lets --tag make it anew"
            )
        return LastRelease(cloud, commit, number, is_tagged=astray is not None)

    def _unshallow(self, number: int) -> None:
        """Fetch the full history: a shallow one cannot tell a release from its boundary commit."""
        remote = next(iter(remotes(self.repository)), None)
        if remote is None or not self.fetch:
            raise OutsideError(
                f"this shallow clone lacks the commit of {self.naming.cloud(number)}",
                hint="`git fetch --unshallow --tags`, or clone with the whole history "
                "(`fetch-depth: 0` in CI)",
            )
        self.announce(f"shallow clone without the last release: git fetch --unshallow {remote}")
        deepen(self.repository, remote, how="--unshallow", ends=self.repository.boundary)

    def _numbered(self, tags: Iterable[GitTag]) -> dict[int, GitTag]:
        named = ((self.naming.number_of_tag(tag.name), tag) for tag in tags)
        return {number: tag for number, tag in named if number is not None}


def is_release(repository: Repository, tree: Tree, commit: str) -> bool:
    """Whether a commit changed nothing but versions in snapshots."""
    parents = parents_of(repository, commit)
    if len(parents) != 1:
        return False
    changes = list(tree.at(commit).changes_from(parents[0]))
    return bool(changes) and all(map(has_only_version_changes, changes))


def has_only_version_changes(change: TreeChange) -> bool:
    """Whether only the versions in a file differ."""
    if change.before is None or change.after is None or change.kind is not SNAPSHOT:
        return False
    try:
        before, after = loads(change.before), loads(change.after)
    except orjson.JSONDecodeError:
        return False
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    return without_versions(before) == without_versions(after)

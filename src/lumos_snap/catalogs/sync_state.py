"""The sync base: the last confirmed state of a catalog, stored in a git ref.

Metadata by path is kept in some hundred shard files, so that few change per sync.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import orjson

from lumos_snap.canonical.document_kinds import KINDS, SNAPSHOT, kind_at
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.paths import urn_of
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.observation_filter import ObservationMark, is_mark
from lumos_snap.catalogs.sync.join import RawDocument
from lumos_snap.documents import DocumentRefusedError, json_text
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import GitEntry, Repository, blobs, custom_refs
from lumos_snap.git.commits import PushResult
from lumos_snap.git.refs import is_ancestor, remotes
from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Document

_LAYOUT = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2


def all_of(repository: Repository, files: Mapping[str, GitEntry], folder: str) -> JsonObject:
    """The entries of all shards in a folder, by path."""
    shards = [one.oid for path, one in files.items() if path.startswith(f"{folder}/")]
    found: dict[str, Any] = {}
    for _, content in blobs(repository, shards):
        found |= parse_or_none(content) or {}
    return found


def update_shards(
    repository: Repository, files: Mapping[str, GitEntry], folder: str, said: Mapping[str, object]
) -> Iterator[tuple[str, bytes | None]]:
    """Update the shards of a folder; empty entries are removed."""
    touched: dict[str, dict[str, object]] = {}
    for path, one in said.items():
        name = custom_refs.blob_id(repository, path.encode())[:2]
        touched.setdefault(f"{folder}/{name}.json", {})[path] = one
    for shard, anew in sorted(touched.items()):
        entry = files.get(shard)
        before = parse_or_none(next(blobs(repository, [entry.oid]))[1]) if entry else None
        kept = {path: one for path, one in {**(before or {}), **anew}.items() if one}
        yield shard, orjson.dumps(kept, option=_LAYOUT) + b"\n" if kept else None


def parse_or_none(content: bytes) -> Document | None:
    """Parse a file of a base; None if it is damaged."""
    try:
        found = json_text.parse(content)
    except DocumentRefusedError:
        return None
    return found if isinstance(found, dict) else None


Contents: TypeAlias = Mapping[Identity, Document | None]
"""The confirmed documents; None for one that the catalog no longer has."""


class RemoteState(NamedTuple):
    """The catalog's versions of a confirmed document: of each part, and of the whole."""

    versions: Mapping[str, str]
    mark: str = ""
    """Empty if the catalog's content differs from what was confirmed."""


Remotes: TypeAlias = Mapping[Identity, RemoteState]
Marks: TypeAlias = Mapping[Identity, ObservationMark]
"""The observation last sent of each dataset."""
Files: TypeAlias = tuple[tuple[str, bytes | None], ...]
"""Contents by path; None for a deleted file."""

SUBJECT = "lumos sync "
"""The prefix of each base's commit message."""
_TRIES = 5
_KINDS = {kind.name: kind for kind in KINDS}
_VERSIONS = "versions"
_READINGS = "readings"


@dataclass(frozen=True)
class SyncBase:
    """The last confirmed state of a catalog; empty without a commit."""

    repository: Repository
    name: str
    commit: str | None = None
    here: str | None = None
    """The commit of this clone's ref; it is updated only from there."""
    remote: str | None = None
    """The remote that shares it, if there is one and it was fetched."""
    theirs: Mapping[str, str] = field(default_factory=dict)
    """The commits of the remote's refs, as far as they exist."""

    @property
    def ref(self) -> str:
        """The ref that stores it."""
        return custom_refs.PLACE + custom_refs.ref_below(self.repository, f"sync/{self.name}")

    @property
    def branch(self) -> str:
        """The branch for remotes that accept only branches."""
        return "refs/heads/lumos/" + custom_refs.ref_below(self.repository, f"sync/{self.name}")

    @cached_property
    def files(self) -> Mapping[str, GitEntry]:
        """Every file of it, by path."""
        return custom_refs.files_at(self.repository, self.commit) if self.commit else {}

    @cached_property
    def identities(self) -> tuple[Identity, ...]:
        """The identities of the confirmed documents, in order."""
        return tuple(identity for identity, _ in self._named)

    def documents(self) -> Iterator[tuple[Identity, RawDocument]]:
        """The confirmed documents, in the order of identities; damaged ones are skipped."""
        read = blobs(self.repository, [oid for _, oid in self._named])
        for (identity, _), (_, content) in zip(self._named, read, strict=True):
            yield identity, RawDocument(content, parse_or_none)

    @cached_property
    def _named(self) -> Sequence[tuple[Identity, str]]:
        return sorted(self._found())

    def _found(self) -> Iterator[tuple[Identity, str]]:
        """Documents by identity: a dataset's comes from its path, the few others are read."""
        by_kind = groupby(self.files.items(), key=lambda item: kind_at(item[0]))
        for kind, held in by_kind:
            if kind is None:
                continue
            entries = [(path, entry.oid) for path, entry in held]
            if kind is SNAPSHOT:
                yield from _datasets(entries)
                continue
            for oid, content in blobs(self.repository, [oid for _, oid in entries]):
                document = parse_or_none(content) or {}
                if kind.identity in document:
                    yield Identity(kind.name, str(document[kind.identity])), oid

    @cached_property
    def remotes(self) -> Remotes:
        """The catalog's versions of each document and its parts."""
        by_path = all_of(self.repository, self.files, _VERSIONS)
        known = ((one, by_path.get(path_of(one))) for one in self.identities)
        return {
            one: RemoteState(said.get("parts", {}), said.get("mark", ""))
            for one, said in known
            if said
        }

    def readings(self) -> dict[str, ObservationMark]:
        """The observation last sent of each dataset, by the path of its observation."""
        found = all_of(self.repository, self.files, _READINGS)
        return {path: ObservationMark(*said) for path, said in found.items() if is_mark(said)}


def open_base(repository: Repository, name: str, *, fetch: bool = True) -> SyncBase:
    """Open the base of a catalog from this clone and its remote."""
    base = SyncBase(repository, name)
    here = custom_refs.target_of(repository, base.ref)
    if here is not None:
        custom_refs.require_ours(repository, here, base.ref, SUBJECT, f"update-ref -d {base.ref}")
    base = replace(base, commit=here, here=here)
    return _catch_up(base) if fetch else base


def _catch_up(base: SyncBase) -> SyncBase:
    """Update from the remote: the newer of both, or a merge of both."""
    remote = next(iter(remotes(base.repository)), None)
    if remote is None:
        return base
    theirs = custom_refs.fetch_refs(base.repository, remote, (base.ref, base.branch))
    base = replace(base, remote=remote, theirs=theirs)
    for ref, commit in theirs.items():
        if commit != base.here:
            custom_refs.require_ours(base.repository, commit, ref, SUBJECT, f"push {remote} :{ref}")
        base = replace(base, commit=_join_commits(base, commit))
    return base


def _join_commits(base: SyncBase, other: str) -> str:
    here, repository = base.commit, base.repository
    if here is None or is_ancestor(repository, here, other):
        return other
    if is_ancestor(repository, other, here):
        return here
    return custom_refs.write_commit(
        repository,
        onto=here,
        beside=(other,),
        files=_differing(base, other),
        message=f"{SUBJECT}{base.name}\n\nTwo syncs at once: what they say alike is kept.",
    )


def _differing(base: SyncBase, other: str) -> Iterator[tuple[str, bytes | None]]:
    """The files to take from another base: those that only the other one changed."""
    repository = base.repository
    ours = {path: one.oid for path, one in base.files.items()}
    theirs = {path: one.oid for path, one in custom_refs.files_at(repository, other).items()}
    before = _common_files(base, other)
    for path in sorted(ours.keys() | theirs.keys()):
        one, two, was = (side.get(path) for side in (ours, theirs, before))
        if two in (one, was):
            continue
        content = next(blobs(repository, [two]))[1] if one == was and two else None
        yield path, content


def _common_files(base: SyncBase, other: str) -> dict[str, str]:
    """The files of the newest common ancestor of two bases."""
    assert base.commit is not None  # noqa: S101 - there are two
    mine, its = (
        custom_refs.line_of(base.repository, commit, SUBJECT) for commit in (base.commit, other)
    )
    shared = next((one for one in its if one in set(mine)), None)
    found = custom_refs.files_at(base.repository, shared) if shared else {}
    return {path: one.oid for path, one in found.items()}


def confirm(
    base: SyncBase,
    documents: Contents,
    remotes: Remotes,
    *,
    readings: Marks | None = None,
    more: Files = (),
    source: str | None,
    push: bool = True,
) -> SyncBase:
    """Store what a catalog has confirmed, and `more`; concurrent syncs are merged."""
    sent = readings or {}
    for _ in range(_TRIES):
        beside = (*_beside(base, documents, remotes, sent), *more)
        said = (len(sent), "readings sent") if sent else (len(documents), "documents confirmed")
        commit = _commit(base, documents, beside, source, f"{said[0]:,} {said[1]}")
        if not custom_refs.move_ref(base.repository, base.ref, commit, base.here):
            newer = open_base(base.repository, base.name, fetch=push)
            base, documents = newer, _drop_confirmed(base, newer, documents)
            continue
        base = replace(base, commit=commit, here=commit)
        if not push or base.remote is None or _push_base(base, commit):
            return base
        base, documents, sent, more = _catch_up(base), {}, {}, ()
    raise OutsideError(
        f"what {base.name} confirmed cannot be kept: others sync at the same time",
        hint="run the same command again: it asks the catalog what is there",
    )


def _drop_confirmed(base: SyncBase, newer: SyncBase, documents: Contents) -> Contents:
    """Drop documents that others have confirmed since: our state of them is outdated."""

    def moved(identity: Identity) -> bool:
        path = path_of(identity)
        return base.files.get(path) != newer.files.get(path)

    return {one: None if moved(one) else held for one, held in documents.items()}


def _commit(
    base: SyncBase, documents: Contents, beside: Files, source: str | None, said: str
) -> str:
    if not documents and not beside and base.commit is not None:
        return base.commit
    known = custom_refs.files_at(base.repository, source) if source else {}
    prefix = base.repository.prefix
    below = {
        path.removeprefix(prefix): one for path, one in known.items() if path.startswith(prefix)
    }
    return custom_refs.write_commit(
        base.repository,
        onto=base.commit,
        beside=() if source is None or source == base.commit else (source,),
        files=(*_lines(documents), *beside),
        message=f"{SUBJECT}{base.name}: {said}",
        known=below,
    )


def _lines(documents: Contents) -> Iterator[tuple[str, bytes | None]]:
    for identity, document in sorted(documents.items(), key=lambda item: item[0]):
        content = None if document is None else encode_document(document, identity.cls)
        yield path_of(identity), content


def _beside(
    base: SyncBase, documents: Contents, remotes: Remotes, sent: Marks
) -> Iterator[tuple[str, bytes | None]]:
    """The shard updates for documents; deleted ones keep only their observations."""
    said = {
        path_of(one): None if document is None else _remote_document(remotes.get(one))
        for one, document in documents.items()
    }
    marks = {path_of(one): list(mark) for one, mark in sent.items()}
    for folder, anew in ((_VERSIONS, said), (_READINGS, marks)):
        yield from update_shards(base.repository, base.files, folder, anew)


def _remote_document(remote: RemoteState | None) -> Document:
    said = {"mark": remote.mark, "parts": dict(remote.versions)} if remote else {}
    return {name: one for name, one in said.items() if one}


def _push_base(base: SyncBase, commit: str) -> bool:
    """Push to the remote, as a branch if it rejects our refs; return whether it is up to date."""
    assert base.remote is not None  # noqa: S101 - asked before
    refs = (base.branch,) if base.branch in base.theirs else (base.ref, base.branch)
    for ref in refs:
        ended = custom_refs.push_ref(
            base.repository, base.remote, ref, commit, base.theirs.get(ref)
        )
        if ended is not None:
            return ended is PushResult.DONE
    raise OutsideError(
        f"{base.remote} takes neither {base.ref} nor a branch: what was confirmed stays here",
        hint="let this account push one of them",
    )


def path_of(identity: Identity) -> str:
    """The path of a document, in a tree as in a base."""
    return _KINDS[identity.kind].path(identity.id)


def _datasets(entries: list[tuple[str, str]]) -> Iterator[tuple[Identity, str]]:
    for path, oid in entries:
        try:
            yield Identity(SNAPSHOT.name, str(urn_of(path.partition("/")[2]))), oid
        except LumosError:
            continue  # not a valid dataset path, so it was never confirmed


_FOLDER = "whole/"


def oids(base: SyncBase) -> dict[str, str]:
    """The git blob id of each kept document, by its path in a tree."""
    return {
        path.removeprefix(_FOLDER): one.oid
        for path, one in base.files.items()
        if path.startswith(_FOLDER)
    }


def read_kept(base: SyncBase, but: Container[str] = ()) -> dict[Identity, Document]:
    """The kept documents except for some paths; damaged ones are skipped."""
    found = {}
    paths = {path: oid for path, oid in oids(base).items() if path not in but}
    for path, (_, raw) in zip(paths, blobs(base.repository, paths.values()), strict=True):
        kind, document = kind_at(path), parse_or_none(raw) or {}
        if kind is not None and kind.identity in document:
            found[Identity(kind.name, str(document[kind.identity]))] = document
    return found


def files(documents: Contents) -> Files:
    """The files that store kept documents; None for one that is dropped."""
    return tuple(
        (
            _FOLDER + path_of(one),
            None if document is None else encode_document(document, one.cls),
        )
        for one, document in sorted(documents.items(), key=lambda item: item[0])
    )

"""Pull of remote edits into the tree, optionally as commits in the names of their authors."""

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import FOLDERS
from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.read import read
from lumos_snap.catalogs.adapter import Catalog, CatalogDocument, Identity
from lumos_snap.catalogs.sync.authors import At, Share, shares
from lumos_snap.catalogs.sync_state import path_of
from lumos_snap.commands.sync.command import Sync
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import commits as git_commits
from lumos_snap.git.commits import Author
from lumos_snap.git.refs import find_unclean
from lumos_snap.model.entities import User
from lumos_snap.report.sync import SyncCommit
from lumos_snap.scan.spark import shutdown
from lumos_snap.schema import Document
from lumos_snap.text import sanitize_text
from lumos_snap.tree import Tree

_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")
_UNFIT = re.compile(r"[\x00-\x1f\x7f<>]+|[\ud800-\udfff]")
"""Characters that git drops from names, or that end a name."""
_UNFIT_IN_ADDRESS = re.compile(r"[^A-Za-z0-9._+-]+")


def find_authors(tree: Tree, catalog: Catalog, people: Sequence[str]) -> dict[str, Author]:
    """Find names and addresses of users by id: from the tree, then from the catalog.

    A user without an address gets one that is undeliverable: `jane@hub.invalid`.
    """
    known = {one: dict(_in_tree(tree, one)) for one in people}
    asked = [one for one, said in known.items() if len(said) < len(_AUTHOR_KEYS)]
    there = dict(_in_catalog(catalog, asked))
    return {one: _author(one, {**there.get(one, {}), **known[one]}, catalog.name) for one in people}


_AUTHOR_KEYS = ("name", "email")


def _in_tree(tree: Tree, person: str) -> Iterator[tuple[str, str]]:
    try:
        user = tree.entity(User, person)
    except LumosError:  # ignore an invalid file
        return
    for name in _AUTHOR_KEYS:
        if held := getattr(user, name, None):
            yield name, held


def _in_catalog(catalog: Catalog, people: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    if not people or "user" not in catalog.capabilities.holds:
        return
    for found in catalog.read(sorted(Identity("user", one) for one in people)):
        if isinstance(found, CatalogDocument):
            said = found.document
            yield found.identity.id, {name: said[name] for name in _AUTHOR_KEYS if said.get(name)}


def _author(person: str, said: Mapping[str, str], catalog: str) -> Author:
    email = _plain(said.get("email", person))
    if not _ADDRESS.fullmatch(email):
        parts = (_UNFIT_IN_ADDRESS.sub("-", one).strip(".-") for one in (person, catalog))
        user, host = (one or "unknown" for one in parts)
        email = f"{user}@{host}.invalid"
    return Author(_plain(said.get("name", person)) or "unknown", email)


def _plain(text: str) -> str:
    return _UNFIT.sub(" ", text).strip(" .,:;\"'\\")


_FEW, _MOST_LINES = 5, 100


class PullResult(NamedTuple):
    """The files changed by a pull, and its commits."""

    written: tuple[str, ...]
    commits: tuple[SyncCommit, ...] = ()


def pull_edits(sync: Sync) -> PullResult:
    """Apply the remote edits as uncommitted changes."""
    found = {one.identity: one.pulled for one in sync.plan.decisions if one.pulled is not None}
    return PullResult(_write_files(sync.tree, _contents(found), _read_as_planned(sync)))


def commit_edits(sync: Sync) -> PullResult:
    """Apply the remote edits as one commit per author, with no other changes."""
    found = shares(sync.plan.decisions)
    if not found:
        return PullResult(())
    tree = sync.tree
    git_commits.require_identity(tree.repository)
    git_commits.require_branch(tree.repository)
    _require_clean(tree, (path_of(one) for share in found for one in share.documents))
    before = _read_as_planned(sync)
    people = [share.person for share in found if share.person]
    known = find_authors(tree, sync.catalog, people)
    made = [_commit(sync, share, known.get(share.person), before) for share in found]
    return PullResult(tuple(sorted({path for one in made for path in one.paths})), tuple(made))


def _require_clean(tree: Tree, paths: Iterable[str]) -> None:
    """Refuse uncommitted changes that would be committed in another author's name."""
    dirty = sorted(find_unclean(tree.repository, FOLDERS).keys() & set(paths))
    if dirty:
        more = f" and {len(dirty) - _FEW:,} more" if len(dirty) > _FEW else ""
        raise LumosError(
            f"not committed: {', '.join(dirty[:_FEW])}{more}",
            hint="commit or stash that first: the catalog's edits go into the same files",
        )


def _commit(
    sync: Sync, share: Share, author: Author | None, before: dict[str, bytes]
) -> SyncCommit:
    """Commit one author's edits; where the commit fails, the files are restored."""
    contents = _contents(share.documents)
    paths = tuple(contents)
    with shutdown.restore_sigint(), shutdown.delay_sigint():
        try:
            _write_files(sync.tree, contents, before)
            commit = git_commits.commit(
                sync.tree.repository,
                paths,
                _message(share, author, sync.catalog.name),
                what=f"what {author.name if author else 'somebody'} edited",
                again="nothing of it is left behind: mend this and pull again,"
                " or pull without `--commit`",
                author=author,
                at=_seconds(share.when),
            )
        except LumosError:
            sync.tree.write_bytes({path: before[path] for path in contents}, contents)
            raise
    before |= contents
    email, name = (author.email, author.name) if author else (None, None)
    return SyncCommit(id=commit, author=name, email=email, when=share.when or None, paths=paths)


def _contents(documents: Mapping[Identity, Document]) -> dict[str, bytes]:
    return {path_of(one): encode_document(held, one.cls) for one, held in documents.items()}


def _read_as_planned(sync: Sync) -> dict[str, bytes]:
    """Read the files to pull into; raises where one has changed since the plan."""
    found = {}
    for one in sync.plan.decisions:
        if one.pulled is None or one.sides.tree is None:
            continue
        path, cls = path_of(one.identity), one.identity.cls
        raw, planned = sync.tree.files.read(path), encode_document(one.sides.tree, cls)
        if raw is None or (raw != planned and read(raw, cls).canonical != planned):
            raise _conflict_error(path)
        found[path] = raw
    return found


def _conflict_error(path: str) -> OutsideError:
    return OutsideError(f"{path}: was changed while it was pulled into", hint="pull once more")


def _write_files(
    tree: Tree, contents: Mapping[str, bytes], before: Mapping[str, bytes]
) -> tuple[str, ...]:
    """Write unchanged files only; concurrent edits are never overwritten."""
    done = tree.write_bytes(contents, {path: before[path] for path in contents})
    if done.left:
        raise _conflict_error(done.left[0])
    return done.changed


def _message(share: Share, author: Author | None, catalog: str) -> str:
    """The commit message: catalog, author, documents and time."""
    number = len(share.documents)
    count = f"{number:,} document{'s' * (number != 1)}"
    who = f" by {author.name}" if author else ""
    lines = list(_lines(share))
    more = [f"… and {len(lines) - _MOST_LINES:,} more"] * (len(lines) > _MOST_LINES)
    last = (f"Last edited: {share.when}",) if share.when else ()
    body = "\n".join((*lines[:_MOST_LINES], *more, *(("", *last) if last else ())))
    return f"Edited in {catalog}{who}: {count}\n\n{body}\n"


def _lines(share: Share) -> Iterator[str]:
    for identity, keys in share.edited.items():
        name = identity.id.removeprefix("lumos://")
        label = name if identity.kind == "snapshot" else f"{identity.kind} {name}"
        yield sanitize_text(f"{label}: {', '.join(map(_key, keys))}")


def _key(at: At) -> str:
    return ".".join(at)


def _seconds(when: str) -> int | None:
    """Seconds since the epoch for git; None for invalid times."""
    try:
        found = int(datetime.datetime.fromisoformat(when).timestamp())
    except (OverflowError, ValueError):
        return None
    return found if found > 0 else None

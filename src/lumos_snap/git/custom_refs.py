"""Commits on refs of our own, outside branches and tags, updated by compare-and-swap.

No branch, index or work tree is touched. Nothing is forced: a ref moves only from its last
known value, locally and at a remote.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import BinaryIO
from urllib.parse import quote

from lumos_snap.errors import OutsideError
from lumos_snap.git import process
from lumos_snap.git.commits import PushResult
from lumos_snap.git.diff import GitEntry, records
from lumos_snap.git.repository import Repository, refuse_foreign_configuration
from lumos_snap.git.write_commands import run

PLACE = "refs/lumos/"
"""Prefix of our refs."""
_REMOTES = f"{PLACE}remotes/"
_DRAFTS = f"{PLACE}drafts/"
_MOVED = re.compile(r"stale info|fetch first|non-fast-forward|already exists|reference already")
_BUSY = re.compile(r"lock|incorrect old value|transaction|failed to update ref")
_UNWELCOME = re.compile(r"hidden ref|refusing to (create|update)|not allowed|funny refname|prohib")

Files = Iterable[tuple[str, bytes | None]]
"""Contents by path; None removes a file."""


def ref_below(repository: Repository, name: str) -> str:
    """The ref name for the tree in this folder: each tree of a repository has its own."""
    return "+".join((name, *map(_in_ref, repository.prefix.split("/")[:-1])))


def _in_ref(folder: str) -> str:
    """Quote a folder's name for a ref, which does not allow all characters."""
    said = quote(folder, safe="", errors="surrogateescape")
    return said.replace(".", "%2E").replace("~", "%7E")


def commit_at(repository: Repository, ref: str) -> str | None:
    """The commit of a full ref; None where the ref does not exist."""
    given = process.ask(repository, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    return None if given.code else given.out.decode("ascii").strip()


def target_of(repository: Repository, ref: str) -> str | None:
    """The target of a full ref, of any type."""
    given = process.ask(repository, "rev-parse", "--verify", "--quiet", ref)
    if not given.code:
        return given.out.decode("ascii").strip()
    listed = process.ask(repository, "for-each-ref", ref)
    if "broken ref" in listed.complaint:  # possibly half-written at a power failure
        raise OutsideError(
            f"{ref} is damaged",
            hint=f"delete {repository.common / ref}: what was confirmed is then asked anew",
        )
    return None


def require_ours(repository: Repository, oid: str, ref: str, subject: str, forget: str) -> None:
    """Refuse a commit on our ref that others wrote, recognized by its message."""
    options = ("log", "-1", "--format=%s", "--no-show-signature", "--no-notes")
    given = process.ask(repository, *options, f"{oid}^{{commit}}", "--")
    said = "" if given.code else given.out.decode("utf-8", "replace").strip()
    if not said.startswith(subject):
        what = f"the commit {said!r}" if said else "no commit"
        raise OutsideError(
            f"{ref} leads to no base of a sync: {oid[:10]} is {what}",
            hint=f"look at it; `git {forget}` forgets it: nothing is deleted or written over then",
        )


def files_at(repository: Repository, commit: str) -> dict[str, GitEntry]:
    """All files of one of our commits, by path."""
    listing = process.run(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
    rows = (line.partition("\t") for line in records(listing))
    return {path: GitEntry(about.split(" ")[0], about.split(" ")[2]) for about, _, path in rows}


def blob_id(repository: Repository, content: bytes) -> str:
    """The git object id of these bytes."""
    digest = hashlib.new(repository.object_format, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(content))
    digest.update(content)
    return digest.hexdigest()


def write_commit(
    repository: Repository,
    *,
    onto: str | None,
    beside: Sequence[str] = (),
    files: Files,
    message: str,
    known: Mapping[str, GitEntry] | None = None,
) -> str:
    """Write a commit based on `onto` with some files replaced; no ref points to it.

    Commits `beside` become additional parents without an effect on the files. Files that are
    `known` to git are not written again.
    """
    draft = f"{_DRAFTS}{os.getpid()}"
    who = process.run(repository, "var", "GIT_COMMITTER_IDENT").rstrip(b"\n")
    words = message.encode("utf-8", "backslashreplace")
    with tempfile.TemporaryFile() as stream:
        stream.write(b"commit %s\ncommitter %s\n%s" % (draft.encode(), who, _data(words)))
        parents = (("from", onto), *(("merge", one) for one in beside))
        stream.write("".join(f"{word} {one}\n" for word, one in parents if one).encode())
        for path, content in files:
            stream.write(_line(repository, path, content, (known or {}).get(path)))
        stream.write(b"done\n")
        stream.seek(0)
        try:
            _import(repository, stream)
            commit = commit_at(repository, draft)
        finally:
            run(repository, "update-ref", "-d", draft)
    if commit is None:
        raise process.failure("fast-import", "it made no commit")
    return commit


def _import(repository: Repository, stream: BinaryIO) -> None:
    options = ("fast-import", "--quiet", "--done", "--force", "--date-format=raw")
    ended = run(repository, *options, stdin=stream)
    if ended.code:
        raise OutsideError(
            f"git cannot keep what was confirmed: {ended.complaint}",
            hint="is the disk full, or the repository read-only?",
        )


def _line(
    repository: Repository, path: str, content: bytes | None, known: GitEntry | None
) -> bytes:
    """One file in the format of `git fast-import`."""
    name = _quote_path(path)
    if content is None:
        return b"D %s\n" % name
    if known is not None and known.oid == blob_id(repository, content):
        return b"M 100644 %s %s\n" % (known.oid.encode(), name)
    return b"M 100644 inline %s\n%s" % (name, _data(content))


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quote_path(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    return b'"%s"' % raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")


def move_ref(repository: Repository, ref: str, new: str, old: str | None) -> bool:
    """Move a ref to a commit if it still has its old value; whether it did."""
    expected = old or "0" * len(new)
    ended = run(repository, "update-ref", "--no-deref", "-m", "lumos: sync", ref, new, expected)
    return not ended.code


def fetch_refs(repository: Repository, remote: str, refs: Sequence[str]) -> dict[str, str]:
    """Fetch refs of a remote with their commits; our own refs do not move."""
    refuse_foreign_configuration(repository)
    listed = process.ask(repository, "ls-remote", "--", remote, *refs)
    if listed.code:
        raise OutsideError(
            f"{remote} cannot be asked what was confirmed: {listed.complaint}",
            hint="check the connection and the credentials, or go on with `--no-fetch`",
        )
    rows = (line.split("\t") for line in listed.out.decode("utf-8", "replace").splitlines())
    found = {ref: oid for oid, ref in rows if ref in refs}
    if found:
        specs = [f"+{ref}:{_REMOTES}{remote}/{ref.removeprefix('refs/')}" for ref in found]
        options = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules")
        more = ("--no-write-fetch-head", "--no-auto-maintenance")
        ended = run(repository, *options, *more, "--", remote, *specs)
        if ended.code:
            raise OutsideError(
                f"what was confirmed cannot be fetched from {remote}: {ended.complaint}",
                hint="check the connection",
            )
    return found


def push_ref(
    repository: Repository, remote: str, ref: str, new: str, old: str | None
) -> PushResult | None:
    """Move a remote's ref if it has its last known value; None where the remote forbids it."""
    lease = f"--force-with-lease={ref}:{old or ''}"
    options = ("push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", lease)
    ended = run(repository, *options, "--", remote, f"{new}:{ref}")
    if not ended.code:
        return PushResult.DONE
    reasons = [line.rpartition("\t")[2] for line in ended.out.splitlines() if line[:2] == "!\t"]
    said = " ".join((ended.complaint, *reasons))
    for pattern, outcome in (
        (_MOVED, PushResult.MOVED),
        (_BUSY, PushResult.BUSY),
        (_UNWELCOME, None),
    ):
        if pattern.search(said):
            return outcome
    raise OutsideError(
        f"{remote} does not take what was confirmed: {said.strip()}",
        hint="check the credentials, and that they may push; it is kept here meanwhile",
    )


def line_of(repository: Repository, commit: str, subject: str) -> tuple[str, ...]:
    """First-parent history of a commit, itself included, as long as the subjects are ours."""
    options = ("log", "--first-parent", "--format=%H %s", "--no-show-signature", "--no-notes")
    listing = process.run(repository, *options, commit, "--")
    rows = (line.partition(" ") for line in listing.decode("utf-8", "replace").splitlines())
    return tuple(oid for oid, _, _ in takewhile(lambda row: row[2].startswith(subject), rows))

"""Differences between a tree and a commit; the cost depends on the differences only."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT, DocumentKind, kind_at
from lumos_snap.canonical.paths import urn_of
from lumos_snap.errors import LumosError
from lumos_snap.git import (
    Contents,
    MergeBase,
    Repository,
    changes,
    commit_of,
    merge_base,
    read_changes,
    refuse_new_submodule,
)
from lumos_snap.model.urn import Urn
from lumos_snap.tree.files import FORMS, Form, is_hidden, why_stray

Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TreeChange:
    """A changed path of a tree, with its bytes on both sides where it is a regular file."""

    path: str
    before: bytes | None
    after: bytes | None
    form_before: Form | None
    """Form on the old side; without bytes, the path was missing or not a file, such as a link."""
    form_after: Form | None

    @property
    def kind(self) -> DocumentKind | None:
        """The kind of document that belongs at the path; None for other paths."""
        return None if why_stray(self.path, Form.FILE) else kind_at(self.path)

    @property
    def urn(self) -> Urn | None:
        """The dataset whose snapshot or observation belongs at the path, if any."""
        kind = self.kind
        if kind not in (SNAPSHOT, OBSERVATION):
            return None
        try:
            return urn_of(self.path.removeprefix(kind.folder + "/"))
        except LumosError:
            return None


def base_commit(
    repository: Repository,
    base: str,
    *,
    head: str,
    shared: bool,
    fetch: bool,
    announce: Announce | None,
) -> MergeBase:
    """The merge base of a head and its base; or the commit of the base itself, without `shared`."""
    heard = announce or (lambda _: None)
    refuse_new_submodule(repository, base, announce=heard, fetch=fetch)
    if shared:
        return merge_base(repository, base, head=head, fetch=fetch, announce=heard)
    return commit_of(repository, base, fetch=fetch, announce=heard)


def find_changes_since(
    repository: Repository, base: str, *, head: str | None, fetch: bool, under: tuple[str, ...]
) -> tuple[int, Iterator[TreeChange]]:
    """Find the differences between two commits, or a commit and the working tree.

    Returns the maximum number of files, and an iterator that reads their contents one by one.
    """
    listed = changes(repository, base, head=head, under=under)
    seen = tuple(change for change in listed if not is_hidden(change.path))
    return len(seen), map(_build_change, read_changes(repository, seen, fetch=fetch))


def _build_change(contents: Contents) -> TreeChange:
    before, after = contents.change.before, contents.change.after
    return TreeChange(
        path=contents.path,
        before=contents.before,
        after=contents.after,
        form_before=FORMS[before.kind] if before else None,
        form_after=FORMS[after.kind] if after else None,
    )

"""The merge base of a branch: the newest commit that it shares with its base."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.refs import (
    Commit,
    deepen,
    fetch_commit,
    look_up,
    remote_commit,
    remotes,
    require_name,
    unknown,
)
from lumos_snap.git.repository import Repository

_STEPS = (*(f"--deepen={count}" for count in (50, 100, 200, 400, 800)), "--unshallow")
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_WHOLE_HISTORY = "`git fetch --unshallow`, or clone with the whole history (`fetch-depth: 0` in CI)"


@dataclass(frozen=True, slots=True)
class MergeBase:
    """The commit to compare with, and how it was found."""

    commit: str
    """The merge base."""
    ref: str
    """The branch, remote branch, tag or commit that was chosen."""
    tip: str
    """The commit that `ref` points to."""
    how: str
    """Description, such as `merge base of origin/main and HEAD (newer than that of main)`."""
    target: str = ""
    """The merge target of a change: the newest of the branches that `base` names."""
    target_ref: str = ""
    """The branch, remote branch, tag or commit with `target` as its tip."""


class _Tip(NamedTuple):
    """One candidate for the base, as far as it is known."""

    ref: str
    commit: str
    base: str | None = None
    certain: bool = True


def merge_base(
    repository: Repository,
    base: str,
    *,
    head: str = "HEAD",
    announce: Callable[[str], None],
    fetch: bool = True,
) -> MergeBase:
    """The newest commit that `head` shares with `base`.

    A branch name also stands for its remote-tracking branches: the one with the newest shared
    commit is used. A branch or tag that this clone lacks is looked up at the remote. A shallow
    clone that lacks the merge base is deepened step by step, each step announced. No ref moves.
    """
    head_commit, tips = _meanings(repository, base, head)
    if not tips and fetch:
        tips = _from_remote(repository, base, announce)
    if not tips:
        raise _missing(repository, base)
    tips = _bases(repository, tips, head_commit)
    if not all(tip.certain for tip in tips):
        if not fetch:
            raise _too_shallow(base, head, "and fetching is off")
        tips = _deepen_until_certain(repository, tips, head_commit, announce)
    found = [tip for tip in tips if tip.base is not None]
    if not found:
        raise OutsideError(
            f"{base} and {head} share no history",
            hint="name a base that the branch comes from, or compare without a merge base",
        )
    return _choose_tip(repository, found, head, base)


def commit_of(
    repository: Repository, base: str, *, announce: Callable[[str], None], fetch: bool = True
) -> MergeBase:
    """The commit of the base itself, for comparisons without a merge base."""
    (found,) = look_up(repository, (base,))
    tips = () if found or not fetch else _from_remote(repository, base, announce)
    commit = found.id if found else next((tip.commit for tip in tips), None)
    if commit is None:
        raise _missing(repository, base)
    return MergeBase(commit, base, commit, f"the commit of {base}", commit, base)


def _missing(repository: Repository, base: str) -> OutsideError:
    """The error for a missing base: never a usage error alone, because nothing can be decided."""
    why = unknown(repository, base)
    return OutsideError(why.message, hint=why.hint)


def _meanings(repository: Repository, base: str, head: str) -> tuple[Commit, Sequence[_Tip]]:
    """The commit of the head, and all commits that the base may mean, without duplicates."""
    require_name(base)
    with process.start_git(repository, *_branch_question(base)) as listing:
        head_commit, exact = look_up(repository, (head, base))
        branches = _branches(base, process.output(process.answer(listing), ("for-each-ref",)))
    if head_commit is None:
        raise unknown(repository, head)
    if exact is not None and f"refs/heads/{base}" not in branches:
        return head_commit, (_Tip(base, exact.id),)
    return head_commit, _twins(base, branches)


def _twins(base: str, branches: Mapping[str, str]) -> tuple[_Tip, ...]:
    """The branches of one name with different commits, the local one first."""
    if {f"refs/heads/{base}", f"refs/tags/{base}"} <= branches.keys():
        raise LumosError(
            f"{base} is a branch and a tag", hint=f"write `refs/heads/{base}` or `refs/tags/{base}`"
        )
    by_commit: dict[str, str] = {}
    for ref, commit in branches.items():
        if not ref.startswith("refs/tags/"):
            by_commit.setdefault(commit, _short(ref))
    return tuple(_Tip(ref, commit) for commit, ref in by_commit.items())


def _from_remote(
    repository: Repository, base: str, announce: Callable[[str], None]
) -> tuple[_Tip, ...]:
    """Find a branch or tag at the remote: a clone in CI often has only its own branch.

    No ref is created, so each command in such a clone repeats this.
    """
    for remote in remotes(repository)[:1]:
        name = _name_at(remote, base)
        is_id = _ID.fullmatch(base) is not None
        commit = base if is_id else remote_commit(repository, remote, name)
        if commit is not None and _is_fetched(repository, remote, name, commit, announce):
            return (_Tip(base if is_id else f"{remote}/{name}", commit),)
    return ()


def _name_at(remote: str, base: str) -> str:
    """Name of a branch at a remote: `main` for `origin/main` and `refs/heads/main`."""
    for prefix in (f"refs/remotes/{remote}/", f"{remote}/", "refs/heads/"):
        if base.startswith(prefix):
            return base.removeprefix(prefix)
    return base


def _is_fetched(
    repository: Repository, remote: str, name: str, commit: str, announce: Callable[[str], None]
) -> bool:
    """Fetch a commit unless it is here already; whether it is here now."""
    if look_up(repository, (commit,)) != (None,):
        return True
    if repository.shallow:
        announce(f"shallow clone without {name}: git fetch {_STEPS[0]} {remote} {name}")
        deepen(repository, remote, how=_STEPS[0], ends=(*repository.boundary, commit))
    else:
        announce(f"clone without {name}: git fetch {remote} {name}")
        fetch_commit(repository, remote, commit)
    return look_up(repository, (commit,)) != (None,)


def _branch_question(name: str) -> tuple[str, ...]:
    patterns = (f"refs/heads/{name}", f"refs/tags/{name}", f"refs/remotes/*/{name}")
    return ("for-each-ref", "--format=%(objectname) %(refname)", *patterns)


def _branches(name: str, listing: bytes) -> dict[str, str]:
    """The local branch, the tag and the remote branches of this name, the local branch first."""
    rows = [line.split(" ", 1) for line in listing.decode("utf-8", "surrogateescape").splitlines()]
    # A pattern also matches refs below it, and the name may contain a wildcard.
    return {ref: oid for oid, ref in rows if _short(ref).removeprefix(_remote(ref)) == name}


def _short(ref: str) -> str:
    return ref.split("/", 2)[2]


def _remote(ref: str) -> str:
    parts = ref.split("/")
    return f"{parts[2]}/" if parts[1] == "remotes" else ""


def _bases(repository: Repository, tips: Sequence[_Tip], head: Commit) -> tuple[_Tip, ...]:
    """The tips with their merge bases, computed in parallel."""
    with ExitStack() as running:
        asked = [
            running.enter_context(process.start_git(repository, "merge-base", tip.commit, head.id))
            for tip in tips
            if tip.commit != head.id
        ]
        found = iter([_first_line(process.answer(one)) for one in asked])
    bases = [head.id if tip.commit == head.id else next(found) for tip in tips]
    boundary = repository.boundary
    return tuple(
        _Tip(tip.ref, tip.commit, base, not _open_ends(repository, boundary, tip, base, head))
        for tip, base in zip(tips, bases, strict=True)
    )


def _first_line(given: process.GitAnswer) -> str | None:
    if given.code > 1:
        raise process.failure("merge-base", given.complaint)
    return given.out.decode("ascii").partition("\n")[0] or None


def _open_ends(
    repository: Repository,
    boundary: frozenset[str],
    tip: _Tip,
    base: str | None,
    head: Commit,
) -> frozenset[str]:
    """Boundary commits of a shallow history between the base and its two ends.

    Behind them a newer common commit may be hidden, so that the base is uncertain.
    """
    if not boundary or base in (tip.commit, head.id):
        return frozenset()
    beyond = (f"^{base}",) if base else ()
    listing = process.run(repository, "rev-list", tip.commit, head.id, *beyond)
    return boundary.intersection(listing.decode("ascii").split())


def _deepen_until_certain(
    repository: Repository,
    tips: Sequence[_Tip],
    head: Commit,
    announce: Callable[[str], None],
) -> tuple[_Tip, ...]:
    """Fetch older history until every merge base is certain."""
    remote = next(iter(remotes(repository)), None)
    if remote is None:
        raise _too_shallow(tips[0].ref, head.name, "and there is no remote to fetch it from")
    for step in _STEPS:
        announce(f"shallow clone without the merge base: git fetch {step} {remote}")
        deepen(repository, remote, how=step, ends=repository.boundary)
        tips = _bases(repository, tips, head)
        if all(tip.certain for tip in tips):
            return tuple(tips)
    raise _too_shallow(tips[0].ref, head.name, f"and {remote} is shallow itself")


def _too_shallow(base: str, head: str, why: str) -> OutsideError:
    return OutsideError(
        f"this shallow clone lacks the merge base of {base} and {head}, {why}",
        hint=_WHOLE_HISTORY,
    )


def _choose_tip(repository: Repository, found: Sequence[_Tip], head: str, base: str) -> MergeBase:
    """The tip with the newest merge base; the first one where several share it."""
    newest = _newest(repository, tuple(dict.fromkeys(tip.base or "" for tip in found)))
    chosen = next(tip for tip in found if tip.base == newest)
    older = [tip.ref for tip in found if tip.base != newest]
    behind = f" (newer than that of {', '.join(older)})" if older else ""
    how = f"merge base of {chosen.ref} and {head}{behind}"
    target = _target(repository, found, base)
    return MergeBase(newest, chosen.ref, chosen.commit, how, target.commit, target.ref)


def _target(repository: Repository, found: Sequence[_Tip], base: str) -> _Tip:
    """The tip that contains the others; otherwise that of the remote, where changes are merged."""
    if len(found) == 1:
        return found[0]
    commits = [tip.commit for tip in found]
    listing = process.run(repository, "merge-base", "--independent", *commits)
    ends = frozenset(listing.decode("ascii").split())
    newest = [tip for tip in found if tip.commit in ends]
    return next((tip for tip in newest if tip.ref != base), newest[0])


def _newest(repository: Repository, bases: Sequence[str]) -> str:
    """The base that contains the others; otherwise the one committed last."""
    if len(bases) == 1:
        return bases[0]
    listing = process.run(repository, "merge-base", "--independent", *bases)
    ends = listing.decode("ascii").split()
    if len(ends) == 1:
        return ends[0]
    listing = process.run(repository, "rev-list", "--no-walk=sorted", *ends)
    return listing.decode("ascii").split()[0]

"""Release of a tree: checks, files, commit, tags and push."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from lumos_snap.commands.bump.last_release import Releases, has_only_version_changes, is_release
from lumos_snap.commands.bump.plan import ReleasePlan, build_report, plan_release
from lumos_snap.config import CONFIG_NAME
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import Repository, commits, open_repository, resolve
from lumos_snap.git.commits import PushResult, PushTarget
from lumos_snap.git.refs import (
    find_unclean,
    is_ancestor,
    local_tags,
    message_of,
    parents_of,
    paths_of,
    read_remote_refs,
)
from lumos_snap.render.release_text import MessageParts, release_message
from lumos_snap.report.release import ReleaseReport
from lumos_snap.tree import Form, Tree, TreeChange
from lumos_snap.tree.files import CommitFiles
from lumos_snap.versioning import ReleaseNames
from lumos_snap.versioning.release_record import cloud_version_of

_WATCHED = ("snapshots", "entities", CONFIG_NAME)
"""Paths that decide a release; observations do not."""
_FEW = 5


def find_unfinished_files(
    tree: Tree,
    releases: Releases,
    wanted: Mapping[str, bytes],
) -> Mapping[str, bytes]:
    """Files in which an earlier run left a release that was never committed.

    Their content equals what this release would write, or is a newer release of another HEAD.
    Raises `LumosError` where anything else is uncommitted.
    """
    repository, committed = releases.repository, releases.tree.files
    dirty = find_unclean(repository, _WATCHED)
    known = [path for path in dirty if committed.form(path) is Form.FILE]
    before = dict(committed.read_all(known))
    newest = max(releases.recorded.paths, default=0)
    left: dict[str, bytes] = {}
    foreign: list[str] = []
    for path in dirty:
        held, was = tree.files.read(path), before.get(path)
        is_older = (
            _writes_versions(path, was, held) and _release_number(held, releases.naming) > newest
        )
        if held is not None and (is_older or held == wanted.get(path)):
            left[path] = held
        else:
            foreign.append(path)
    if foreign:
        raise _dirty_error(foreign)
    return left


def _writes_versions(path: str, was: bytes | OSError | None, held: bytes | None) -> bool:
    if isinstance(was, OSError) or was == held:
        return False
    return has_only_version_changes(TreeChange(path, was, held, Form.FILE, Form.FILE))


def _release_number(held: bytes | None, naming: ReleaseNames) -> int:
    """Number of the release that a file states and that is the last in its history; 0 otherwise."""
    document = loads(held or b"{}")
    cloud = cloud_version_of(document)
    history = document["versioning"].get("history", []) if cloud else []
    told = history[-1].get("cloud_version") if history else None
    return naming.number_of_cloud(cloud) or 0 if cloud is not None and cloud == told else 0


def _dirty_error(paths: list[str]) -> LumosError:
    some = ", ".join(paths[:_FEW])
    more = f" and {len(paths) - _FEW} more" if len(paths) > _FEW else ""
    return LumosError(
        f"not committed: {some}{more}",
        hint="a release releases what is committed: commit or stash first",
    )


Announce = Callable[[str], None]
MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpOptions:
    """Options of `lumos snap bump`."""

    since: str | None = None
    dry_run: bool = False
    commit: bool = False
    tag: bool = False
    push: bool = False
    subject: str = ""
    """First line of the commit message; empty for the default line."""
    fetch: bool = True


@dataclass(frozen=True, slots=True)
class BumpResult:
    """The derived release, and one line for each step taken."""

    report: ReleaseReport
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Checkout:
    repository: Repository
    branch: str
    target: PushTarget | None


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A derived release, with everything that is needed to carry it out."""

    tree: Tree
    place: _Checkout
    releases: Releases
    derived: ReleasePlan
    left: Mapping[str, bytes]
    """Files that an earlier run wrote and never committed."""


def release(open_here: Callable[[], Tree], asked: BumpOptions, announce: Announce) -> BumpResult:
    """Release what was committed since the last release, as far as the options ask for it."""
    tree = open_here()
    tree.files.folder()  # raises where there is no working tree
    place = _check_preconditions(open_repository(tree.root), asked)
    for _ in range(MOST_ATTEMPTS):
        attempt = _prepare_attempt(open_here(), place, asked, announce)
        outcome = _carry_out(attempt, asked, announce)
        if outcome is not None:
            return outcome
    assert place.target is not None  # noqa: S101 - only a push starts over
    raise OutsideError(
        f"{place.target.name} was busy or moved on {MOST_ATTEMPTS} times in a row",
        hint="run the same command again when less is going on",
    )


def _check_preconditions(repository: Repository, asked: BumpOptions) -> _Checkout:
    """Check all preconditions before anything is written."""
    if not asked.commit:
        return _Checkout(repository, "", None)
    branch = commits.require_branch(repository)
    commits.require_identity(repository)
    target = commits.push_target(repository, branch) if asked.push else None
    return _Checkout(repository, branch, target)


def _prepare_attempt(
    tree: Tree, place: _Checkout, asked: BumpOptions, announce: Announce
) -> _Attempt:
    repository, target = place.repository, place.target
    head = resolve(repository, "HEAD")
    at_head = Tree(tree.root, CommitFiles(repository, head.id, "HEAD"))
    if at_head.files.read(CONFIG_NAME) is None:
        raise LumosError(f"{CONFIG_NAME}: is not committed", hint="commit the tree first")
    versions = at_head.config.versions
    naming = ReleaseNames(versions.cloud_prefix, versions.tag_prefix)
    prefix = naming.before_number
    remote = (
        read_remote_refs(repository, target.remote, branch=target.ref, prefix=prefix)
        if target
        else None
    )
    releases = Releases(repository, at_head, head.id, naming, asked.fetch, announce, remote)
    derived = plan_release(tree, head, releases, releases.last(asked.since))
    left = find_unfinished_files(tree, releases, derived.contents)
    return _Attempt(tree, place, releases, derived, left)


def _carry_out(attempt: _Attempt, asked: BumpOptions, announce: Announce) -> BumpResult | None:
    """Carry out the requested steps; None where the remote has moved: the release starts over."""
    derived = attempt.derived
    report = build_report(derived, dry_run=asked.dry_run)
    if asked.dry_run:
        return BumpResult(report, ("nothing is written: this is a dry run",))
    steps = [*_write_files(attempt, asked)]
    words = MessageParts(report, derived.tree_version, asked.subject)
    commit = _commit_release(attempt, words) if asked.commit and derived.contents else None
    if commit is not None:
        steps.append(f"committed {commit[:10]}")
    if asked.tag:
        steps += _tag_releases(attempt, commit, words)
    elif derived.last.number is not None and not derived.last.is_tagged:
        steps.append(f"{derived.last.name} has no tag yet: `--tag` makes it")
    pushed = False
    if asked.push:
        done = _push_release(attempt, commit, announce)
        if done is None:
            return None
        steps, pushed = [*steps, *done], bool(done)
    made = build_report(derived, committed=commit is not None, pushed=pushed)
    return BumpResult(made, tuple(steps))


def _write_files(attempt: _Attempt, asked: BumpOptions) -> list[str]:
    """Write the files; files of an earlier run that this release does not write are restored."""
    tree, derived, wanted = attempt.tree, attempt.derived, attempt.derived.contents
    stale = [path for path in attempt.left if path not in wanted]
    before = dict(attempt.releases.tree.files.read_all(stale))
    contents = {**wanted, **{p: raw for p, raw in before.items() if isinstance(raw, bytes)}}
    expected = {path: tree.files.read(path) for path in contents}
    done = tree.write_bytes(contents, expected)
    if done.left:
        raise OutsideError(
            f"{done.left[0]}: was changed while the release was written",
            hint="commit or undo that, then run the same command again",
        )
    lines = [f"wrote {len(done.changed)} of {len(contents)} files"] if done.changed else []
    if wanted and not done.changed:
        lines.append(f"{derived.cloud} was written by an earlier run")
    if derived.has_changes and not wanted and not asked.tag:
        lines.append("there is nothing to write: `--tag` marks the release")
    if derived.put_back and wanted:
        lines.append(f"put back versions that were lost: {', '.join(derived.put_back)}")
    if wanted and not asked.commit:
        lines.append("not committed: `--commit` goes on from here")
    return lines


def _commit_release(attempt: _Attempt, words: MessageParts) -> str:
    derived, repository = attempt.derived, attempt.place.repository
    message = release_message(words)
    commit = commits.commit(repository, tuple(derived.contents), message)
    if parents_of(repository, commit) != (derived.head.id,):
        raise OutsideError(
            "somebody has committed here at the same moment",
            hint="look at `git log`, then run the same command again",
        )
    return commit


def _tag_releases(attempt: _Attempt, commit: str | None, words: MessageParts) -> list[str]:
    """Tag this release, and first the last one where its tag is missing."""
    derived, repository, last = attempt.derived, attempt.place.repository, attempt.derived.last
    made = []
    if last.number is not None and last.commit is not None and not last.is_tagged:
        name = attempt.releases.naming.tag(last.number)
        commits.tag(repository, name, last.commit, message_of(repository, name, last.commit))
        made.append(f"tagged {name}")
    if derived.has_changes:
        on = commit or derived.head.id
        commits.tag(repository, derived.tag, on, release_message(words))
        made.append(f"tagged {derived.tag}")
    return made


def _push_release(attempt: _Attempt, commit: str | None, announce: Announce) -> list[str] | None:
    """Push what the remote lacks; None where the remote has moved in the meantime."""
    place, derived = attempt.place, attempt.derived
    assert place.target is not None  # noqa: S101 - `_check_preconditions` has found it
    names = list(_missing_remote_tags(attempt))
    on = (commit or derived.head.id) if derived.has_changes else derived.last.commit
    if not names or on is None:
        return []
    ahead = None if _is_at_remote(attempt, on) else on
    outcome = commits.push(place.repository, place.target, ahead, names)
    if outcome is PushResult.DONE:
        return [f"pushed {' and '.join(names)} to {place.target.name}"]
    if outcome is PushResult.MOVED:
        _start_over(place, place.target, on, names[-1], announce)
    else:
        announce(f"{place.target.name} is busy: trying again")
    return None


def _missing_remote_tags(attempt: _Attempt) -> Iterator[str]:
    """Tags of the last release and of this one that the remote lacks.

    A tag that the remote has on another commit is included: the remote rejects it, and the release
    starts over.
    """
    derived, releases = attempt.derived, attempt.releases
    last = derived.last
    if last.number is not None:
        name = releases.naming.tag(last.number)
        distant = releases.distant.get(last.number)
        is_there = distant is not None and distant.commit == last.commit
        here = local_tags(attempt.place.repository)
        if not is_there and (name, last.commit) in [(one.name, one.commit) for one in here]:
            yield name
    if derived.has_changes:
        yield derived.tag


def _is_at_remote(attempt: _Attempt, commit: str) -> bool:
    """Whether the branch of the remote already contains a commit, so that no push is needed."""
    remote, place = attempt.releases.remote, attempt.place
    if remote is None or remote.branch is None or place.target is None:
        return False
    return is_ancestor(place.repository, commit, remote.branch)


def _start_over(
    place: _Checkout, target: PushTarget, commit: str, tag: str, announce: Announce
) -> None:
    """Undo this release, and fast-forward to the current state of the remote.

    Only a release commit is dropped, and only while no other commit follows it.
    """
    repository = place.repository
    tip = commits.fetch_branch(repository, target)
    announce(f"{target.name} is at {tip[:10]} now: the release starts over from there")
    here = commits.head(repository)
    paths = () if is_ancestor(repository, commit, tip) else _own_paths(repository, commit)
    if paths and here != commit:
        raise _divergence_error(place, target)
    for one in local_tags(repository):
        if (one.name, one.commit) == (tag, commit):
            commits.drop_tag(repository, tag, one.object)
    if paths:
        (here,) = parents_of(repository, commit)
        below = [path[len(repository.prefix) :] for path in paths]
        commits.drop_commit(repository, place.branch, commit, here, below)
    if is_ancestor(repository, tip, here):
        return  # only the release number was taken
    if not is_ancestor(repository, here, tip):
        raise _divergence_error(place, target)
    commits.fast_forward(repository, tip)


def _divergence_error(place: _Checkout, target: PushTarget) -> OutsideError:
    return OutsideError(
        f"{place.branch} and {target.name} each have commits that the other lacks",
        hint="`git pull --rebase`, then run the same command again",
    )


def _own_paths(repository: Repository, commit: str) -> tuple[str, ...]:
    """The files of a commit that is purely a release commit; empty otherwise."""
    paths = paths_of(repository, commit)
    own = f"{repository.prefix}snapshots/"
    if not all(path.startswith(own) for path in paths):
        return ()
    return paths if is_release(repository, _head_tree(repository), commit) else ()


def _head_tree(repository: Repository) -> Tree:
    root = repository.folder / repository.prefix
    return Tree(root, CommitFiles(repository, "HEAD", "HEAD"))

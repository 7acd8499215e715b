"""Ctrl-C while a catalog is written to: what was sent is known, and the rest can be done later."""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs import sync_state
from lumos_snap.catalogs import sync_state as bases
from lumos_snap.catalogs.adapter import Catalog, Identity, Reading, Settling
from lumos_snap.catalogs.sync.client import read_ahead
from lumos_snap.catalogs.sync.delete_guard import Guard
from lumos_snap.catalogs.sync.execute import Means, carry_out, resume
from lumos_snap.catalogs.sync.join import Named, worked_out
from lumos_snap.catalogs.sync.journal import Proven, end, is_over, proven, require_idle
from lumos_snap.catalogs.sync.plan import Plan, plan
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync.rate_limit import Speed
from lumos_snap.catalogs.sync.task import Done
from lumos_snap.catalogs.sync_state import SUBJECT, Base, Contents, Files, Remote
from lumos_snap.commands.diff.empty_tree import require_visible
from lumos_snap.commands.scan.unreachable import unreached
from lumos_snap.commands.sync.adapters import chosen, opened, rules_of
from lumos_snap.commands.sync.lossy_documents import kept_losses, lossy_in, to_keep
from lumos_snap.commands.sync.names import names_to_keep, require_same_names
from lumos_snap.commands.sync.observations import (
    NONE_DUE,
    NOTHING,
    Measured,
    Readings,
    due,
    observed,
)
from lumos_snap.commands.sync.options import Asked, Progress, unheard
from lumos_snap.commands.sync.tree_documents import TreeSide
from lumos_snap.errors import CutOffError, LumosError, OutsideError
from lumos_snap.git import custom_refs
from lumos_snap.git.commits import require_identity
from lumos_snap.git.refs import look_up
from lumos_snap.git.tags import is_ancestor, parents_of
from lumos_snap.report.envelope import Finding
from lumos_snap.report.sync import SyncLosses
from lumos_snap.tree import Tree
from lumos_snap.tree.atomic import replace_file
from lumos_snap.tree.path_kinds import STATE
from lumos_snap.tree.writer import ignore_state, make_state_folder, state_file


@contextmanager
def resumable(journal: Path) -> Iterator[None]:
    """Say how it goes on, where there is something to go on with."""
    try:
        yield
    except KeyboardInterrupt as exc:
        if not journal.exists():
            raise
        raise CutOffError(
            "interrupted: nothing is half-written", hint="`lumos snap sync --resume` does the rest"
        ) from exc


_SHOWN = 10


def require_not_older(base: Base) -> None:
    """Refuse a tree whose commit comes before the one that was synced last."""
    head = look_up(base.repository, ("HEAD",))[0]
    source = _source(base)
    if head is None or source is None or source == head.id:
        return
    if is_ancestor(base.repository, head.id, source):
        raise LumosError(
            f"{head.id[:_SHOWN]} is older than {source[:_SHOWN]}, which {base.name} was brought in"
            " line with: what has changed since would be taken back",
            hint="`git pull` first; `--older` takes it back all the same",
        )


def _source(base: Base) -> str | None:
    """The commit that was synced last, as far as this clone knows it."""
    commit = base.commit
    while commit is not None:
        parents = parents_of(base.repository, commit)
        for one in reversed(parents):
            if not custom_refs.line_of(base.repository, one, SUBJECT):
                return one
        commit = parents[0] if parents else None
    return None


_STAGE = "read"


class Watched:
    """What is asked for, in order, and how much of it either side has come to."""

    def __init__(self, wanted: Sequence[Identity], progress: Progress) -> None:
        self._wanted = wanted
        self._progress = progress
        self._met = 0
        self._tell(0)

    def catalog(self, readings: Iterable[Reading]) -> Iterator[Reading]:
        """What the catalog holds."""
        for one in readings:
            self.come_to(one.identity)
            yield one

    def tree(self, side: Iterable[Named]) -> "_Side":
        """What the tree holds; it can be gone through again."""
        return _Side(side, self)

    def come_to(self, identity: Identity) -> None:
        """Say that one side has come to a document."""
        self._tell(bisect_right(self._wanted, identity, lo=self._met))

    def _tell(self, met: int) -> None:
        self._met = max(self._met, met)
        self._progress(_STAGE, self._met, len(self._wanted))


class _Side:
    def __init__(self, side: Iterable[Named], watched: Watched) -> None:
        self._side = side
        self._watched = watched

    def __iter__(self) -> Iterator[Named]:
        for one in self._side:
            self._watched.come_to(one[0])
            yield one


@dataclass(frozen=True, slots=True)
class Sync:
    """A plan, with all that carrying it out needs."""

    tree: Tree
    catalog: Catalog
    base: Base
    rules: Rules
    plan: Plan
    invalid: tuple[Finding, ...]
    """What is wrong with files of the tree that are no valid documents: they are left out."""
    fetch: bool
    readings: Readings = NONE_DUE
    lost: Contents = field(default_factory=dict)
    """What git is to keep, for the catalog cannot hold it."""

    @property
    def journal(self) -> Path:
        """Where a run says what it does."""
        return journal_of(self.tree, self.catalog.name)


def journal_of(tree: Tree, name: str) -> Path:
    """Where runs with a catalog say what they do."""
    return state_file(tree.root, f"sync/{name}.jsonl")


def prepared(tree: Tree, asked: Asked, progress: Progress = unheard) -> Sync:
    """What a sync would do; nothing is written."""
    settings = chosen(tree, asked.catalog)
    catalog = opened(settings, tree, asked.environment)
    base = bases.opened(tree.repository, catalog.name, fetch=asked.fetch)
    require_same_names(base, catalog)
    rules = rules_of(settings, catalog, base, asked)
    side = TreeSide(tree, asked.wants)
    known = _Wanted(base, asked)
    marks = {one: remote.mark for one, remote in base.remotes.items() if remote.mark}
    require_visible(tree, tree.paths(SNAPSHOT))
    wanted = _some({*known.identities(), *side.identities()}, asked)
    whole = TreeSide(tree, lambda _: True) if asked.only else side
    guard = Guard(
        most=asked.deletes,
        forbidden=lambda: _forbidden(side, whole),
        deleting=catalog.capabilities.deletes,
        permanent=catalog.capabilities.permanent,
        whole=whole,
    )
    watched = Watched(wanted, progress)
    there = watched.catalog(read_ahead(catalog, wanted, marks, Speed()))
    found = plan(known, watched.tree(side), there, rules=rules, guard=guard)
    found = _without(found, side.unclear)
    readings = due(tree, base, catalog, asked) if settings.observations else NONE_DUE
    lost = to_keep(side, base, found.lossy)
    invalid = tuple(side.invalid.values())
    return Sync(tree, catalog, base, rules, found, invalid, asked.fetch, readings, lost)


def _without(found: Plan, unclear: Collection[Identity]) -> Plan:
    """A plan that decides nothing about documents that cannot be read: they are not gone."""
    if not unclear:
        return found
    return replace(
        found, decisions=tuple(one for one in found.decisions if one.identity not in unclear)
    )


def _some(wanted: Iterable[Identity], asked: Asked) -> list[Identity]:
    """What is meant, in order; a pattern for nothing would find all in line."""
    found = sorted(wanted)
    if asked.only and not found:
        raise LumosError(
            f"nothing matches {' or '.join(asked.only)}",
            hint="`lumos snap ls` lists the datasets: as in --only 's3/lake/**'",
        )
    return found


def _forbidden(side: TreeSide, whole: TreeSide) -> str:
    """Why nothing may be deleted: what is not in the tree may be there all the same."""
    if whole is not side:  # nobody has looked at the rest yet
        deque(worked_out(whole), maxlen=0)
    if side.invalid or whole.invalid:
        return "the tree has invalid documents"
    lost = unreached(side.tree)
    return f"the last scan did not reach {', '.join(lost)}: scan again" if lost else ""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The base's documents, as far as they are meant."""

    base: Base
    asked: Asked

    def identities(self) -> Iterator[Identity]:
        return (one for one in self.base.identities if self.asked.wants(one.id))

    def __iter__(self) -> Iterator[Named]:
        return (one for one in self.base.documents() if self.asked.wants(one[0].id))


class Applied(NamedTuple):
    """What came of a plan, document by document, and of what was measured."""

    done: tuple[Done, ...]
    measured: Measured = NOTHING


def applied(sync: Sync, progress: Progress = unheard, *, older: bool = False) -> Applied:
    """Bring the catalog in line; what it confirmed is kept in git, also where a part fails.

    `older` lets a tree take back what a newer one has brought.
    """
    _require_no_journal(sync.journal)
    if sync.plan.writes and not older:
        require_not_older(sync.base)
    require_identity(sync.tree.repository)  # what is confirmed becomes a commit
    make_state_folder(sync.tree.root, STATE)
    ignore_state(sync.tree.root)
    means = Means(rules=sync.rules, journal=sync.journal, progress=progress)
    with resumable(sync.journal):
        done = carry_out(sync.catalog, sync.plan, means)
    more = (*sync_state.files(sync.lost), *names_to_keep(sync.base, sync.catalog))
    base = _keep(sync.tree, sync.base, done, _learnt(sync.plan), more, fetch=sync.fetch)
    if sync.plan.writes:  # else the journal is that of another run, if there is one
        end(sync.journal)
    push = sync.fetch
    return Applied(
        done, observed(sync.tree, base, sync.catalog, sync.readings.due, progress, push=push)
    )


def resumed(tree: Tree, asked: Asked, progress: Progress = unheard) -> tuple[str, tuple[Done, ...]]:
    """Finish a run that was cut off; the name of the catalog, and what came of each document."""
    settings = chosen(tree, asked.catalog)
    catalog = opened(settings, tree, asked.environment)
    journal = journal_of(tree, catalog.name)
    if not journal.exists() and isinstance(catalog, Settling) and catalog.settle():
        return catalog.name, ()  # another clone's sync was cut off: all that it wrote is there
    base = bases.opened(tree.repository, catalog.name, fetch=asked.fetch)
    require_same_names(base, catalog)
    rules = rules_of(settings, catalog, base, asked)
    with resumable(journal):
        done = resume(catalog, Means(rules=rules, journal=journal, progress=progress))
    side = TreeSide(tree, asked.wants)
    losing = to_keep(side, base, lossy_in(side, rules))
    more = (*sync_state.files(losing), *names_to_keep(base, catalog))
    _keep(tree, base, done, {}, more, fetch=asked.fetch)
    end(journal)
    return catalog.name, done


def lost(tree: Tree, asked: Asked) -> SyncLosses:
    """What git keeps of what a catalog cannot hold; the catalog is not asked."""
    name = chosen(tree, asked.catalog).name
    return kept_losses(bases.opened(tree.repository, name, fetch=asked.fetch))


def _require_no_journal(journal: Path) -> None:
    if journal.exists() and not is_over(journal):
        require_idle(journal)
        raise LumosError(
            "an earlier sync was cut off, and is not finished",
            hint=f"`lumos snap sync --resume` finishes it; its journal is {journal}",
        )


def _learnt(found: Plan) -> dict[Identity, Proven]:
    """What both sides said already, and what neither says any more."""
    learnt: dict[Identity, Proven] = {}
    for one in found.decisions:
        held = one.sides.held
        if one.is_forgotten:
            learnt[one.identity] = Proven(None, {})
        elif one.action is None and one.adopted is not None and held is not None:
            learnt[one.identity] = proven(one.adopted, held)
    return learnt


def _keep(
    tree: Tree,
    base: Base,
    done: Iterable[Done],
    learnt: Mapping[Identity, Proven],
    more: Files,
    *,
    fetch: bool,
) -> Base:
    known = {**learnt, **{one.identity: one.proven for one in done if one.proven is not None}}
    if not known and not more:
        return base
    documents = {identity: one.base for identity, one in known.items()}
    remotes = {identity: Remote(one.versions, one.mark) for identity, one in known.items()}
    head = look_up(tree.repository, ("HEAD",))[0]
    source = None if head is None else head.id
    return bases.confirm(base, documents, remotes, more=more, source=source, push=fetch)


def counts_of(done: Iterable[Done]) -> Counter[str]:
    """How many documents came to each outcome."""
    return Counter(one.outcome.value for one in done)


FORMAT = 1


def saved(sync: Sync, file: Path) -> None:
    """Write what tells this plan from any other: it holds no metadata of its own."""
    said = {"sync-plan": FORMAT, **_marks(sync), "writes": len(sync.plan.writes)}
    replace_file(file, orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n")


def require_same(sync: Sync, file: Path) -> None:
    """Refuse a plan that is not the one in the file: the tree or the catalog has moved."""
    try:
        found = orjson.loads(file.read_bytes())
    except OSError as exc:
        raise LumosError(
            f"{file}: cannot be read: {exc.strerror}", hint="`--out FILE` makes a plan"
        ) from exc
    except orjson.JSONDecodeError as exc:
        raise LumosError(f"{file}: is no plan", hint="`--out FILE` makes one") from exc
    if not isinstance(found, dict) or found.get("sync-plan") != FORMAT:
        raise LumosError(f"{file}: is no plan of this version", hint="`--out FILE` makes one")
    marks = _marks(sync)
    if found.get("catalog") != marks["catalog"]:
        raise LumosError(
            f"{file}: is a plan for {found.get('catalog')}", hint=f"--to {found.get('catalog')}"
        )
    if any(found.get(name) != said for name, said in marks.items()):
        raise OutsideError(
            f"{file}: the tree or the catalog has changed since: nothing was written",
            hint="plan again, and look at it",
        )


def _marks(sync: Sync) -> dict[str, str | None]:
    return {
        "catalog": sync.catalog.name,
        "base": sync.base.commit,
        "hash": sync.plan.hash(),
    }

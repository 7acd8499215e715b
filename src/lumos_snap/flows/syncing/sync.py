"""The story of a sync: what differs, and then, if somebody wants it, doing something about it."""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs import sync_state as bases
from lumos_snap.catalogs import unholdable_documents
from lumos_snap.catalogs.adapter import Catalog, Identity, Settling
from lumos_snap.catalogs.sync.delete_guard import Guard
from lumos_snap.catalogs.sync.execute import Means, carry_out, resume
from lumos_snap.catalogs.sync.join import Named, worked_out
from lumos_snap.catalogs.sync.journal import Proven, end, is_over, proven, require_idle
from lumos_snap.catalogs.sync.plan import Plan, plan
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync.prefetch import read_ahead
from lumos_snap.catalogs.sync.rate_limit import Speed
from lumos_snap.catalogs.sync.task import Done
from lumos_snap.catalogs.sync_state import Base, Contents, Files, Remote
from lumos_snap.errors import LumosError
from lumos_snap.flows.presence import require_visible
from lumos_snap.flows.scanning.unreached import unreached
from lumos_snap.flows.syncing.asked import Asked, Progress, unheard
from lumos_snap.flows.syncing.called import names_to_keep, require_same_names
from lumos_snap.flows.syncing.interrupting import resumable
from lumos_snap.flows.syncing.losing import kept_losses, lossy_in, to_keep
from lumos_snap.flows.syncing.observing import NONE_DUE, NOTHING, Measured, Readings, due, observed
from lumos_snap.flows.syncing.older import require_not_older
from lumos_snap.flows.syncing.opening import chosen, opened, rules_of
from lumos_snap.flows.syncing.sides import TreeSide
from lumos_snap.flows.syncing.watching import Watched
from lumos_snap.git.commits import require_identity
from lumos_snap.git.refs import look_up
from lumos_snap.report.envelope import Finding
from lumos_snap.report.sync import SyncLosses
from lumos_snap.tree import Tree
from lumos_snap.tree.path_kinds import STATE
from lumos_snap.tree.writer import ignore_state, make_state_folder, state_file


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
    more = (*unholdable_documents.files(sync.lost), *names_to_keep(sync.base, sync.catalog))
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
    more = (*unholdable_documents.files(losing), *names_to_keep(base, catalog))
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

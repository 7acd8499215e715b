"""`lumos snap sync`: plan a sync, apply it, resume it, and record the sync base."""

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
from lumos_snap.catalogs.adapter import Catalog, Identity, Reading, SupportsSettle
from lumos_snap.catalogs.sync.client import Speed, read_ahead
from lumos_snap.catalogs.sync.delete_guard import DeleteGuard
from lumos_snap.catalogs.sync.execute import DocumentOutcome, RunSettings, resume, run_plan
from lumos_snap.catalogs.sync.join import Named, iter_documents
from lumos_snap.catalogs.sync.journal import Proof, build_proof, end, is_over, require_idle
from lumos_snap.catalogs.sync.plan import Plan, plan
from lumos_snap.catalogs.sync.policy import Rules
from lumos_snap.catalogs.sync_state import SUBJECT, Contents, Files, RemoteState, SyncBase
from lumos_snap.commands.diff.sides import require_visible
from lumos_snap.commands.scan.unreachable import read_unreached
from lumos_snap.commands.sync.adapters import (
    choose_settings,
    names_to_keep,
    open_catalog,
    require_same_names,
    rules_of,
)
from lumos_snap.commands.sync.observations import (
    NONE_DUE,
    NOTHING,
    ObservationsResult,
    Readings,
    find_due,
    send_observations,
)
from lumos_snap.commands.sync.options import Progress, SyncOptions, ignore_progress
from lumos_snap.commands.sync.tree_documents import (
    TreeSide,
    find_documents_to_keep,
    find_lossy,
    report_losses,
)
from lumos_snap.errors import CutOffError, LumosError, OutsideError
from lumos_snap.git import custom_refs
from lumos_snap.git.commits import require_identity
from lumos_snap.git.refs import is_ancestor, look_up, parents_of
from lumos_snap.report.envelope import FileFinding
from lumos_snap.report.sync import SyncLosses
from lumos_snap.tree import Tree
from lumos_snap.tree.atomic import replace_file
from lumos_snap.tree.files import STATE
from lumos_snap.tree.writer import ignore_state, make_state_folder, state_file


@contextmanager
def explain_resume(journal: Path) -> Iterator[None]:
    """On Ctrl-C, explain how to resume, if a journal exists."""
    try:
        yield
    except KeyboardInterrupt as exc:
        if not journal.exists():
            raise
        raise CutOffError(
            "interrupted: nothing is half-written", hint="`lumos snap sync --resume` does the rest"
        ) from exc


_SHOWN = 10


def require_not_older(base: SyncBase) -> None:
    """Refuse a tree whose commit is an ancestor of the last synced commit."""
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


def _source(base: SyncBase) -> str | None:
    """The last synced commit, if this clone has it."""
    commit = base.commit
    while commit is not None:
        parents = parents_of(base.repository, commit)
        for one in reversed(parents):
            if not custom_refs.line_of(base.repository, one, SUBJECT):
                return one
        commit = parents[0] if parents else None
    return None


_STAGE = "read"


class SyncCounter:
    """Counts the progress of tree and catalog through the sorted list of documents."""

    def __init__(self, wanted: Sequence[Identity], progress: Progress) -> None:
        self._wanted = wanted
        self._progress = progress
        self._met = 0
        self._tell(0)

    def catalog(self, readings: Iterable[Reading]) -> Iterator[Reading]:
        """Count the documents of the catalog."""
        for one in readings:
            self.come_to(one.identity)
            yield one

    def tree(self, side: Iterable[Named]) -> "_Side":
        """Count the documents of the tree; repeatable."""
        return _Side(side, self)

    def come_to(self, identity: Identity) -> None:
        """Report that one side has reached a document."""
        self._tell(bisect_right(self._wanted, identity, lo=self._met))

    def _tell(self, met: int) -> None:
        self._met = max(self._met, met)
        self._progress(_STAGE, self._met, len(self._wanted))


class _Side:
    def __init__(self, side: Iterable[Named], watched: SyncCounter) -> None:
        self._side = side
        self._watched = watched

    def __iter__(self) -> Iterator[Named]:
        for one in self._side:
            self._watched.come_to(one[0])
            yield one


@dataclass(frozen=True, slots=True)
class Sync:
    """A plan, with everything that is needed to apply it."""

    tree: Tree
    catalog: Catalog
    base: SyncBase
    rules: Rules
    plan: Plan
    invalid: tuple[FileFinding, ...]
    """Problems of invalid documents in the tree, which are left out."""
    fetch: bool
    readings: Readings = NONE_DUE
    lost: Contents = field(default_factory=dict)
    """Documents to keep in git because the catalog does not support all their content."""

    @property
    def journal(self) -> Path:
        """Path of the journal of a run."""
        return journal_of(self.tree, self.catalog.name)


def journal_of(tree: Tree, name: str) -> Path:
    """Path of the journal of runs with a catalog."""
    return state_file(tree.root, f"sync/{name}.jsonl")


def prepare_sync(tree: Tree, asked: SyncOptions, progress: Progress = ignore_progress) -> Sync:
    """Plan a sync; nothing is written."""
    settings = choose_settings(tree, asked.catalog)
    catalog = open_catalog(settings, tree, asked.environment)
    base = bases.open_base(tree.repository, catalog.name, fetch=asked.fetch)
    require_same_names(base, catalog)
    rules = rules_of(settings, catalog, base, asked)
    side = TreeSide(tree, asked.wants)
    known = _FilteredBase(base, asked)
    marks = {one: remote.mark for one, remote in base.remotes.items() if remote.mark}
    require_visible(tree, tree.paths(SNAPSHOT))
    wanted = _filter_identities({*known.identities(), *side.identities()}, asked)
    whole = TreeSide(tree, lambda _: True) if asked.only else side
    guard = DeleteGuard(
        most=asked.deletes,
        forbidden=lambda: _why_no_deletes(side, whole),
        deleting=catalog.capabilities.deletes,
        permanent=catalog.capabilities.permanent,
        whole=whole,
    )
    watched = SyncCounter(wanted, progress)
    there = watched.catalog(read_ahead(catalog, wanted, marks, Speed()))
    found = plan(known, watched.tree(side), there, rules=rules, guard=guard)
    found = _drop_unclear(found, side.unclear)
    readings = find_due(tree, base, catalog, asked) if settings.observations else NONE_DUE
    lost = find_documents_to_keep(side, base, found.lossy)
    invalid = tuple(side.invalid.values())
    return Sync(tree, catalog, base, rules, found, invalid, asked.fetch, readings, lost)


def _drop_unclear(found: Plan, unclear: Collection[Identity]) -> Plan:
    """Drop decisions about unreadable documents: they are not deleted documents."""
    if not unclear:
        return found
    return replace(
        found, decisions=tuple(one for one in found.decisions if one.identity not in unclear)
    )


def _filter_identities(wanted: Iterable[Identity], asked: SyncOptions) -> list[Identity]:
    """Filter identities and sort them; a pattern without a match must not pass as in sync."""
    found = sorted(wanted)
    if asked.only and not found:
        raise LumosError(
            f"nothing matches {' or '.join(asked.only)}",
            hint="`lumos snap ls` lists the datasets: as in --only 's3/lake/**'",
        )
    return found


def _why_no_deletes(side: TreeSide, whole: TreeSide) -> str:
    """Why deletes are forbidden: a document missing from the tree may still exist in the source."""
    if whole is not side:  # the rest has not been read yet
        deque(iter_documents(whole), maxlen=0)
    if side.invalid or whole.invalid:
        return "the tree has invalid documents"
    lost = read_unreached(side.tree)
    return f"the last scan did not reach {', '.join(lost)}: scan again" if lost else ""


@dataclass(frozen=True, slots=True)
class _FilteredBase:
    """The documents of the sync base that the options select."""

    base: SyncBase
    asked: SyncOptions

    def identities(self) -> Iterator[Identity]:
        return (one for one in self.base.identities if self.asked.wants(one.id))

    def __iter__(self) -> Iterator[Named]:
        return (one for one in self.base.documents() if self.asked.wants(one[0].id))


class SyncResult(NamedTuple):
    """Outcome of a plan for each document, and of the observations."""

    done: tuple[DocumentOutcome, ...]
    measured: ObservationsResult = NOTHING


def apply_sync(
    sync: Sync, progress: Progress = ignore_progress, *, older: bool = False
) -> SyncResult:
    """Apply a plan; what the catalog confirmed is kept in git, also after a partial failure.

    `older` lets an older tree revert the changes of a newer one.
    """
    _require_no_journal(sync.journal)
    if sync.plan.writes and not older:
        require_not_older(sync.base)
    require_identity(sync.tree.repository)  # the confirmed state becomes a commit
    make_state_folder(sync.tree.root, STATE)
    ignore_state(sync.tree.root)
    means = RunSettings(rules=sync.rules, journal=sync.journal, progress=progress)
    with explain_resume(sync.journal):
        done = run_plan(sync.catalog, sync.plan, means)
    more = (*sync_state.files(sync.lost), *names_to_keep(sync.base, sync.catalog))
    base = _keep(sync.tree, sync.base, done, _collect_settled(sync.plan), more, fetch=sync.fetch)
    if sync.plan.writes:  # otherwise a journal would be that of another run
        end(sync.journal)
    push = sync.fetch
    return SyncResult(
        done,
        send_observations(sync.tree, base, sync.catalog, sync.readings.due, progress, push=push),
    )


def resume_sync(
    tree: Tree, asked: SyncOptions, progress: Progress = ignore_progress
) -> tuple[str, tuple[DocumentOutcome, ...]]:
    """Finish an interrupted run; the catalog name, and the outcome of each document."""
    settings = choose_settings(tree, asked.catalog)
    catalog = open_catalog(settings, tree, asked.environment)
    journal = journal_of(tree, catalog.name)
    if not journal.exists() and isinstance(catalog, SupportsSettle) and catalog.settle():
        return catalog.name, ()  # finished the interrupted sync of another clone
    base = bases.open_base(tree.repository, catalog.name, fetch=asked.fetch)
    require_same_names(base, catalog)
    rules = rules_of(settings, catalog, base, asked)
    with explain_resume(journal):
        done = resume(catalog, RunSettings(rules=rules, journal=journal, progress=progress))
    side = TreeSide(tree, asked.wants)
    losing = find_documents_to_keep(side, base, find_lossy(side, rules))
    more = (*sync_state.files(losing), *names_to_keep(base, catalog))
    _keep(tree, base, done, {}, more, fetch=asked.fetch)
    end(journal)
    return catalog.name, done


def list_losses(tree: Tree, asked: SyncOptions) -> SyncLosses:
    """List what git keeps because the catalog does not support it; sends no requests."""
    name = choose_settings(tree, asked.catalog).name
    return report_losses(bases.open_base(tree.repository, name, fetch=asked.fetch))


def _require_no_journal(journal: Path) -> None:
    if journal.exists() and not is_over(journal):
        require_idle(journal)
        raise LumosError(
            "an earlier sync was cut off, and is not finished",
            hint=f"`lumos snap sync --resume` finishes it; its journal is {journal}",
        )


def _collect_settled(found: Plan) -> dict[Identity, Proof]:
    """Documents that are equal on both sides already, or that both sides no longer have."""
    learnt: dict[Identity, Proof] = {}
    for one in found.decisions:
        held = one.sides.held
        if one.is_forgotten:
            learnt[one.identity] = Proof(None, {})
        elif one.action is None and one.adopted is not None and held is not None:
            learnt[one.identity] = build_proof(one.adopted, held)
    return learnt


def _keep(
    tree: Tree,
    base: SyncBase,
    done: Iterable[DocumentOutcome],
    learnt: Mapping[Identity, Proof],
    more: Files,
    *,
    fetch: bool,
) -> SyncBase:
    known = {**learnt, **{one.identity: one.proven for one in done if one.proven is not None}}
    if not known and not more:
        return base
    documents = {identity: one.base for identity, one in known.items()}
    remotes = {identity: RemoteState(one.versions, one.mark) for identity, one in known.items()}
    head = look_up(tree.repository, ("HEAD",))[0]
    source = None if head is None else head.id
    return bases.confirm(base, documents, remotes, more=more, source=source, push=fetch)


def counts_of(done: Iterable[DocumentOutcome]) -> Counter[str]:
    """Number of documents for each outcome."""
    return Counter(one.outcome.value for one in done)


FORMAT = 1


def save_plan(sync: Sync, file: Path) -> None:
    """Write a fingerprint of the plan; the file contains no metadata."""
    said = {"sync-plan": FORMAT, **_marks(sync), "writes": len(sync.plan.writes)}
    replace_file(file, orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n")


def require_same(sync: Sync, file: Path) -> None:
    """Refuse a plan that differs from the one in the file: the tree or the catalog has changed."""
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

"""A tree, a base and a catalog, and the steps of a sync between them, as a command takes them."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lumos_snap.catalogs.adapter import Catalog, Identity
from lumos_snap.catalogs.sync.client import Speed
from lumos_snap.catalogs.sync.decide import base_after, project_document
from lumos_snap.catalogs.sync.delete_guard import DeleteGuard
from lumos_snap.catalogs.sync.execute import DocumentOutcome, RunSettings, resume, run_plan
from lumos_snap.catalogs.sync.plan import Plan, plan
from lumos_snap.catalogs.sync.policy import Rules, SyncPolicy
from lumos_snap.schema import Document

QUICK = Speed(first=2, most=4, tries=4, pause=0.001, longest=0.01)
_NUMBERS = itertools.count()


@dataclass
class World:
    """All that a sync is about."""

    catalog: Catalog
    folder: Path
    tree: dict[Identity, Document] = field(default_factory=dict)
    base: dict[Identity, Document] = field(default_factory=dict)
    policies: Mapping[str, SyncPolicy] = field(default_factory=dict)
    speed: Speed = QUICK
    journals: list[Path] = field(default_factory=list)

    @property
    def rules(self) -> Rules:
        return Rules(
            project=self.catalog.project,
            attributed=self.catalog.capabilities.attributed,
            policies=self.policies,
        )

    def plan(self, guard: DeleteGuard | None = None) -> Plan:
        base, tree = sorted(self.base.items()), sorted(self.tree.items())
        there = self.catalog.read(sorted({*self.base, *self.tree}))
        return plan(base, tree, there, rules=self.rules, guard=guard or DeleteGuard(most=100))

    def means(self, journal: Path | None = None) -> RunSettings:
        path = journal or self.folder / f"journal-{next(_NUMBERS)}.jsonl"
        self.journals.append(path)
        return RunSettings(rules=self.rules, journal=path, speed=self.speed)

    def push(
        self, *, through: Catalog | None = None, guard: DeleteGuard | None = None
    ) -> tuple[DocumentOutcome, ...]:
        return self.carry_out(self.plan(guard), self.means(), through)

    def carry_out(
        self, found: Plan, means: RunSettings, through: Catalog | None = None
    ) -> tuple[DocumentOutcome, ...]:
        done = run_plan(through or self.catalog, found, means)
        self._learn(found)
        return self._know(done)

    def resume(
        self, means: RunSettings, *, through: Catalog | None = None
    ) -> tuple[DocumentOutcome, ...]:
        return self._know(resume(through or self.catalog, means))

    def resume_last(self) -> tuple[DocumentOutcome, ...]:
        return self.resume(self.means(self.journals[-1]))

    def _learn(self, found: Plan) -> None:
        """Take into the base what both sides said already."""
        for one in found.decisions:
            if one.is_forgotten:
                self.base.pop(one.identity, None)
            elif one.action is None and one.adopted is not None:
                self.base[one.identity] = one.adopted

    def _know(self, done: tuple[DocumentOutcome, ...]) -> tuple[DocumentOutcome, ...]:
        for one in done:
            if one.proven is not None and one.proven.base is not None:
                self.base[one.identity] = one.proven.base
            elif one.proven is not None:
                self.base.pop(one.identity, None)
        return done

    def pull(self) -> Plan:
        found = self.plan()
        for one in found.decisions:
            held = one.sides.held
            if one.pulled is not None and held is not None:
                self.tree[one.identity] = one.pulled
                mine = project_document(one.pulled, one.identity, self.rules)
                after = base_after(one.sides, mine, held.document, self.rules)
                self.base[one.identity] = after
        return found

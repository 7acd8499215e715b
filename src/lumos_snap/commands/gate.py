"""`lumos snap gate`: judge every tree of a repository once, and report in all formats."""

import datetime
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.ci.aggregate import gate_trees
from lumos_snap.commands.diff.judge import diff
from lumos_snap.commands.diff.saved_report import result_of
from lumos_snap.commands.diff.sides import Approvals, DiffOptions, SideOptions
from lumos_snap.errors import LumosError
from lumos_snap.report.gate import GateReport, TreeResult
from lumos_snap.tree import Tree
from lumos_snap.tree.changes import Announce

if TYPE_CHECKING:
    from lumos_snap.config.settings import FailOn


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """Trees to judge, and how strictly."""

    folders: Sequence[Path]
    base: str
    config: Path | None = None
    fail_on: "FailOn | None" = None
    approvals: Approvals | None = None
    today: datetime.date


def gate(asked: GateOptions, open_tree: Callable[[Path], Tree], announce: Announce) -> GateReport:
    """Judge each tree; a failure in one does not stop the others."""
    return gate_trees(tuple(_results(asked, open_tree, announce)))


def _results(
    asked: GateOptions, open_tree: Callable[[Path], Tree], announce: Announce
) -> Iterator[TreeResult]:
    for folder in dict.fromkeys(asked.folders):
        name = str(folder)
        question = DiffOptions(
            sought=SideOptions(base=asked.base),
            fail_on=asked.fail_on,
            impact=True,
            config=asked.config,
            approvals=asked.approvals,
            today=asked.today,
        )
        try:
            tree = open_tree(folder)
            found = diff(functools.partial(_as_it_is, tree), question, announce)
        except LumosError as exc:
            yield TreeResult(name=name, problem=exc.message, hint=exc.hint, exit=int(exc.exit_code))
        else:
            yield result_of(name, found)


def _as_it_is(tree: Tree) -> Tree:
    return tree

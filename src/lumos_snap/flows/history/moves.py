"""Datasets that a commit renamed: one step of the new name, and none of the old one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lumos_snap.diff.renames import renamed_datasets
from lumos_snap.flows.history.documents import Documents
from lumos_snap.flows.history.past import Step
from lumos_snap.git import Entry

Lines = Mapping[str, Sequence[Step]]


def with_moves(documents: Documents, lines: Lines) -> Lines:
    """The steps of each path, where a removal and an addition of one commit may be one rename."""
    gone: dict[str, list[Step]] = defaultdict(list)
    come: dict[str, list[Step]] = defaultdict(list)
    for steps in lines.values():
        for step in steps:
            if step.after is None:
                gone[step.commit.id].append(step)
            elif not any(step.before):
                come[step.commit.id].append(step)
    both = gone.keys() & come.keys()
    documents.expect(_entry(step) for one in (gone, come) for key in both for step in one[key])
    moved = {
        (key, new): old
        for key in both
        for new, old in renamed_datasets(
            _documents(documents, gone[key]), _documents(documents, come[key])
        ).items()
    }
    left = {(key, old) for (key, _), old in moved.items()}
    before = {(step.commit.id, step.path): step.before for key in both for step in gone[key]}
    found = {
        path: [
            _moved(step, moved, before) for step in steps if (step.commit.id, step.path) not in left
        ]
        for path, steps in lines.items()
    }
    return {path: steps for path, steps in found.items() if steps}


def _entry(step: Step) -> Entry | None:
    return step.after or next((one for one in step.before if one), None)


def _documents(documents: Documents, steps: Sequence[Step]) -> dict[str, Mapping[str, object]]:
    found = {step.path: documents.of(_entry(step)) for step in steps}
    return {path: one for path, one in found.items() if isinstance(one, dict)}


def _moved(
    step: Step,
    moved: Mapping[tuple[str, str], str],
    before: Mapping[tuple[str, str], tuple[Entry | None, ...]],
) -> Step:
    former = moved.get((step.commit.id, step.path))
    if former is None:
        return step
    return replace(step, before=before[step.commit.id, former], former=former)

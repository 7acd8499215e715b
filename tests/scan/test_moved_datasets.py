"""Which new dataset was which one before: as every pair compared with every other would tell."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.report.scan import ScanOutcome
from lumos_snap.scan.dataset_update import DatasetUpdate, UpdateSummary
from lumos_snap.scan.moved_datasets import MissingDatasets, find_moves

Document = dict[str, Any]


class Dataset(NamedTuple):
    """What moves are told by."""

    name: str
    id: str | None
    format: str
    columns: tuple[str, ...]
    inferred: bool
    files: int | None
    """None where nothing was measured."""


datasets = st.builds(
    Dataset,
    st.sampled_from("ab"),
    st.sampled_from([None, "1", "2"]),
    st.sampled_from(["csv", "parquet"]),
    st.sampled_from([("x",), ("x", "y"), ()]),
    st.booleans(),
    st.sampled_from([None, 1, 2]),
)
lakes = st.lists(datasets, max_size=6)


def _urn(side: str, number: int, one: Dataset) -> str:
    return f"lumos://file/lake/{side}{number}/{one.name}"


def _snapshot(one: Dataset) -> Document:
    fields = [{"name": name, "type": "STRING"} for name in one.columns]
    schema: Document = {"fields": fields} if fields else {}
    storage = {"format": one.format} | ({"id": one.id} if one.id else {})
    return {
        "name": one.name,
        "storage": storage,
        "schema": schema | ({"inferred": True} if one.inferred else {}),
    }


def _added(number: int, one: Dataset) -> DatasetUpdate:
    urn = _urn("new", number, one)
    summary = UpdateSummary(
        format=one.format,
        columns=len(one.columns),
        files=one.files,
        bytes=one.files,
        rows=None,
        looked_at=None,
    )
    return DatasetUpdate(
        urn=urn,
        outcome=ScanOutcome.ADDED,
        summary=summary if one.files else None,
        files={SNAPSHOT.path(urn): json.dumps(_snapshot(one)).encode()},
    )


def _observation(one: Dataset) -> Document | None:
    return {"data": {"files": one.files, "bytes": one.files}} if one.files else None


def _alike(new: Dataset, old: Dataset) -> bool:
    if not new.columns or new.format != old.format:
        return False
    if new.inferred and old.inferred:
        return set(new.columns) <= set(old.columns)
    return new.columns == old.columns


_LIKENESS = (
    lambda new, old: new.id is not None and new.id == old.id,
    lambda new, old: new.name == old.name,
    lambda new, old: new.files is not None and new.files == old.files,
)


def _expected(new: Mapping[str, Dataset], old: Mapping[str, Dataset]) -> dict[str, str]:
    found: dict[str, str] = {}
    for is_like in _LIKENESS:
        pairs = [
            (a, b)
            for a in new.keys() - found.keys()
            for b in old.keys() - set(found.values())
            if is_like(new[a], old[b]) and _alike(new[a], old[b])
        ]
        ahead, back = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
        found |= {a: b for a, b in pairs if ahead[a] == back[b] == 1}
    return found


@given(lakes, lakes)
def test_moves_are_those_that_no_third_dataset_disputes(
    new: list[Dataset], old: list[Dataset]
) -> None:
    added = [_added(number, one) for number, one in enumerate(new)]
    gone: MissingDatasets = {
        _urn("old", number, one): (_snapshot(one), _observation(one))
        for number, one in enumerate(old)
    }
    assert find_moves(added, gone) == _expected(
        {_urn("new", number, one): one for number, one in enumerate(new)},
        {_urn("old", number, one): one for number, one in enumerate(old)},
    )

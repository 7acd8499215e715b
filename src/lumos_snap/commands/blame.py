"""`lumos snap blame`: the first and the last commit that changed each column."""

from lumos_snap.canonical.read import read_fast
from lumos_snap.git import open_repository, resolve
from lumos_snap.git.history import history
from lumos_snap.history.blame import ColumnOrigin, HistoryPoint, Origins
from lumos_snap.history.column_changes import ROOTS, HistoryColumn, Root, columns_in
from lumos_snap.history.dataset_log import DatasetHistory, dataset_path, steps_at
from lumos_snap.history.findings import commit_info, ends_at, urn_at
from lumos_snap.history.versions import Document, Documents, parse_loosely
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType
from lumos_snap.report.history import BlamedColumn, BlameReport, Certainty, ListWord, Origin
from lumos_snap.schema import document_of, keys_of, value_of
from lumos_snap.tree import Tree


def blame(tree: Tree, wanted: str, ref: str | None = None) -> BlameReport:
    """Find the commits that introduced and last changed each column of a dataset."""
    repository = open_repository(tree.root)
    start = resolve(repository, ref or "HEAD").id
    path = dataset_path(tree, repository, start, wanted)
    present = _present(tree, path)
    columns = [(root, column) for root in ROOTS for column in columns_in(present, root)]
    documents = Documents(repository, parse_loosely)
    past = DatasetHistory(
        repository, documents, steps_at(path, history(repository, (start,), under=(path,)))
    )
    origins = Origins(columns)
    try:
        reached = origins.walk(past, present, is_committed=ref is not None)
    finally:
        documents.close()
    found = zip(columns, origins.found, strict=True)
    return BlameReport(
        source=tree.label,
        urn=urn_at(path),
        path=path,
        columns=tuple(_build_column(root, column, origin) for (root, column), origin in found),
        ends_at=ends_at(repository, reached),
    )


def _present(tree: Tree, path: str) -> Document:
    """Read the current snapshot of the dataset; raises where it is invalid."""
    content = tree.files.read(path)
    document = None if content is None else read_fast(content, Snapshot)
    return document_of(tree.snapshot_at(path)) if document is None else document


def _build_column(root: Root, column: HistoryColumn, found: ColumnOrigin) -> BlamedColumn:
    return BlamedColumn(
        path=column.path,
        of=ListWord(root[1]),
        type=_notation(column),
        nullable=column.held.get("nullable"),
        since=_origin(found.since),
        first=_origin(found.first),
        first_path=found.first_path,
    )


def _notation(column: HistoryColumn) -> str:
    known = keys_of(DataType)
    plain = {name: one for name, one in column.held.items() if name in known}
    return format_type(value_of(plain, DataType))


def _origin(mark: HistoryPoint | None) -> Origin:
    if mark is None or mark.commit is None:
        return Origin(certainty=Certainty.NOT_COMMITTED)
    certainty = Certainty.AT_THE_LATEST if mark.commit.is_end else Certainty.EXACT
    return Origin(certainty=certainty, commit=commit_info(mark.commit))

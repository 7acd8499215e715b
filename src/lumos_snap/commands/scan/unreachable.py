"""Sources that the last scans did not reach; a sync consults this list before it deletes.

The file beside the tree can be deleted safely, which loses the list; clones do not have it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import orjson

from lumos_snap.documents.limits import loads, read_file
from lumos_snap.errors import LumosError
from lumos_snap.scan.executors import error_codes
from lumos_snap.tree import Tree
from lumos_snap.tree.writer import state_file

if TYPE_CHECKING:  # the report classes take time to load
    from lumos_snap.report.scan import ScanReport

_NAME = "scan/unreached.json"


def read_unreached(tree: Tree) -> tuple[str, ...]:
    """Names of sources that the last scan did not reach, or only in part.

    Raises where a commit contains this file: a replaced file may have prevented deletions.
    """
    try:
        root = tree.files.folder()
    except LumosError:
        return ()  # a commit or a bare repository has no local state
    place = state_file(root, _NAME)
    try:
        with place.open("rb") as file:
            found = loads(read_file(file))
    except (OSError, orjson.JSONDecodeError):
        return ()
    known = found if isinstance(found, list) else []
    return tuple(sorted(name for name in known if isinstance(name, str)))


def note_unreached(tree: Tree, lost: Iterable[str], looked_at: Iterable[str]) -> None:
    """Update the list of unreached sources; sources outside this scan keep their state."""
    before = read_unreached(tree)
    now = sorted({*before} - {*looked_at} | {*lost})
    if now == list(before):
        return
    with TemporaryDirectory(prefix="lumos-scan-") as folder:
        place = Path(folder, "unreached")
        place.write_bytes(orjson.dumps(now) + b"\n")
        tree.keep(_NAME, place)


def find_unreached(report: "ScanReport") -> Iterator[str]:
    """Sources that a scan did not reach, or only in part."""
    yield from (one.name for one in report.failed)
    yield from (one.source for one in report.bad_files if one.reason == error_codes.UNREACHABLE)
    yield from (one.name for one in report.sources if not one.complete)

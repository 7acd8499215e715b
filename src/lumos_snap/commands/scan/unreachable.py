"""Which sources the last scans did not reach, kept beside the tree for whoever deletes by it.

Safe to delete, and then nobody knows; a clone does not have it.
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

if TYPE_CHECKING:  # the classes of an answer take their time to load
    from lumos_snap.report.scan import ScanReport

_NAME = "scan/unreached.json"


def read_unreached(tree: Tree) -> tuple[str, ...]:
    """The names of sources of which the last scan met nothing, or only a part.

    Raises where a commit has put a file there: what it replaced may have kept data from deletion.
    """
    try:
        root = tree.files.folder()
    except LumosError:
        return ()  # a commit, or a bare repository: there is no state beside it
    place = state_file(root, _NAME)
    try:
        with place.open("rb") as file:
            found = loads(read_file(file))
    except (OSError, orjson.JSONDecodeError):
        return ()
    known = found if isinstance(found, list) else []
    return tuple(sorted(name for name in known if isinstance(name, str)))


def note_unreached(tree: Tree, lost: Iterable[str], looked_at: Iterable[str]) -> None:
    """Note what a scan did not reach; a source that it did not look at stays as it was."""
    before = read_unreached(tree)
    now = sorted({*before} - {*looked_at} | {*lost})
    if now == list(before):
        return
    with TemporaryDirectory(prefix="lumos-scan-") as folder:
        place = Path(folder, "unreached")
        place.write_bytes(orjson.dumps(now) + b"\n")
        tree.keep(_NAME, place)


def find_unreached(report: "ScanReport") -> Iterator[str]:
    """The sources of which a scan met nothing, or only a part."""
    yield from (one.name for one in report.failed)
    yield from (one.source for one in report.bad_files if one.reason == error_codes.UNREACHABLE)
    yield from (one.name for one in report.sources if not one.complete)

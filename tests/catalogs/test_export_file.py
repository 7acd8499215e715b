"""One document as a catalog: all of it is there whatever happens, and it stays an export."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.export_format import (
    SECTIONS,
    ExportStatistics,
    documents_of,
    encode_export,
    iter_export,
)
from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentWrite,
    Identity,
    WriteAction,
    WriteConfirmed,
    WriteRefused,
)
from lumos_snap.catalogs.export_file import ExportFileCatalog, changes_beside
from lumos_snap.commands.import_reader import read_incoming, validate_incoming
from lumos_snap.errors import OutsideError
from lumos_snap.model.export import Export
from lumos_snap.schema import Document
from tests.catalogs.lake import CLICKS, GOLD, lake
from tests.catalogs.world import World
from tests.strategies import LAW
from tests.strategies.datahub import KINDS
from tests.strategies.datahub import documents_of as documents

SECTION = {kind: name for name, kind in SECTIONS.items()}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(ExportFileCatalog("document", tmp_path / "backup.json"), tmp_path)
    world.tree |= lake()
    return world


@LAW
@given(data=st.data())
def test_piece_by_piece_it_is_the_same_document(data: st.DataObject) -> None:
    sections: dict[str, list[Document]] = {}
    count = ExportStatistics()
    for kind in KINDS.values():
        by = itemgetter(kind.identity)
        drawn = data.draw(st.lists(documents(kind), max_size=3, unique_by=by))
        sections[SECTION[kind]] = sorted(drawn, key=by)
    for dataset in sections["datasets"]:
        count.add(dataset)
        count.link(dataset)
    content = b"".join(encode_export(count, sections))
    whole = orjson.loads(content)
    assert encode_document(whole, Export) == content
    assert list(iter_export(content.splitlines(keepends=True))) == list(documents_of(whole))


@pytest.mark.parametrize("end", [20, 200, -3, -10])
def test_a_document_that_is_cut_off_is_no_shorter_document(end: int, world: World) -> None:
    world.push()
    content = (world.folder / "backup.json").read_bytes()[:end]
    with pytest.raises(ValueError, match=r"export|unexpected|char|data"):
        list(iter_export(content.splitlines(keepends=True)))
    (world.folder / "backup.json").write_bytes(content)
    with pytest.raises(OutsideError, match="is no export"):
        list(world.catalog.search(""))


def test_after_a_push_it_is_one_valid_export(world: World) -> None:
    world.push()
    file = world.folder / "backup.json"
    assert not changes_beside(file).exists()
    assert validate_incoming(read_incoming(file)).findings == ()
    assert orjson.loads(file.read_bytes())["statistics"]["datasets"] == 2
    again = [
        one
        for one in ExportFileCatalog("again", file).read(sorted(lake()))
        if isinstance(one, CatalogDocument)
    ]
    assert {one.identity: one.document for one in again} == lake()


def test_what_is_confirmed_and_not_settled_is_there_for_everybody(world: World) -> None:
    file = world.folder / "backup.json"
    for identity, document in lake().items():
        answer = world.catalog.apply(DocumentWrite(identity, WriteAction.CREATE, document))
        assert isinstance(answer, WriteConfirmed)
    assert not file.exists()
    with changes_beside(file).open("ab") as changes:
        changes.write(b'{"of": ["tag", "half')  # a writer was killed
    other = ExportFileCatalog("other", file)
    assert list(other.search("")) == sorted(lake())
    (held,) = other.read([GOLD])
    assert isinstance(held, CatalogDocument)
    gone = other.apply(DocumentWrite(GOLD, WriteAction.DELETE, held.document, held))
    assert isinstance(gone, WriteConfirmed)
    assert list(world.catalog.search("")) == sorted(lake().keys() - {GOLD})
    world.catalog.settle()  # type: ignore[attr-defined]
    assert list(other.search("")) == sorted(lake().keys() - {GOLD})


def test_a_damaged_line_of_changes_is_told(world: World) -> None:
    changes_beside(world.folder / "backup.json").write_bytes(b"nonsense\n")
    with pytest.raises(OutsideError, match=r"backup\.json\.changes: is damaged"):
        list(world.catalog.search(""))


_WRITER = """
import sys
from pathlib import Path
from lumos_snap.catalogs.export_file import ExportFileCatalog
from lumos_snap.catalogs.adapter import DocumentWrite, Identity, WriteAction
from tests.catalogs.lake import snapshot
catalog = ExportFileCatalog("document", Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 100_000):
    one = Identity("snapshot", f"lumos://s3/lake/t{number:06}")
    answer = catalog.apply(DocumentWrite(one, WriteAction.CREATE, snapshot(one)))
    print(type(answer).__name__, number, flush=True)
    if number % 7 == 6:
        catalog.settle()
"""


@pytest.mark.slow
def test_a_writer_that_is_killed_loses_nothing_that_was_confirmed(
    tmp_path: Path, root: Path
) -> None:
    file, confirmed = tmp_path / "backup.json", 0
    for kill in range(6):
        command = [sys.executable, "-c", _WRITER, str(file), str(confirmed + 1000 * kill)]
        with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            until = time.monotonic() + 0.3 + kill / 50
            lines = []
            for line in running.stdout:
                lines.append(line)
                if time.monotonic() > until and len(lines) > 10 + kill:
                    running.kill()
                    break
            with contextlib.suppress(ValueError):
                lines += running.stdout.readlines()
        confirmed += sum(line.startswith("WriteConfirmed ") for line in lines)
        there = list(ExportFileCatalog("again", file).search(""))
        assert len(there) in (confirmed, confirmed + 1)  # one may be stored whose answer was lost
        confirmed = len(there)
    catalog = ExportFileCatalog("again", file)
    catalog.settle()
    assert len(orjson.loads(file.read_bytes())["datasets"]) == confirmed
    assert CLICKS not in catalog.search("")
    assert Identity("snapshot", "lumos://s3/lake/t000000") in catalog.search("")


Damage = Callable[[dict[str, Any]], None]
DAMAGES: dict[str, Damage] = {
    "a key that no dataset has": lambda whole: whole["datasets"][0].update(mine="x"),
    "a schema that is none": lambda whole: whole["datasets"][0].update(schema=5),
    "edges that are none": lambda whole: whole["datasets"][0].update(lineage={"upstream": [5]}),
    "an owner that is nobody": lambda whole: whole["datasets"][0].update(
        ownership={"owners": [{}]}
    ),
    "tags that are none": lambda whole: whole["datasets"][0].update(governance={"tags": [{}]}),
    "a urn that is none": lambda whole: whole["datasets"][0].update(urn=5),
    "a key that no export has": lambda whole: whole.update(mine="x"),
    "another format": lambda whole: whole.update(lumos_version="99.0.0"),
    "no list": lambda whole: whole.update(datasets=None),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("indent", [None, 2])
def test_nothing_is_written_over_what_is_not_understood(
    damage: str, indent: int | None, world: World
) -> None:
    world.push()
    file = world.folder / "backup.json"
    whole = orjson.loads(file.read_bytes())
    DAMAGES[damage](whole)
    file.write_text(json.dumps(whole, indent=indent) + "\n")
    before = file.read_bytes()
    one = Identity("tag", "new")
    change = DocumentWrite(
        one, WriteAction.CREATE, {"lumos_version": "1.0.0", "id": "new", "name": "New"}
    )
    answer = world.catalog.apply(change)
    assert isinstance(answer, WriteRefused), answer
    world.catalog.settle()  # type: ignore[attr-defined]
    assert file.read_bytes() == before
    assert not changes_beside(file).exists()


@pytest.mark.parametrize("line", ['"mine": "x"', '"lumos_version": "99.0.0"'])
def test_nor_where_it_stands_in_the_usual_layout(line: str, world: World) -> None:
    world.push()
    file = world.folder / "backup.json"
    first = file.read_text().splitlines()[1]
    said = f"{first}\n  {line}," if "mine" in line else f"  {line},"
    file.write_text(file.read_text().replace(first, said))
    with pytest.raises(OutsideError, match="is no export"):
        list(world.catalog.search(""))

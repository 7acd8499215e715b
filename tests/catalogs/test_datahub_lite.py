"""A store of DataHub's own, and what may be wrong with its file."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentWrite,
    Identity,
    Unreadable,
    WriteAction,
    WriteConfirmed,
    WriteRefused,
    WriteStale,
)
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_lite import DataHubLiteCatalog
from lumos_snap.errors import OutsideError
from tests.catalogs.contract.subjects import InLite
from tests.catalogs.lake import CLICKS, GOLD, clicks, edited, gold

URN = "urn:li:dataset:(urn:li:dataPlatform:s3,lake/clicks,PROD)"


@pytest.fixture
def lite(tmp_path: Path) -> DataHubLiteCatalog:
    return DataHubLiteCatalog(
        "lite", tmp_path / "lumos/datahub.db", Names(NamingSettings()), patience=0.2
    )


@pytest.fixture
def filled(lite: DataHubLiteCatalog) -> DataHubLiteCatalog:
    for identity, document in ((CLICKS, clicks()), (GOLD, gold())):
        assert isinstance(
            lite.apply(DocumentWrite(identity, WriteAction.CREATE, document)), WriteConfirmed
        )
    return lite


def seen(lite: DataHubLiteCatalog, identity: Identity = CLICKS) -> CatalogDocument:
    (held,) = lite.read([identity])
    assert isinstance(held, CatalogDocument)
    return held


def described(held: CatalogDocument, words: str) -> DocumentWrite:
    document = edited(held.document, documentation={"description": words})
    return DocumentWrite(held.identity, WriteAction.UPDATE, document, held)


def sql(lite: DataHubLiteCatalog, statement: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(lite.file)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def test_a_look_makes_no_file(lite: DataHubLiteCatalog) -> None:
    assert list(lite.read([CLICKS])) == []
    assert list(lite.search("")) == []
    assert not lite.file.parent.exists()


def test_datahub_itself_reads_what_was_written(filled: DataHubLiteCatalog) -> None:
    aspects = InLite(filled.file)._aspects(URN)
    assert [one["fieldPath"] for one in aspects["schemaMetadata"]["fields"]] == ["id"]
    assert aspects["editableDatasetProperties"]["description"] == "As it arrives"
    assert aspects["globalTags"]["tags"][0]["attribution"]["source"] == NamingSettings().source


def test_only_the_aspects_that_change_get_a_new_version(filled: DataHubLiteCatalog) -> None:
    count = "SELECT aspect_name, max(version) FROM metadata_aspect_v2 WHERE urn = ? GROUP BY 1"
    before = dict(sql(filled, count, URN))
    assert set(before.values()) == {1}
    filled.apply(described(seen(filled), "Anew"))
    assert dict(sql(filled, count, URN)) == {**before, "editableDatasetProperties": 2}


def test_what_others_keep_in_an_aspect_stays(filled: DataHubLiteCatalog) -> None:
    aspects = InLite(filled.file)._aspects(URN)
    words = {**aspects["datasetProperties"], "created": {"time": 5}}
    InLite(filled.file).write(URN, {"datasetProperties": words}, "jdoe")
    tags = [*aspects["globalTags"]["tags"], {"tag": "urn:li:tag:theirs", "context": "why"}]
    InLite(filled.file).write(URN, {"globalTags": {"tags": tags}}, "jdoe")
    held = seen(filled)
    governance = {"tags": sorted([*held.document["governance"]["tags"], "ours"])}
    document = edited(held.document, schedule={"cron": "1 * * * *"}, governance=governance)
    assert isinstance(
        filled.apply(DocumentWrite(CLICKS, WriteAction.UPDATE, document, held)), WriteConfirmed
    )
    after = InLite(filled.file)._aspects(URN)
    assert after["datasetProperties"]["created"] == {"time": 5}
    assert {"tag": "urn:li:tag:theirs", "context": "why"} in after["globalTags"]["tags"]
    assert seen(filled).document == document


def test_only_the_items_that_carry_our_mark_are_ours(filled: DataHubLiteCatalog) -> None:
    there = seen(filled).document
    owners = [*there["ownership"]["owners"], {"user": "jdoe"}]
    InLite(filled.file).edit(
        CLICKS, edited(there, governance={"tags": ["raw", "theirs"]}, ownership={"owners": owners})
    )
    assert {place for place in seen(filled).ours if place[0] != "properties"} == {
        ("governance", "tags", ("raw",)),
        ("ownership", "owners", (None, "analytics", "TECHNICAL_OWNER")),
    }


def test_what_this_datahub_does_not_know_is_not_dropped(filled: DataHubLiteCatalog) -> None:
    said = InLite(filled.file)._aspects(URN)["editableDatasetProperties"]
    newer = json.dumps({**said, "mood": {"of": "tomorrow"}})
    sql(
        filled,
        "UPDATE metadata_aspect_v2 SET metadata = ? WHERE urn = ? AND aspect_name = ?",
        *(newer, URN, "editableDatasetProperties"),
    )
    answer = filled.apply(described(seen(filled), "Anew"))
    assert isinstance(answer, WriteRefused)
    assert "does not know" in answer.reason
    assert seen(filled).document["documentation"] == {"description": "As it arrives"}


def test_an_edit_past_the_counters_is_noticed(filled: DataHubLiteCatalog) -> None:
    held = seen(filled)
    sql(
        filled,
        "UPDATE metadata_aspect_v2 SET metadata = replace(metadata, 'As it arrives', 'By hand')",
    )
    assert isinstance(filled.apply(described(held, "Anew")), WriteStale)


def test_a_locked_store_is_busy_and_a_reader_is_told(filled: DataHubLiteCatalog) -> None:
    held = seen(filled)
    with closing(sqlite3.connect(filled.file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        answer = filled.apply(described(held, "Anew"))
        with pytest.raises(OutsideError, match="locked by another program"):
            seen(filled)
        other.execute("ROLLBACK")
    assert isinstance(answer, WriteRefused)
    assert answer.is_busy
    assert isinstance(filled.apply(described(held, "Anew")), WriteConfirmed)


@pytest.mark.parametrize(
    "content", [b"not a database at all, " * 50, b"SQLite format 3\0" + b"x" * 900]
)
def test_a_damaged_file_is_one_clear_error(filled: DataHubLiteCatalog, content: bytes) -> None:
    held = seen(filled)
    filled.file.write_bytes(content)
    for ask in (lambda: list(filled.read([CLICKS])), lambda: list(filled.search(""))):
        with pytest.raises(OutsideError, match="cannot be used as a store"):
            ask()
    answer = filled.apply(described(held, "Anew"))
    assert isinstance(answer, WriteRefused)
    assert not answer.is_busy
    assert filled.file.read_bytes() == content


def test_another_database_is_left_alone(lite: DataHubLiteCatalog) -> None:
    lite.file.parent.mkdir()
    sql(lite, "CREATE TABLE accounts (id)")
    with pytest.raises(OutsideError, match="is no store of DataHub's"):
        list(lite.read([CLICKS]))
    assert isinstance(lite.apply(DocumentWrite(CLICKS, WriteAction.CREATE, clicks())), WriteRefused)
    assert sql(lite, "SELECT name FROM sqlite_master") == [("accounts",)]


def test_a_folder_in_its_place_is_one_clear_error(lite: DataHubLiteCatalog) -> None:
    lite.file.mkdir(parents=True)
    with pytest.raises(OutsideError):
        list(lite.read([CLICKS]))


@pytest.mark.parametrize("said", ["{", "[]", '"text"', '{"tags": 3}', '{"tags": [3]}'])
def test_a_damaged_aspect_is_named_and_the_rest_is_read(
    filled: DataHubLiteCatalog, said: str
) -> None:
    statement = "UPDATE metadata_aspect_v2 SET metadata = ? WHERE aspect_name = 'globalTags'"
    sql(filled, statement, said)
    found = list(filled.read([CLICKS, GOLD]))
    assert [type(one) for one in found] == [Unreadable, CatalogDocument]
    assert URN in getattr(found[0], "reason", "")


def test_two_of_ours_that_would_be_one_there_are_refused() -> None:
    lite = DataHubLiteCatalog(
        "lite", Path("none.db"), Names(NamingSettings(platforms={"s3": "hive"}))
    )
    hive = Identity("snapshot", "lumos://hive/lake/clicks")
    there = {**clicks(), "urn": hive.id, "platform": "hive"}
    refusals = [lite.project(hive, there).refusal, lite.project(CLICKS, clicks()).refusal]
    assert any("stands for" in one for one in refusals)


_WRITER = """
import sys
from pathlib import Path
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub_lite import DataHubLiteCatalog
from lumos_snap.catalogs.adapter import DocumentWrite, WriteAction, WriteConfirmed
from tests.catalogs.lake import CLICKS, edited

urns, me = UrnMapper(NamingSettings()), sys.argv[2]
lite = DataHubLiteCatalog("lite", Path(sys.argv[1]), urns)
passed = 0
while passed < 10:
    (held,) = lite.read([CLICKS])
    tags = sorted({*held.document["governance"]["tags"], f"{me}-{passed}"})
    document = edited(held.document, governance={"tags": tags})
    write = DocumentWrite(CLICKS, WriteAction.UPDATE, document, held)
    passed += isinstance(lite.apply(write), WriteConfirmed)
"""


def test_two_processes_never_both_pass_over_one_version(
    filled: DataHubLiteCatalog, root: Path
) -> None:
    command = [sys.executable, "-c", _WRITER, str(filled.file)]
    running = [subprocess.Popen([*command, me], cwd=root) for me in ("a", "b")]
    assert [one.wait(timeout=60) for one in running] == [0, 0]
    tags = seen(filled).document["governance"]["tags"]
    assert set(tags) == {"raw", *(f"{me}-{number}" for me in "ab" for number in range(10))}

"""A lake is scanned into a tree, again and again."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import fastavro
import pytest

from lumos_snap.report.scan import ScanOutcome, ScanReport
from tests.commands.scan.conftest import Scan
from tests.commands.scan.hostile_files import REAL
from tests.commands.scan.place import Place

pytestmark = pytest.mark.slow


def _outcomes(report: ScanReport) -> dict[str, ScanOutcome]:
    return {one.urn.removeprefix("lumos://file/lake/"): one.outcome for one in report.datasets}


def _days(place: Place, days: Iterable[int]) -> None:
    for day in days:
        place.parquet(f"raw/clicks/2026/01/{day:02d}/part-0.parquet", id=[day], page=["a"])
        place.text(f"raw/orders/dt=2026-01-{day:02d}/part-0.csv", "id,zip\n1,00712\n2,12345\n")
        place.text(f"logs/app-2026-01-{day:02d}.jsonl", '{"a": 1, "b": {"c": [1]}}\n')
    place.text("crm/stores.csv", "id,zip\n1,00712\n")
    place.text("part-0.json", '{"at": "the root"}\n')


def test_a_lake_becomes_a_tree(place: Place, scanned: Scan) -> None:
    _days(place, [1, 2])
    report = scanned()
    assert _outcomes(report) == {
        "raw/clicks": ScanOutcome.ADDED,
        "raw/orders": ScanOutcome.ADDED,
        "logs/app": ScanOutcome.ADDED,
        "crm/stores": ScanOutcome.ADDED,
        "lumos://file/lake": ScanOutcome.ADDED,
    }
    assert place.columns("raw/clicks") == ["id", "page"]
    storage = place.document("raw/clicks")["storage"]
    assert storage["location"] == "file:lake/raw/clicks"
    assert storage["partitioning"][0]["format"] == "yyyy/MM/dd"
    assert place.document("raw/orders")["schema"]["fields"][1]["type"] == "STRING"


def test_a_second_scan_changes_nothing(place: Place, scanned: Scan) -> None:
    _days(place, [1, 2])
    scanned()
    before = place.snapshots()
    report = scanned()
    assert place.snapshots() == before
    assert report.written == ()
    assert report.counts["unchanged"] == 5


def _binary_days(place: Place, days: Iterable[int]) -> None:
    for day in days:
        for ending, content in REAL.items():
            place.text(f"binary/{ending}/2026/01/{day:02d}/part-0.{ending}", content)


def test_data_of_the_same_shape_leaves_git_clean(place: Place, scanned: Scan) -> None:
    _days(place, [1, 2])
    _binary_days(place, [1, 2])
    scanned()
    place.commit("Scan")
    _days(place, range(3, 31))  # more files than a sample holds
    _binary_days(place, [3, 4])
    report = scanned()
    assert place.status() == ""
    assert report.counts["unchanged"] == 5 + len(REAL)
    assert all(path.startswith("observations/") for path in report.written)


def test_only_what_changed_is_written(place: Place, scanned: Scan) -> None:
    _days(place, [1, 2])
    scanned()
    place.commit("Scan")
    place.parquet("raw/clicks/2026/01/03/part-0.parquet", id=[1], page=["a"], ref=["b"])
    report = scanned()
    assert place.status() == " M snapshots/file/lake/raw/clicks.json\n"
    (clicks,) = (one for one in report.datasets if one.outcome is ScanOutcome.CHANGED)
    (note,) = clicks.notes
    assert note == ("ref is missing in 2 files such as raw/clicks/2026/01/01/part-0.parquet")


def test_words_of_people_stay_through_every_change(place: Place, scanned: Scan) -> None:
    _days(place, [1])
    scanned()
    words = {
        "documentation": {
            "description": "Clicks as they arrive",
            "fields": [{"path": "id", "title": "Id"}, {"path": "page", "description": "Where"}],
        },
        "ownership": {"owners": [{"user": "jane.smith"}]},
        "governance": {"domain": "web", "fields": [{"path": "page", "pii": True}]},
        "properties": {"wiki": "https://example.com"},
        "versioning": {"cloud_version": "S-1", "schema_version": "1.0.0"},
    }
    place.edit("raw/clicks", **words)
    place.parquet("raw/clicks/2026/01/01/part-0.parquet", id=["x"], ref=["b"])
    report = scanned()
    document = place.document("raw/clicks")
    assert {name: document[name] for name in words} == words
    assert place.columns("raw/clicks") == ["id", "ref"]
    (clicks,) = (one for one in report.datasets if one.urn.endswith("clicks"))
    assert clicks.notes == (
        "page is gone, and still spoken of in `documentation` and `governance`",
    )


def test_a_flat_folder_of_different_files_is_as_many_datasets(place: Place, scanned: Scan) -> None:
    names = [f"table_{chr(97 + n)}" for n in range(20)]
    for name in names:
        _avro(place.lake / "flat" / f"{name}.avro", name)
    assert len(_outcomes(scanned())) == 20


def test_a_folder_of_part_files_is_one_dataset(place: Place, scanned: Scan) -> None:
    for number in range(20):
        _avro(place.lake / "flat" / f"part-{number:05d}.avro", "clicks")
    assert list(_outcomes(scanned())) == ["flat"]


@pytest.mark.parametrize("name", ["table_{}", "t{}", "{:05d}", "dataset-{}"])
def test_files_that_share_no_columns_are_datasets_of_their_own_whatever_they_are_called(
    place: Place, scanned: Scan, name: str
) -> None:
    for number in range(20):
        _avro(place.lake / f"flat/{name.format(number)}.avro", f"thing_{number}")
    assert len(_outcomes(scanned())) == 20
    before = place.snapshots()
    _avro(place.lake / f"flat/{name.format(20)}.avro", "thing_1")
    after = scanned()
    assert after.counts["added"] == 1
    assert after.counts["unchanged"] == 20
    assert {path: place.snapshots()[path] for path in before} == before
    assert scanned().counts["unchanged"] == 21


def test_files_that_say_part_are_parts_whatever_they_hold(place: Place, scanned: Scan) -> None:
    for number in range(3):
        _avro(place.lake / f"flat/part-{number:05d}.avro", f"thing_{number}")
    (flat,) = scanned().datasets
    assert flat.urn == "lumos://file/lake/flat"
    assert len(flat.notes) == 3


def test_files_that_grew_a_column_stay_one_dataset(place: Place, scanned: Scan) -> None:
    place.parquet("n/part-0.parquet", id=[1], a=[1])
    place.parquet("n/part-1.parquet", id=[1], a=[1], b=[1])
    place.parquet("n/part-2.parquet", id=[1], a=[1], b=[1], c=[1])
    assert list(_outcomes(scanned())) == ["n"]


def _avro(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = [{"name": "id", "type": "long"}, {"name": name, "type": ["null", "string"]}]
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": name, "fields": fields}, [])


def test_a_dataset_whose_files_are_all_bad_keeps_its_snapshot(place: Place, scanned: Scan) -> None:
    _days(place, [1])
    scanned()
    place.commit("Scan")
    place.text("raw/clicks/2026/01/01/part-0.parquet", b"PAR1 and then nothing")
    report = scanned()
    assert place.status() == ""
    assert _outcomes(report)["raw/clicks"] is ScanOutcome.KEPT
    assert [(one.path, one.reason) for one in report.bad_files] == [
        ("raw/clicks/2026/01/01/part-0.parquet", "truncated")
    ]


def test_a_moved_dataset_keeps_its_words(place: Place, scanned: Scan) -> None:
    _days(place, [1])
    scanned()
    place.edit("raw/clicks", documentation={"description": "Clicks"})
    shutil.move(place.lake / "raw/clicks", place.lake / "raw/user_clicks")
    report = scanned()
    assert _outcomes(report) == {
        "raw/clicks": ScanOutcome.VANISHED,
        "raw/user_clicks": ScanOutcome.MOVED,
        "raw/orders": ScanOutcome.UNCHANGED,
        "crm/stores": ScanOutcome.UNCHANGED,
    }
    moved = place.document("raw/user_clicks")
    assert moved["documentation"] == {"description": "Clicks"}
    assert moved["contract"]["renamed_from"] == "lumos://file/lake/raw/clicks"


def test_what_vanished_goes_only_when_asked(place: Place, scanned: Scan) -> None:
    _days(place, [1])
    scanned()
    shutil.rmtree(place.lake / "raw/clicks")
    assert _outcomes(scanned())["raw/clicks"] is ScanOutcome.VANISHED
    assert (place.root / "snapshots/file/lake/raw/clicks.json").exists()
    assert _outcomes(scanned(prune=True, write=False))["raw/clicks"] is ScanOutcome.REMOVED
    assert (place.root / "snapshots/file/lake/raw/clicks.json").exists()
    assert _outcomes(scanned(prune=True))["raw/clicks"] is ScanOutcome.REMOVED
    assert not (place.root / "snapshots/file/lake/raw/clicks.json").exists()
    assert not (place.root / "observations/file/lake/raw/clicks.json").exists()


def test_a_scan_never_removes_many_at_once_unless_told(place: Place, scanned: Scan) -> None:
    for number in range(25):
        place.parquet(f"t/d{chr(97 + number)}/part-0.parquet", id=[1])
    scanned()
    for number in range(21):
        shutil.rmtree(place.lake / f"t/d{chr(97 + number)}")
    report = scanned(prune=True)
    assert report.counts["vanished"] == 21
    assert "at most 20" in report.remarks[0]
    assert len(place.snapshots()) == 25
    assert scanned(prune=True, prune_max=21).counts["removed"] == 21
    assert len(place.snapshots()) == 4


def test_nothing_is_removed_where_nothing_is_met_or_not_all_is_seen(
    place: Place, scanned: Scan
) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    place.parquet("b/part-0.parquet", id=[1])
    scanned()
    shutil.rmtree(place.lake / "a")
    report = scanned(prune=True, only=["*/b"])
    assert report.counts["vanished"] == 0
    assert report.remarks == ("only a part was looked at: nothing is removed",)
    assert scanned(only=["typo"]).remarks == ("no dataset matches typo",)
    shutil.rmtree(place.lake / "b")
    report = scanned(prune=True)
    assert report.counts["vanished"] == 2
    assert "is everything mounted?" in report.remarks[0]
    assert len(place.snapshots()) == 2


def test_guessed_types_only_widen_unless_told(place: Place, scanned: Scan) -> None:
    place.text("n/data.csv", "a,b\n1.5,x\n2.5,y\n")
    scanned()
    place.text("n/data.csv", "a,b\n1,x\n2,y\n")
    scanned()
    assert [one["type"] for one in place.document("n")["schema"]["fields"]] == ["FLOAT64", "STRING"]
    scanned(reinfer=True)
    assert [one["type"] for one in place.document("n")["schema"]["fields"]] == ["INT64", "STRING"]


def test_a_broken_snapshot_is_named_and_left_alone(place: Place, scanned: Scan) -> None:
    _days(place, [1])
    scanned()
    path = place.root / "snapshots/file/lake/raw/clicks.json"
    path.write_text("{ not json")
    report = scanned()
    assert report.broken == ("snapshots/file/lake/raw/clicks.json",)
    assert path.read_text() == "{ not json"
    assert _outcomes(report)["raw/clicks"] is ScanOutcome.KEPT


def test_what_others_measured_stays(place: Place, scanned: Scan) -> None:
    place.parquet("a/part-0.parquet", id=[1, 2])
    scanned()
    path = place.root / "observations/file/lake/a.json"
    text = path.read_text()
    assert '"rows": 2' in text
    path.write_text(text.replace('  "data"', '  "quality": {"score": "0.9"},\n  "data"'))
    place.parquet("a/part-1.parquet", id=[1, 2, 3])
    scanned()
    assert '"rows": 5' in path.read_text()
    assert '"score": "0.9"' in path.read_text()

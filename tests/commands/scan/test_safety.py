"""What a scan must not do: take what is out of sight for gone, or touch what is not its own."""

import os
import shutil
import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lumos_snap.commands.scan import command as flow
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.scan import ScanOutcome, ScanReport
from lumos_snap.scan.executors.pending_files import read_files
from lumos_snap.scan.spark.session import spark_session
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.store import Trouble
from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.conftest import Scan
from tests.commands.scan.place import Place

__all__ = ["lumos"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


def _outcomes(report: ScanReport) -> dict[str, ScanOutcome]:
    return {one.urn.removeprefix("lumos://file/"): one.outcome for one in report.datasets}


def _settings(place: Place, *sources: str) -> None:
    lines = "".join(f"  - {source}\n" for source in sources)
    (place.root / "lumos.yaml").write_text(f"version: 1\nsources:\n{lines}")


def _write(place: Place, path: str, content: str) -> None:
    file = place.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)


def test_sources_must_not_describe_in_each_others_place(place: Place, scanned: Scan) -> None:
    _settings(place, "{name: lake, path: lake}", "{name: raw, path: other, container: lake/raw}")
    with pytest.raises(LumosError, match="both fill file/lake"):
        scanned("lake")


def test_a_folder_of_the_name_of_a_source_is_refused(place: Place, scanned: Scan) -> None:
    _settings(place, "{name: lake, path: lake}")
    (place.root / "backup/lake").mkdir(parents=True)
    with pytest.raises(LumosError, match="two sources are called 'lake'"):
        scanned(str(place.root / "backup/lake"))


def test_a_folder_inside_a_source_is_no_source(place: Place, scanned: Scan) -> None:
    _settings(place, "{name: lake, path: lake}")
    (place.lake / "raw").mkdir()
    with pytest.raises(LumosError, match="lies in the source 'lake'"):
        scanned(str(place.lake / "raw"))


def test_the_guard_against_removing_all_holds_for_each_source(place: Place, scanned: Scan) -> None:
    _settings(place, "{name: a, path: a}", "{name: b, path: b}")
    for name in "ab":
        _write(place, f"{name}/orders/part-0.csv", "id,n\n1,2\n")
    scanned("a", "b")
    shutil.rmtree(place.root / "a/orders")
    report = scanned("a", "b", prune=True)
    assert _outcomes(report)["a/orders"] is ScanOutcome.VANISHED
    why = "a: nothing was met at all: nothing of it is removed; is everything mounted?"
    assert report.remarks[0] == why


def test_what_a_scan_never_made_is_never_gone(place: Place, scanned: Scan) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    scanned()
    view = place.root / "snapshots/file/lake/view.json"
    view.write_text(
        '{"lumos_version": "1.0.0", "urn": "lumos://file/lake/view", "name": "view", '
        '"platform": "file", "kind": "VIEW"}'
    )
    report = scanned(prune=True)
    assert report.counts["vanished"] == report.counts["removed"] == 0
    assert view.exists()


def test_what_cannot_be_listed_is_neither_gone_nor_moved(
    place: Place, scanned: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.parquet("a/orders/part-0.parquet", id=[1], total=[1.5])
    place.parquet("c/part-0.parquet", id=[1])
    scanned()
    place.edit("a/orders", documentation={"description": "mine"})
    place.parquet("b/orders/part-0.parquet", id=[1], total=[1.5])
    real, refused = os.scandir, place.lake / "a"

    def refusing(path: str) -> object:
        if path == str(refused):  # a user who may do everything cannot be refused by the system
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refusing)
    shutil.rmtree(place.lake / "c")
    report = scanned(prune=True)
    assert _outcomes(report) == {
        "lake/b/orders": ScanOutcome.ADDED,
        "lake/c": ScanOutcome.VANISHED,
    }
    assert "not everything could be listed" in report.remarks[0]
    assert [(one.path, one.reason) for one in report.bad_files] == [("a", "unreadable")]


def test_what_is_known_as_one_dataset_stays_one(place: Place, scanned: Scan) -> None:
    place.parquet("x/part-1.parquet", a=[1], b=[1])
    scanned()
    place.parquet("x/part-2.parquet", c=[1], d=[1])
    assert _outcomes(scanned()) == {"lake/x": ScanOutcome.CHANGED}


def test_every_dataset_has_a_urn_of_its_own(place: Place, scanned: Scan) -> None:
    place.parquet("x/t1.parquet", a=[1], b=[1])
    place.text("x/t1.csv", "c,d\n1,2\n")
    place.parquet("x/t2.parquet", e=[1], f=[1])
    place.parquet("x/t2/part-0.parquet", g=[1], h=[1])
    report = scanned()
    urns = [one.urn for one in report.datasets]
    assert len(set(urns)) == len(urns)
    assert scanned().written == ()


def test_while_files_cannot_be_read_their_columns_are_not_gone(place: Place, scanned: Scan) -> None:
    place.parquet("x/part-0.parquet", id=[1])
    place.parquet("x/part-1.parquet", id=[1], page=["a"])
    scanned()
    place.commit("Scan")
    place.text("x/part-1.parquet", b"PAR1 half-written")
    report = scanned()
    assert place.status() == ""
    assert report.datasets[0].notes[0].endswith("what is known of page stays")


def test_what_somebody_changed_meanwhile_is_not_removed(
    place: Place, scanned: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    place.parquet("b/part-0.parquet", id=[1])
    scanned()
    shutil.rmtree(place.lake / "a")
    path = place.root / "snapshots/file/lake/a.json"
    real = flow._write_files

    def editing(*arguments: object) -> object:
        path.write_text(path.read_text() + "\n")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(flow, "_write_files", editing)
    report = scanned(prune=True)
    assert report.left == ("snapshots/file/lake/a.json",)
    assert path.exists()


def test_the_tree_does_not_describe_itself(place: Place, scanned: Scan) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    report = scanned(str(place.root))
    assert _outcomes(report) == {"home/lake/a": ScanOutcome.ADDED}
    again = scanned(str(place.root))
    assert again.written == ()
    assert again.sources[0].passed_over["not data"] == 1


def test_no_link_beside_the_tree_is_followed(place: Place, scanned: Scan) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    victim = place.root / "victim"
    victim.write_text("precious")
    (place.root / ".lumos/scan").mkdir(parents=True)
    (place.root / ".lumos/scan/lake.gz").symlink_to(victim)
    with pytest.raises(OutsideError, match="is a link"):
        scanned()
    assert victim.read_text() == "precious"


def test_a_drift_gate_works_in_a_fresh_clone(place: Place, lumos: Lumos) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    assert lumos("snap", "scan", "lake", "--commit").code == 0
    shutil.rmtree(place.root / ".lumos")
    assert lumos("snap", "scan", "lake", "--check").code == 0
    assert not (place.root / ".lumos").exists()


def test_the_second_night_works_like_the_first(place: Place, lumos: Lumos) -> None:
    nightly = ("snap", "scan", "lake", "--commit", "--branch", "lumos/nightly")
    place.parquet("a/part-0.parquet", id=[1])
    assert lumos(*nightly).code == 0
    for columns in ({"id": [1], "b": [1]}, {"id": [1], "b": [1], "c": [1]}):
        place.git("switch", "-q", "main")
        place.parquet("a/part-0.parquet", **columns)
        assert lumos(*nightly).code == 0
        assert place.git("branch", "--show-current") == "lumos/nightly\n"
    assert len(place.git("log", "--oneline", "main..HEAD").splitlines()) == 3


def test_where_nothing_was_committed_the_branch_of_before_is_back(
    place: Place, lumos: Lumos
) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    assert lumos("snap", "scan", "lake", "--commit").code == 0
    assert lumos("snap", "scan", "lake", "--branch", "other").code == 0
    assert place.git("branch", "--show-current") == "main\n"
    assert place.git("branch", "--list", "other") == ""


def test_credentials_are_never_written(place: Place, scanned: Scan) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    _settings(place, "{name: lake, path: lake, location: 's3://KEY:SECRET@bucket/x'}")
    scanned("lake")
    assert place.document("a")["storage"]["location"] == "s3://bucket/x/a"


def test_the_environment_of_the_settings_reaches_every_snapshot(
    place: Place, scanned: Scan
) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    scanned()
    (place.root / "lumos.yaml").write_text("version: 1\nenvironment: PROD\n")
    scanned()
    assert place.document("a")["environment"] == "PROD"


def test_a_session_that_runs_already_is_never_stopped(spark: SparkSession) -> None:
    settings: dict[str, str] = {}
    seen: list[SparkSession] = []

    def elsewhere() -> None:
        with spark_session(None, master=None, settings=settings, why_not=lambda: None) as found:
            seen.append(found.spark)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(seen) == 1
    assert spark.range(2).count() == 2
    context = spark_session(None, master="local[1]", settings=settings, why_not=lambda: None)
    with pytest.raises(LumosError, match="runs here already"), context:
        pass
    assert spark.range(2).count() == 2


ODD_NAMES = [
    "a b",
    "ü",
    "u\u0308",
    "100%",
    "x\ny",
    "it's",
    "`tick`",
    b"caf\xe9",
    "CON",
    "trailing.",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_become_datasets(place: Place, scanned: Scan, name: str | bytes) -> None:
    raw = name if isinstance(name, bytes) else name.encode()
    folder = os.fsencode(place.lake) + b"/" + raw + b"/k=" + raw
    path = Path(os.fsdecode(folder))
    path.mkdir(parents=True)
    (path / "part-0.csv").write_bytes(b"id,n\n1,2\n")
    report = scanned()
    assert (report.counts["added"], report.bad_files) == (1, ())
    assert scanned().written == ()


def test_links_end_and_count_once(place: Place, scanned: Scan, tmp_path: Path) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    (place.lake / "a/loop").symlink_to(place.lake)
    (place.lake / "b").symlink_to(place.lake / "a")
    (place.lake / "broken.parquet").symlink_to(place.lake / "nowhere")
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(place.lake / "a/part-0.parquet", outside)
    (place.lake / "c").symlink_to(outside)
    os.mkfifo(place.lake / "a/pipe.parquet")
    report = scanned()
    assert set(_outcomes(report)) == {"lake/a", "lake/c"}
    assert report.sources[0].files == 2
    assert [(one.path, one.detail) for one in report.bad_files] == [
        ("broken.parquet", "is a link that leads nowhere")
    ]


def test_a_file_that_vanishes_before_it_is_read_is_named(
    place: Place, scanned: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.parquet("a/part-0.parquet", id=[1])
    place.parquet("a/part-1.parquet", id=[1])
    real = read_files

    def after(*arguments: object) -> object:
        (place.lake / "a/part-1.parquet").unlink()
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("lumos_snap.commands.scan.sources.read_files", after)
    report = scanned()
    assert [(one.path, one.reason) for one in report.bad_files] == [
        ("a/part-1.parquet", "vanished")
    ]
    assert report.counts["added"] == 1


def test_a_folder_that_may_not_be_read_is_named(place: Place) -> None:
    (place.lake / "secret").mkdir()
    (place.lake / "secret").chmod(0)
    for folder in (place.lake, *place.lake.parents[:5]):
        folder.chmod(folder.stat().st_mode | 0o755)
    is_root = os.geteuid() == 0
    try:
        if is_root:
            os.seteuid(65534)  # root may read everything
        found = list(LocalStore(str(place.lake)).entries("", lambda _: True))
    finally:
        if is_root:
            os.seteuid(0)
    assert found == [Trouble("secret", "unreadable", "permission denied", hides=True)]

"""Tables of old or rare writers, as `lumos snap scan` reports them."""

from pathlib import Path

from tests.cli.conftest import Lumos, Ran, lumos
from tests.commands.scan.place import Place
from tests.scan.tables.delta.delta_tables import CREATED, add, checkpoint
from tests.scan.tables.hudi.hudi_tables import (
    META,
    avro,
    data_file,
    instants,
    table,
    write,
    write_bare,
)
from tests.scan.tables.hudi.hudi_tables import field as avro_field
from tests.scan.tables.iceberg.iceberg_tables import field, held, stored, view

__all__ = ["lumos"]


def _scan(lumos: Lumos, *more: str) -> Ran:
    return lumos("snap", "scan", "lake", "--engine", "local", *more)


def _table(place: Place, name: str) -> Path:
    """The folder of a table, with a data file beside its log."""
    return place.parquet(f"{name}/data/part-0.parquet", id=[1]).parent.parent


def test_a_folder_of_a_view_is_a_view(place: Place, lumos: Lumos) -> None:
    stored(place.lake / "eu_orders", view(field(1, "id")), "00001-5f3b.metadata.json")
    assert _scan(lumos, "--strict").code == 0
    document = place.document("eu_orders")
    assert document["kind"] == "VIEW"
    assert document["storage"]["definition"] == "SELECT id FROM t"
    assert place.columns("eu_orders") == ["id"]
    assert lumos("snap", "validate").code == 0
    assert _scan(lumos, "--strict", "--check").code == 0


def test_a_metadata_file_without_a_version_makes_a_table(place: Place, lumos: Lumos) -> None:
    stored(_table(place, "orders"), held(field(1, "number")), "vfinal.metadata.json")
    assert _scan(lumos, "--strict").code == 0
    assert place.columns("orders") == ["number"]
    assert place.document("orders")["storage"]["format"] == "iceberg"


def test_other_json_in_a_folder_called_metadata_is_a_file(place: Place, lumos: Lumos) -> None:
    place.text("orders/metadata/vendors.metadata.json", '{"vendor": "a"}\n')
    assert _scan(lumos, "--strict").code == 0
    (content,) = place.snapshots().values()
    assert b'"format": "json"' in content


def test_a_sidecar_that_is_missing_is_asked_for_again(place: Place, lumos: Lumos) -> None:
    held = {"sidecar": {"path": "gone.parquet", "sizeInBytes": 1, "modificationTime": 0}}
    log = _table(place, "t") / "_delta_log"
    checkpoint(log / f"{4:020}.checkpoint.parquet", *CREATED, held)
    done = _scan(lumos, "--strict")
    assert done.code == 1
    why = "the checkpoint names the sidecar gone.parquet, which is missing"
    assert f"missing: lake: t: _delta_log: {why}" in done.out
    checkpoint(log / "_sidecars/gone.parquet", add("a"))
    assert _scan(lumos, "--strict").code == 0


HUDIS = [one.split()[0] for one in META]


def test_a_hudi_table_may_state_its_columns_in_files_only(place: Place, lumos: Lumos) -> None:
    write_bare(table(place.lake / "trips"), instants(1)[0], "dt=a/f.parquet")
    assert _scan(lumos, "--strict").code == 1
    data_file(place.lake / "trips", "dt=a/f.parquet", "id", "dt")
    assert _scan(lumos, "--strict").code == 0
    assert place.columns("trips") == [*HUDIS, "id", "dt"]
    assert _scan(lumos, "--strict", "--check").code == 0


def test_a_partition_column_that_hudi_drops_from_files(place: Place, lumos: Lumos) -> None:
    drops = {"hoodie__datasource__write__drop__partition__columns": "true"}
    write(table(place.lake / "trips", **drops), instants(1)[0], avro(avro_field("id")))
    assert _scan(lumos, "--strict").code == 0
    assert place.columns("trips") == [*HUDIS, "id", "dt"]
    assert lumos("snap", "validate").code == 0

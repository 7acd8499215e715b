"""A table that a folder and a catalog both lead to is reported, and not judged by its names."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog

from tests.cli.conftest import Lumos, lumos
from tests.commands.scan.place import Place
from tests.scan.sources.conftest import configured

__all__ = ["lumos"]


@pytest.fixture
def both(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A lake with a table that an Iceberg catalog knows, and one that it does not."""
    where = {"uri": f"sqlite:///{tmp_path}/lake.db", "warehouse": f"file://{place.lake}"}
    configured(monkeypatch, tmp_path, "prod", {"type": "sql", **where})
    catalog = load_catalog("prod")
    catalog.create_namespace("sales")
    for name in ("orders", "lines"):
        catalog.create_table(("sales", name), pa.schema([("id", pa.int64())]))
    catalog.close()
    place.parquet("clicks/part-0.parquet", id=[1])
    sources = "\nsources:\n  - {name: lake, path: lake}\n  - {name: prod, path: 'iceberg:prod'}\n"
    settings = place.root / "lumos.yaml"
    settings.write_text(settings.read_text() + sources)
    return place


def test_tables_of_both_are_named(both: Place, lumos: Lumos) -> None:
    ran = lumos("snap", "scan", "--engine", "local", "--json")
    assert ran.code == 0, ran.err
    twice = [one for one in ran.json["remarks"] if "the same data" in one]
    assert twice == [
        f"file/lake/sales/{name} and iceberg/prod/sales/{name} describe the same data: `exclude`"
        " in lumos.yaml leaves it out of the folder's source"
        for name in ("lines", "orders")
    ]
    assert str(both.root) not in " ".join(ran.json["remarks"])


def test_one_source_alone_has_no_duplicates(both: Place, lumos: Lumos) -> None:
    for source in ("lake", "prod"):
        ran = lumos("snap", "scan", source, "--engine", "local", "--json")
        assert not [one for one in ran.json["remarks"] if "the same data" in one]


def test_what_is_left_out_of_the_folder_is_one_dataset(both: Place, lumos: Lumos) -> None:
    settings = both.root / "lumos.yaml"
    settings.write_text(
        settings.read_text().replace("path: lake}", "path: lake, exclude: ['sales/**']}")
    )
    ran = lumos("snap", "scan", "--engine", "local", "--json")
    assert not [one for one in ran.json["remarks"] if "the same data" in one]
    assert ran.json["counts"]["added"] == 3

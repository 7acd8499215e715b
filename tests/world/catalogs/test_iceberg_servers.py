"""Iceberg tables from real servers: the REST catalog of SeaweedFS, and Hive's metastore."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pytest
from pyiceberg.catalog import Catalog, load_catalog

from lumos_snap.errors import OutsideError
from lumos_snap.scan.formats.registry import describe_evidence
from lumos_snap.scan.sources.catalog import CatalogTable, Names
from lumos_snap.scan.sources.iceberg_catalog import IcebergCatalog
from tests.scan.sources.conftest import configured
from tests.world.servers.hive import metastore
from tests.world.servers.iceberg_rest import SECRET, RestCatalog, rest_catalog

pytestmark = [
    pytest.mark.world,
    # What pyiceberg says of the one way to sign in that this server knows.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

ROWS = pa.table({"id": [1, 2], "name": ["a", "b"]})


def all_of(_names: Names) -> bool:
    return True


def ready(name: str) -> list[CatalogTable]:
    found = list(IcebergCatalog(name).tables(all_of))
    assert all(isinstance(one, CatalogTable) for one in found), found
    return [one for one in found if isinstance(one, CatalogTable)]


@pytest.fixture(scope="module")
def server() -> Iterator[RestCatalog]:
    with rest_catalog() as started:
        yield started


@pytest.fixture
def rest(server: RestCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    configured(monkeypatch, tmp_path, "weed", dict(server.properties))
    return load_catalog("weed")


def test_tables_of_a_rest_catalog(rest: Catalog) -> None:
    rest.create_namespace("sales")
    table = rest.create_table("sales.orders", schema=ROWS.schema)
    table.append(ROWS)
    (found,) = ready("weed")
    assert found.names == ("sales", "orders")
    assert found.rows == 2
    assert found.location == table.location()
    assert found.tag == rest.load_table("sales.orders").metadata_location
    assert SECRET not in repr(found)
    fields = describe_evidence(found.format, found.schema).schema.fields
    assert [(one.name, one.type, one.id) for one in fields] == [
        ("id", "INT64", 1),
        ("name", "STRING", 2),
    ]
    assert ready("weed") == [found]


def test_wrong_credentials_of_a_rest_catalog(
    server: RestCatalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**server.properties, "credential": "admin:hunter2"}
    configured(monkeypatch, tmp_path, "wrong", wrong)
    begin = time.monotonic()
    with pytest.raises(OutsideError, match="'wrong' refuses") as caught:
        list(IcebergCatalog("wrong").tables(all_of))
    assert time.monotonic() - begin < 30
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_tables_of_a_hive_metastore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with metastore() as hive:
        properties = {"type": "hive", "uri": hive.uri, "warehouse": f"file://{hive.warehouse}"}
        configured(monkeypatch, tmp_path, "hive", properties)
        catalog = load_catalog("hive")
        catalog.create_namespace("sales")
        names = [f"t{number:02}" for number in range(12)]
        for name in names:
            catalog.create_table(("sales", name), schema=ROWS.schema)
        found = ready("hive")
        assert [one.names for one in found] == [("sales", name) for name in names]
        assert all(json.loads(one.schema) for one in found)
        address = urlsplit(hive.uri)
    with pytest.raises(OutsideError, match="'hive' cannot be read") as caught:
        ready("hive")
    assert str(address.port) in caught.value.message

"""A table is found by the path of its log, and by nothing else."""

import pytest

from lumos_snap.scan.tables.registry import log_of

FOUND = {
    "_delta_log/00000000000000000000.json": ("", "delta"),
    "sales/orders/_delta_log/00000000000000000000.json": ("sales/orders", "delta"),
    "x/_delta_log/_sidecars/a.parquet": ("x", "delta"),
    "x/_delta_log/_commits/00000000000000000001.aaaa.json": ("x", "delta"),
    "x/_delta_log/y/_delta_log/z.json": ("x", "delta"),
    "x/_delta_log/metadata/v1.metadata.json": ("x", "delta"),
    "metadata/v1.metadata.json": ("", "iceberg"),
    "x/metadata/00003-2f0c.metadata.json": ("x", "iceberg"),
    "x/metadata/00003-2f0c.gz.metadata.json": ("x", "iceberg"),
    "x/metadata/v12.metadata.json.gz": ("x", "iceberg"),
    "x/metadata/vfinal.metadata.json": ("x", "iceberg"),
    "x/metadata/vlatest.gz.metadata.json": ("x", "iceberg"),
    "x/metadata/version-hint.text": ("x", "iceberg"),
    "x/metadata/metadata/v1.metadata.json": ("x/metadata", "iceberg"),
    ".hoodie/hoodie.properties": ("", "hudi"),
    "x/.hoodie/20260101000000000.commit": ("x", "hudi"),
    "x/.hoodie/metadata/.hoodie/hoodie.properties": ("x", "hudi"),
    "x/.hoodie/y/_delta_log/00000000000000000000.json": ("x", "hudi"),
    "x/\udcff/_delta_log/00000000000000000000.json": ("x/\udcff", "delta"),
}
NOT_FOUND = (
    "x/metadata/part-0.parquet",
    "x/metadata/data.json",
    "x/metadata/snap-1.avro",
    "x/metadata/orders.metadata.json",
    "x/metadata/vendors.metadata.json",
    "x/metadata/final.metadata.json",
    "x/metadata/v.metadata.json",
    "x/v1.metadata.json",
    "version-hint.text",
    "x/my_delta_log/00000000000000000000.json",
    "x/_delta_logs/00000000000000000000.json",
    "_delta_log",
    "x/.hoodie",
    "x/_delta_log.json",
    "x/metadatas/v1.metadata.json",
    "x/metadata/v1.metadata.json/part-0.json",
)


@pytest.mark.parametrize("path", FOUND)
def test_the_folder_and_the_format_follow_from_the_path(path: str) -> None:
    assert log_of(path) == FOUND[path]


@pytest.mark.parametrize("path", NOT_FOUND)
def test_other_files_belong_to_no_log(path: str) -> None:
    assert log_of(path) is None

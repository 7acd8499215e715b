"""How engines name the files of one table: none of it is a name of its own."""

import pytest

from lumos_snap.scan.grouping.assign import Layout, place_file

UUID = "7f9c24e8-3b12-4a6e-9d5f-0a1b2c3d4e5f"

WRITERS = {
    "spark": f"part-00000-{UUID}-c000.snappy.parquet",
    "spark-gzip": f"part-00012-{UUID}.c000.gz.parquet",
    "spark-csv": f"part-00003-{UUID}-c000.csv.gz",
    "databricks": f"part-00000-tid-8617283940123456789-{UUID}-2-1.c000.snappy.parquet",
    "hadoop-map": "part-m-00000",
    "hadoop-reduce": "part-r-00012.gz",
    "hadoop-avro": "part-r-00000.avro",
    "hadoop-attempt": "attempt_202401150000_0001_m_000000_0.orc",
    "hadoop-task": "task_202401150000_0001_r_000003",
    "hive": "000000_0",
    "hive-copy": "000000_0_copy_1.gz",
    "snowflake": "data_0_0_0.snappy.parquet",
    "snowflake-query": "data_01a2b3c4-0000-1111-2222-0123456789ab_006_4_0.csv.gz",
    "glue": "run-1705312800000-part-block-0-r-00000-snappy.parquet",
    "glue-unnamed": "run-unnamed-1-part-block-0-0-r-00000-snappy.parquet",
    "trino": f"20231212_101112_00012_abcde_{UUID}",
    "athena": f"20240115_101112_00003_x7y9z_{UUID}.gz",
    "athena-result": f"{UUID}.csv",
    "bigquery": "000000000012.csv.gz",
    "kafka-connect": "clicks+0+0000001000.avro",
    "kafka-connect-named": "clicks+12+0000999000.snappy.parquet",
    "delta": f"part-00000-{UUID}.c000.snappy.parquet",
    "iceberg": f"00000-0-{UUID}-00001.parquet",
    "hudi": f"{UUID.replace('-', '')}-0_0-21-26_20240115101112.parquet",
    "flink": f"part-{UUID}-0",
    "flink-old": "part-0-17",
    "duckdb": "data_0.parquet",
    "duckdb-uuid": f"data_{UUID}.parquet",
    "polars": "00000000.parquet",
    "dask": "part.0.parquet",
    "pyarrow": "part-0.parquet",
    "pyarrow-uuid": f"{UUID.replace('-', '')}-0.parquet",
    "firehose": f"clicks-1-2024-01-15-10-00-00-{UUID}",
    "impala": "8f4f9d2b5b6c4b6c-a8c1f3e400000000_1234567890_data.0.parq",
    "redshift": "0000_part_00.gz",
    "redshift-parquet": "0012_part_03.parquet",
    "dms": "LOAD00000001.csv",
    "dms-change": "20240115-101112123.csv",
    "beam": "output-00000-of-00010.csv",
    "flume": "FlumeData.1705312800000",
    "airbyte": "2024_01_15_1705312800000_0.parquet",
    "azure-monitor": "PT1H.json",
    "ulid": "01HM7Z4Q9V8X2N3B5C6D7E8F9G.json",
    "base64": "aGVsbG8xMjM0NTY3OD.json",
    "sha1": "da39a3ee5e6b4b0d3255bfef95601890afd80709.json",
    "timestamp": "2024-01-15T10:00:00.123Z.json",
    "epoch": "1705312800.json",
    "copy-of-a-browser": "export (3).csv",
}


@pytest.mark.parametrize("name", WRITERS.values(), ids=WRITERS.keys())
def test_a_file_of_a_writer_belongs_to_its_folder(name: str) -> None:
    placed = place_file(f"raw/clicks/2024/01/15/{name}", Layout())
    assert (placed.names, placed.folder, placed.files) == (("raw", "clicks"), "raw/clicks", None)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("orders-000000000012.json", "orders"),
        ("clicks+0+0000001000.avro", "clicks"),
        (f"clicks-1-2024-01-15-10-00-00-{UUID}", "clicks"),
        ("train-00000-of-00010.parquet", "train"),
        ("clicks_20240115_101112.csv", "clicks"),
        ("clicks20240115.csv", "clicks"),
        ("clicks-2024W03.csv", "clicks"),
        ("15Jan2024 sales.csv", "sales"),
        ("sales_jan_2024.csv", "sales"),
        ("sales_jan.csv", "sales_jan"),
        ("clicks_part_3_of_5.csv", "clicks"),
        ("clicks_part3.csv", "clicks"),
        ("spare_part.csv", "spare_part"),
        ("clicks-snappy.parquet", "clicks"),
        ("user_data.csv", "user_data"),
        ("sales-2024_eu.csv", "sales_eu"),
        ("sales - eu.csv", "sales - eu"),
        ("clicks20240115eu.csv", "clicks_eu"),
        ("my.table.v1.csv", "my.table.v1"),
        ("orders.csv.2024-01-15", "orders"),
        ("orders.csv.v2", "orders.v2"),
        ("img1234567.csv", "img1234567"),
        ("img12345678.csv", "img"),
        ("clicks_m_1.csv", "clicks_m"),
        ("csv.csv", "csv"),
        ("s3.csv", "s3"),
        ("iso27001.csv", "iso27001"),
        # Numbers of titles, which people search for; series end with their number.
        ("Budget 2026 (final) v2.csv", "Budget 2026 (final) v2"),
        ("ISO 3166 codes.csv", "ISO 3166 codes"),
        ("Covid-19 cases.csv.gz", "Covid-19 cases"),
        ("Top 10 customers.csv", "Top 10 customers"),
        ("Sales 2025.csv", "Sales"),
        ("orders (1).csv", "orders"),
        ("clicks part 1 of 3.csv", "clicks"),
        ("15 Jan 2024 sales.csv", "sales"),
        ("sales 2024 01 15 eu.csv", "sales eu"),
        ("orders 0012 eu.csv", "orders eu"),
        ("sales 12345 eu.csv", "sales eu"),
        ("Report (draft) 7.csv", "Report (draft)"),
        ("Report 2026-01-15 (draft).csv", "Report (draft)"),
        ("orders (eu.csv", "orders (eu"),
        ("٣.csv", "٣"),
        ("facade.csv", "facade"),
        ("deadbeef.csv", "deadbeef"),
        ("part\ud800.csv", "part\ud800"),
    ],
)
def test_what_numbers_no_part_is_a_name(name: str, own: str) -> None:
    assert place_file(f"lake/{name}", Layout()).names == ("lake", own)

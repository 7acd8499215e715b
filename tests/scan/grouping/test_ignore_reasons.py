"""Files that never are data, and what extensions promise."""

import pytest

from lumos_snap.scan.grouping.extensions import suffixes_of
from lumos_snap.scan.grouping.include_exclude import ignore_reason

IGNORED = {
    "hidden": ["_SUCCESS", "_committed_123", "a/_temporary/0/x.csv", ".hidden", "a/.b/c", ".a=1/x",
               "_delta_log/00.json", "a/_x", ".a=1", "b/.a=1"],
    "unfinished": ["a.tmp", "a.TEMP", "a.csv.inprogress", "a.part", "a._COPYING_", "b.tmp/a.csv"],
    "checksum": ["a.crc", "a.csv.md5", "a.sha256"],
    "not data": ["README.md", "a.rst", "a.html", "a.pdf", "a.PNG", "a.py", "a.sql", "a.sh", "a.log",
                 "a.log.gz", "a.yaml", "a.yml", "a.toml", "a.ini", "a.xml", "a.zip", "a.tar",
                 "a.tar.gz", "a.tgz", "a.jar", "a.so", "a.ipynb", "a.lock", "x/a.csv.metadata"],
    "left over by an editor or a desktop": ["a.csv~", "a.swp", "Thumbs.db", "a.csv.bak"],
    "marks a folder": ["raw_$folder$"],
}  # fmt: skip
DATA = [
    "a.csv", "a", "part-0", "000000_0", "a.parquet.gz", "_date=2024/x.csv", "log", "md/a.csv",
    "x.zip/a.csv", "site.html/", "zip", "index", "a.b=c/x", "", "a/", "tmp/a.csv", "a.gz", "gz",
    "_a=b.csv", "a.crc/x.csv", "log.gz", "part.0", "_=1/x",
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "why"), [(path, why) for why, paths in IGNORED.items() for path in paths]
)
def test_what_never_is_data_is_left_out_with_a_reason(path: str, why: str) -> None:
    assert ignore_reason(path) == why


@pytest.mark.parametrize("path", DATA)
def test_what_may_be_data_is_kept(path: str) -> None:
    assert ignore_reason(path) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.parquet", ("parquet", "")),
        ("a.PQ", ("parquet", "")),
        ("a.parq", ("parquet", "")),
        ("part-0.snappy.parquet", ("parquet", "")),
        ("part-0.c000.gz.parquet", ("parquet", "")),
        ("a.parquet.gz", ("parquet", "gz")),
        ("a.orc", ("orc", "")),
        ("a.avro", ("avro", "")),
        ("a.arrow", ("arrow", "")),
        ("a.arrows", ("arrow", "")),
        ("a.feather", ("arrow", "")),
        ("a.ipc", ("arrow", "")),
        ("a.csv", ("csv", "")),
        ("a.csv.gz", ("csv", "gz")),
        ("a.csv.GZIP", ("csv", "gz")),
        ("a.tsv.bz2", ("tsv", "bz2")),
        ("a.json.zstd", ("json", "zst")),
        ("a.jsonl.xz", ("json", "xz")),
        ("a.ndjson.lz4", ("json", "lz4")),
        ("a.geojson", ("json", "")),
        ("a.txt.deflate", ("", "deflate")),
        ("a.gz", ("", "gz")),
        ("a.json.part-0.gz", ("", "gz")),
        ("a", ("", "")),
        ("csv", ("", "")),
        ("gz", ("", "")),
        ("csv.gz", ("", "gz")),
        ("a.snappy", ("", "snappy")),
        ("a.xlsx", ("", "")),
        ("", ("", "")),
    ],
)
def test_the_end_of_a_name_promises_a_format(name: str, expected: tuple[str, str]) -> None:
    assert suffixes_of(name) == expected

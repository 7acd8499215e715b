"""Partition columns of a dataset: order, types, ranges and paths."""

from copy import deepcopy
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.model.observation import PartitionRange
from lumos_snap.model.snapshot import Partition
from lumos_snap.model.types import Kind
from lumos_snap.scan.grouping.assign import Layout, place_file
from lumos_snap.scan.grouping.partitions import Partitions
from lumos_snap.scan.grouping.templates import parse_template
from tests.scan.grouping.partition_path import build_partition_path

MOMENT = datetime(2024, 1, 6, 7, 8, tzinfo=UTC)
NULL = "__HIVE_DEFAULT_PARTITION__"


def _gathered(folders, layout: Layout | None = None) -> Partitions:
    gathered = Partitions()
    for folder in folders:
        gathered.add(place_file(f"{folder}/part-0", layout or Layout()).partitions)
    return gathered


TYPES = [
    # folders, type, format, first, last, count
    (["a=1", "a=10", "a=9"], "INT32", None, "1", "10", 3),
    (["a=-1", "a=0"], "INT32", None, "-1", "0", 2),
    (["a=2147483647"], "INT32", None, "2147483647", "2147483647", 1),
    (["a=2147483648", "a=1"], "INT64", None, "1", "2147483648", 2),
    (["a=9223372036854775807"], "INT64", None, "9223372036854775807", "9223372036854775807", 1),
    (["a=9223372036854775808"], "STRING", None, None, None, 1),
    (["a=" + "9" * 5000], "STRING", None, None, None, 1),
    (["a=-9223372036854775808"], "INT64", None, "-9223372036854775808",
     "-9223372036854775808", 1),
    (["a=007", "a=8"], "STRING", None, None, None, 2),
    (["a=-0"], "STRING", None, None, None, 1),
    (["a=1.5"], "STRING", None, None, None, 1),
    (["a=true"], "STRING", None, None, None, 1),
    (["a=1", "a=x"], "STRING", None, None, None, 2),
    (["a=\u0661"], "STRING", None, None, None, 1),
    ([f"a={NULL}"], "STRING", None, None, None, 0),
    (["a="], "STRING", None, None, None, 0),
    ([f"a={NULL}", "a=1"], "INT32", None, "1", "1", 1),
    ([f"a={NULL}", "a=2024-01-15"], "DATE", "yyyy-MM-dd", "2024-01-15", "2024-01-15", 1),
    (["a=2024-02-01", "a=2024-01-31"], "DATE", "yyyy-MM-dd", "2024-01-31", "2024-02-01", 2),
    (["dt=20240115"], "DATE", "yyyyMMdd", "20240115", "20240115", 1),
    (["dt=20240115", "dt=20240230"], "INT32", None, "20240115", "20240230", 2),
    (["dt=2024-01-15", "dt=20240115"], "STRING", None, None, None, 2),
    (["dt=2024-01-15", "dt=latest"], "STRING", None, None, None, 2),
    (["a=2024-01-15 10%3A00%3A00"], "TIMESTAMP", "yyyy-MM-dd HH:mm:ss", "2024-01-15 10:00:00",
     "2024-01-15 10:00:00", 1),
    (["year=2024", "year=2023"], "INT32", "yyyy", "2023", "2024", 2),
    (["year=24"], "INT32", None, "24", "24", 1),
    (["month=01", "month=12"], "INT32", "MM", "01", "12", 2),
    (["month=1", "month=12"], "INT32", None, "1", "12", 2),
    (["month=01", "month=2"], "INT32", None, "01", "2", 2),
    (["month=01", "month=13"], "STRING", None, None, None, 2),
    (["hour=00", "hour=23"], "INT32", "HH", "00", "23", 2),
    (["month=2024-01"], "STRING", "yyyy-MM", "2024-01", "2024-01", 1),
    (["month=202401"], "INT32", "yyyyMM", "202401", "202401", 1),
    (["2024/01/15", "2023/12/31"], "DATE", "yyyy/MM/dd", "2023/12/31", "2024/01/15", 2),
    (["2024/9/30", "2024/10/1"], "DATE", "yyyy/M/d", "2024/9/30", "2024/10/1", 2),
    (["2024/9/1", "2024/10/15"], "DATE", "yyyy/M/d", "2024/9/1", "2024/10/15", 2),
    (["2024/9/1", "2024/09/02"], "STRING", None, None, None, 2),
    (["2024/01/15/10"], "TIMESTAMP", "yyyy/MM/dd/HH", "2024/01/15/10", "2024/01/15/10", 1),
    (["2024/01"], "STRING", "yyyy/MM", "2024/01", "2024/01", 1),
    (["2024"], "INT32", "yyyy", "2024", "2024", 1),
    (["dt-20240115"], "DATE", "'dt-'yyyyMMdd", "dt-20240115", "dt-20240115", 1),
]  # fmt: skip


@pytest.mark.parametrize(("folders", "kind", "form", "first", "last", "count"), TYPES)
def test_a_column_has_the_type_of_all_its_values(folders, kind, form, first, last, count) -> None:
    gathered = _gathered(folders)
    (partition,), (reach,) = gathered.partitioning(), gathered.ranges()
    style = "hive" if "=" in folders[0] else "path"
    assert (partition.type, partition.format, partition.style) == (kind, form, style)
    assert partition.inferred
    assert reach == PartitionRange(name=partition.name, first=first, last=last, count=count)


def test_dates_in_several_formats_are_noted() -> None:
    gathered = _gathered(["dt=2024-01-15", "dt=20240115"])
    assert gathered.notes() == ("dt: written in several ways: yyyy-MM-dd, yyyyMMdd",)
    assert _gathered(["dt=2024-01-15", "dt=2024-01-16"]).notes() == ()


@pytest.mark.parametrize(
    ("folders", "order"),
    [
        (["a=1/b=2/c=3"], "abc"),
        (["b=1", "a=1/b=2"], "ab"),
        (["a=1/z=1", "z=1/c=1"], "azc"),
        (["b=1", "a=1"], "ab"),
        (["a=1/b=1", "b=1/a=1"], "ab"),
        (["", "a=1"], "a"),
        (["z=1", "x=1/a=1"], "xza"),
        (["z=1", "x=1/a=1", "a=1/q=1"], "xzaq"),
        ([""], ""),
    ],
)
def test_columns_stand_outermost_first(folders, order) -> None:
    names = [partition.name for partition in _gathered(folders).partitioning()]
    assert names == list(order)
    assert names == [p.name for p in _gathered(reversed(folders)).partitioning()]


def test_columns_that_some_files_lack_are_kept() -> None:
    gathered = _gathered(["", "region=eu/2024/01/15", "region=eu"])
    assert [p.name for p in gathered.partitioning()] == ["region", "day"]


def test_a_column_that_stands_in_two_ways_has_no_style() -> None:
    (day,) = _gathered(["day=2024-01-15", "2024-01-16"]).partitioning()
    assert (day.style, day.type, day.format) == (None, Kind.DATE, "yyyy-MM-dd")


def test_a_column_in_file_names_has_no_style_and_no_path() -> None:
    gathered = Partitions()
    layout = Layout(templates=(parse_template("/{dataset}_{d:yyyyMMdd}.csv"),))
    gathered.add(place_file("o_20240115.csv", layout).partitions)
    (column,) = gathered.partitioning()
    assert column == Partition(name="d", type=Kind.DATE, format="yyyyMMdd", inferred=True)
    assert build_partition_path([column], MOMENT) is None


folders = st.lists(
    st.sampled_from(
        ["", "2024/01/15", "2024/9/1", "2024/01", "dt=2024-01-15", "dt=20240115", f"dt={NULL}",
         "a=1/b=2", "b=2/a=1", "a=x", "a=007", "b=3", "month=01", "month=1", "a=1/2024-01-15/10"]
    ),
    max_size=6,
)  # fmt: skip


def _merged(*parts: Partitions) -> Partitions:
    merged = Partitions()
    for part in parts:
        merged.merge(deepcopy(part))
    return merged


def _shown(gathered: Partitions):
    return gathered.partitioning(), gathered.ranges(), gathered.notes()


@given(folders, folders, folders)
def test_gathering_in_any_parts_and_order_is_the_same(one, two, three) -> None:
    a, b, c = _gathered(one), _gathered(two), _gathered(three)
    whole = _gathered([*one, *two, *three])
    for merged in (_merged(a, b, c), _merged(c, a, b), _merged(a, _merged(b, c))):
        assert merged == whole
        assert _shown(merged) == _shown(whole)
    assert _merged(whole, whole, a) == whole


@given(folders)
def test_merging_leaves_the_other_one_as_it_was(many) -> None:
    gathered, other = Partitions(), _gathered(many)
    gathered.merge(other)
    gathered.add(place_file("a=new/dt=new/b=new/part-0", Layout()).partitions)
    assert other == _gathered(many)


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("year=2023/month=12/day=31", "year=2024/month=01/day=06"),
        ("year=2023/month=12/day=31/hour=23", "year=2024/month=01/day=06/hour=07"),
        ("2023/12/31", "2024/01/06"),
        ("2023/9/30", "2024/1/6"),
        ("2023/12/31/23", "2024/01/06/07"),
        ("dt=20231231", "dt=20240106"),
        ("dt=2023-12-31/23", "dt=2024-01-06/07"),
        ("dt-20231231", "dt-20240106"),
        ("2023-12-31T23", "2024-01-06T07"),
        ("my day=2023-12-31", "my day=2024-01-06"),
        ("at=2023-12-31 23%3A59%3A00.000001", "at=2024-01-06 07%3A08%3A00.000000"),
        ("at=2023-12-31 23%3A59%3A00", "at=2024-01-06 07%3A08%3A00"),
        ("y=2023/m=12/d=31/h=23/m=59", None),
        ("year=2023/month=1", None),
        ("region=eu/2023/12/31", None),
        ("region=eu", None),
        ("", None),
    ],
)
def test_the_path_of_a_moment_follows_from_the_columns(folder: str, path: str | None) -> None:
    partitioning = _gathered([folder]).partitioning()
    assert build_partition_path(partitioning, MOMENT) == path


@given(st.builds(datetime.combine, st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.times()))
def test_a_written_path_is_read_as_it_was_meant(moment: datetime) -> None:
    for folder in ("2023/12/31/23", "dt=20231231", "y=2023/m=12/d=31/h=01", "dt-2023-12-31"):
        partitioning = _gathered([folder]).partitioning()
        written = build_partition_path(partitioning, moment)
        assert written is not None
        assert _gathered([written]).partitioning() == partitioning

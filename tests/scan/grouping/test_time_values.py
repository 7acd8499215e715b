"""The time of a partition: which folders hold the newest data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.scan.grouping.assign import Layout, place_file
from lumos_snap.scan.grouping.templates import parse_template
from lumos_snap.scan.grouping.time_values import TimeValue, format_time, take_newest

TIMES: list[tuple[str, TimeValue]] = [
    ("orders/dt=2026-01-02/part-0.parquet", (2026, 1, 2)),
    ("orders/dt=20260102/part-0.parquet", (2026, 1, 2)),
    ("orders/month=2026-01/part-0.parquet", (2026, 1)),
    ("orders/year=2026/part-0.parquet", (2026,)),
    ("orders/year=2026/month=01/day=02/part-0.parquet", (2026, 1, 2)),
    ("orders/year=2026/month=1/day=2/hour=7/part-0.parquet", (2026, 1, 2, 7)),
    ("orders/2026/01/02/part-0.parquet", (2026, 1, 2)),
    ("orders/2026/1/2/part-0.parquet", (2026, 1, 2)),
    ("orders/2026-01-02/part-0.parquet", (2026, 1, 2)),
    ("orders/dt-2026-01-02/07/part-0.parquet", (2026, 1, 2, 7)),
    ("orders/dt=2026-01-02/hour=07/part-0.parquet", (2026, 1, 2, 7)),
    ("orders/ts=2026-01-02 07%3A30%3A00/part-0.parquet", (2026, 1, 2, 7, 30, 0)),
    # Other columns play no part, wherever they stand.
    ("orders/country=DE/dt=2026-01-02/part-0.parquet", (2026, 1, 2)),
    ("orders/dt=2026-01-02/country=DE/batch=7/part-0.parquet", (2026, 1, 2)),
    ("orders/hour=07/dt=2026-01-02/part-0.parquet", (2026, 1, 2, 7)),
    # The finest of several dates counts, or else the outermost.
    ("orders/year=2026/dt=2026-01-02/part-0.parquet", (2026, 1, 2)),
    ("orders/event_date=2026-01-02/load_date=2026-03-04/part-0.parquet", (2026, 1, 2)),
    # Without a year, or with a gap, nothing is known.
    ("orders/month=01/day=02/part-0.parquet", ()),
    ("orders/year=2026/day=02/part-0.parquet", (2026,)),
    ("orders/batch=7/part-0.parquet", ()),
    ("orders/part-0.parquet", ()),
    ("orders/dt=__HIVE_DEFAULT_PARTITION__/part-0.parquet", ()),
    ("orders/dt=latest/part-0.parquet", ()),
    ("orders/dt=9999-12-31/part-0.parquet", ()),
    ("orders/month=13/part-0.parquet", ()),
]


@pytest.mark.parametrize(("path", "time"), TIMES)
def test_the_time_of_a_path(path: str, time: TimeValue) -> None:
    assert place_file(path, Layout()).time == time


def test_the_time_of_a_template_s_file() -> None:
    layout = Layout(templates=(parse_template("/orders/{dataset}_{date:yyyyMMdd}.csv"),))
    assert place_file("orders/sales_20260102.csv", layout).time == (2026, 1, 2)


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ((2026,), "2026"),
        ((2026, 1), "2026-01"),
        ((2026, 1, 2), "2026-01-02"),
        ((2026, 1, 2, 7), "2026-01-02T07"),
        ((2026, 1, 2, 7, 30, 5), "2026-01-02T07:30:05"),
        ((), ""),
    ],
)
def test_the_text_of_a_time(time: TimeValue, text: str) -> None:
    assert format_time(time) == text


@given(
    st.lists(st.tuples(st.integers(2000, 2003), st.integers(1, 12)) | st.just(())),
    st.integers(1, 4),
    st.integers(0, 9),
)
def test_the_newest_can_be_taken_in_parts(times: list[TimeValue], count: int, cut: int) -> None:
    parts = (*take_newest(times[:cut], count), *take_newest(times[cut:], count))
    assert take_newest(parts, count) == take_newest(times, count)
    assert take_newest(times, count) == tuple(sorted({*times} - {()}, reverse=True)[:count])

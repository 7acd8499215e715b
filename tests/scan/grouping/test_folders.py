"""Which folders are partitions, and how their values are written."""

import pytest

from lumos_snap.scan.grouping.folders import read_folder

READINGS = [
    # hive
    ("dt=2024-01-15", "dt=2024-01-15:yyyy-MM-dd"),
    ("DT=20240115", "DT=20240115:yyyyMMdd"),
    ("event_date=20240115", "event_date=20240115:yyyyMMdd"),
    ("eventDate=20240115", "eventDate=20240115:yyyyMMdd"),
    ("shop=20240115", "shop=20240115"),
    ("plan_d=20240115", "plan_d=20240115"),
    ("d=20240115", "d=20240115:yyyyMMdd"),
    ("shop=2024", "shop=2024"),
    ("shop=2024-01", "shop=2024-01"),
    ("month=2024-01", "month=2024-01:yyyy-MM"),
    ("week=202403", "week=202403"),
    ("month=202401", "month=202401:yyyyMM"),
    ("dt=20240230", "dt=20240230"),
    ("dt=2024-02-30", "dt=2024-02-30"),
    ("year=0001", "year=0001"),
    ("year=2024/month=13", "year=2024:yyyy month=13"),
    ("year=2024/month=1", "year=2024:yyyy month=1"),
    ("y=2024/m=01/d=15/h=10/m=00", "y=2024:yyyy m=01:MM d=15:dd h=10:HH m_2=00:mm"),
    ("at=2024-01-15 10%3A30%3A00", "at=2024-01-15 10:30:00:yyyy-MM-dd HH:mm:ss"),
    ("at=2024-01-15T10", "at=2024-01-15T10:yyyy-MM-dd'T'HH"),
    ("a%20b=c%2Fd", "a b=c/d"),
    ("a=b=c", "a=b=c"),
    ("a=%zz%4", "a=%zz%4"),
    ("a=%FF", "a=\udcff"),
    ("a=", "a="),
    ("_date=2024-01-15", "_date=2024-01-15:yyyy-MM-dd"),
    ("dt=1/dt=2/dt=3", "dt=1 dt_2=2 dt_3=3"),
    # bare dates
    ("2024", "year=2024:yyyy"),
    ("1899", ""),
    ("2101", ""),
    ("2024/01/15/10/30", "minute=2024/01/15/10/30:yyyy/MM/dd/HH/mm"),
    ("2024/01/15/10/99", "hour=2024/01/15/10:yyyy/MM/dd/HH"),
    ("2024/01/15/45", "day=2024/01/15:yyyy/MM/dd"),
    ("2024/02/30", ""),
    ("2024/9/30", "day=2024/9/30:yyyy/M/d"),
    ("2024/10/3", "day=2024/10/3:yyyy/M/d"),
    ("2024/9/03", "day=2024/9/03:yyyy/M/dd"),
    ("2024/0/1", ""),
    ("2024/13", ""),
    ("2024/13/45", ""),
    ("2024/02/29", "day=2024/02/29:yyyy/MM/dd"),
    ("2023/02/29", ""),
    ("202401", "month=202401:yyyyMM"),
    ("205501", ""),
    ("195501", ""),
    ("202413", ""),
    ("2024_01_15", "day=2024_01_15:yyyy_MM_dd"),
    ("2024-01-15-10", "hour=2024-01-15-10:yyyy-MM-dd-HH"),
    ("2024011510", "hour=2024011510:yyyyMMddHH"),
    ("2024-01-15T10:30:00Z", "second=2024-01-15T10:30:00Z:yyyy-MM-dd'T'HH:mm:ss'Z'"),
    ("2024-01-15T25", ""),
    ("20240115/07", "hour=20240115/07:yyyyMMdd/HH"),
    ("2024/2024-01-15", "year=2024:yyyy day=2024-01-15:yyyy-MM-dd"),
    ("2024/01/15/a/2024/01/16", "day=2024/01/15:yyyy/MM/dd day_2=2024/01/16:yyyy/MM/dd"),
    ("01", ""),
    ("01/15", ""),
    ("2024\n", ""),
    ("\uff12\uff10\uff12\uff14", ""),
    # behind a word
    ("dt-20240115", "dt=dt-20240115:'dt-'yyyyMMdd"),
    ("day_2024-01-15", "day=day_2024-01-15:'day_'yyyy-MM-dd"),
    ("year-2024/month-01", "year=year-2024:'year-'yyyy month=month-01:'month-'MM"),
    ("2024-01/day-15", "month=2024-01:yyyy-MM day=day-15:'day-'dd"),
    ("y-2024/m-01/d-15", "y=y-2024:'y-'yyyy m=m-01:'m-'MM d=d-15:'d-'dd"),
    ("d-2024-01-15/h-10/m-30", "d=d-2024-01-15:'d-'yyyy-MM-dd h=h-10:'h-'HH m=m-30:'m-'mm"),
    ("m-01", ""),
    ("version-2024", ""),
    ("dt-20240230", ""),
    ("month-13", ""),
    # what goes on with a date
    ("dt=2024-01-15/10/30", "dt=2024-01-15:yyyy-MM-dd hour=10:HH minute=30:mm"),
    ("year=2024/01/15", "year=2024:yyyy month=01:MM day=15:dd"),
    ("dt=1/10", "dt=1"),
    ("dt=2024-01-15/24", "dt=2024-01-15:yyyy-MM-dd"),
]  # fmt: skip


@pytest.mark.parametrize(("folder", "expected"), READINGS, ids=ascii)
def test_partitions_are_read_from_folders(folder: str, expected: str) -> None:
    values = read_folder(folder).partitions
    shown = [f"{v.name}={v.value}" + (f":{v.format}" if v.format else "") for v in values]
    assert " ".join(shown) == expected


@pytest.mark.parametrize(
    ("folder", "kind", "style"),
    [
        ("2024/01/15", "date", "path"),
        ("2024", "part", "path"),
        ("dt=2024-01-15", "date", "hive"),
        ("month=01", "part", "hive"),
        ("month=1", "value", "hive"),
        ("a=__HIVE_DEFAULT_PARTITION__", "null", "hive"),
        ("a=", "null", "hive"),
    ],
)
def test_a_value_says_what_it_is(folder: str, kind: str, style: str) -> None:
    (value,) = read_folder(folder).partitions
    assert (value.kind, value.style) == (kind, style)

"""Layouts that a source declares."""

import pytest

from lumos_snap.errors import LumosError
from lumos_snap.scan.grouping.assign import Layout, names_of_folder, place_file
from lumos_snap.scan.grouping.templates import parse_template


def _layout(*texts: str) -> Layout:
    return Layout(templates=tuple(parse_template(text) for text in texts))


PLACES = [
    # template, path, names, folder, files, partitions
    ("/raw/{domain}/{dataset}/", "raw/s/o/x/y.csv", "raw/s/o", "raw/s/o", None, ""),
    ("raw/{dataset}/", "raw/o/clicks.csv", "raw/o", "raw/o", None, ""),
    ("/{dataset}/", "o/a/2024/01/15/x.csv", "o", "o", None, "day=2024/01/15"),
    ("/{dataset}/data/{dt:yyyyMM}/", "o/data/202401/x", "o", "o", None, "dt=202401"),
    ("/{dataset}/{a}/{b}/", "o/1/2/x", "o", "o", None, "a=1 b=2"),
    ("/{dataset}/dt={dt:yyyyMMdd}/", "o/dt=20240115/x", "o", "o", None, "dt=20240115"),
    ("/{dataset}/{a}_{dt:yyyyMMdd}/", "o/eu_20240115/x", "o", "o", None, "a=eu dt=20240115"),
    ("/{dataset}/v{n}/", "o/v7/x", "o", "o", None, "n=7"),
    ("/{dt:yyyy}/{dataset}/", "2024/o/x", "o", "", "*/o/*", "dt=2024"),
    ("/a/{d:yyyy/MM}/{dataset}/", "a/2024/01/o/x", "a/o", "a", "*/*/o/*", "d=2024/01"),
    ("/*/{dataset}/", "2024/o/x", "o", "", "*/o/*", "year=2024"),
    ("/x/*/{dataset}/", "x/a/o/x", "x/a/o", "x/a/o", None, ""),
    ("/x*/{dataset}/", "x12/o/x", "x12/o", "x12/o", None, ""),
    ("/{dataset}-{region}/", "o-eu/x", "o", "", "o-*/*", "region=eu"),
    ("/{dataset}", "o.csv.gz", "o", "", "o*.csv.gz", ""),
    ("/in/{dataset}_{d:yyyyMMdd}.csv", "in/a_b_20240115.csv", "in/a_b", "in", "a_b_*.csv",
     "d=20240115"),
    ("/in/{dataset}_{d:yyyyMMdd}*", "in/o_20240115_9.json", "in/o", "in", "o_*", "d=20240115"),
    ("/{dt:yyyy}/{dataset}.csv", "2024/o.csv", "o", "", "*/o.csv", "dt=2024"),
    ("/raw/{dataset}/{dt:yyyyMMdd}.csv", "raw/o/20240115.csv", "raw/o", "raw/o", None,
     "dt=20240115"),
    ("/{dataset}/day=2024/", "o/day=2024/day=5/x", "o", "o", None, "day=5"),
    ("/{dataset}/{day}/", "o/1/day=5/x", "o", "o", None, "day=1 day_2=5"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "names", "folder", "files", "partitions"), PLACES)
def test_a_template_names_the_dataset(text, path, names, folder, files, partitions) -> None:
    placed = place_file(path, _layout(text))
    assert placed.rule == "template"
    assert ("/".join(placed.names), placed.folder, placed.files) == (names, folder, files)
    assert " ".join(f"{v.name}={v.value}" for v in placed.partitions) == partitions


UNMATCHED = [
    ("/raw/{dataset}/", "raw/x.csv"),
    ("/raw/{dataset}/", "raws/o/x.csv"),
    ("/{dataset}/{dt:yyyyMMdd}/", "o/20240230/x"),
    ("/{dataset}/{dt:yyyyMMdd}/", "o/x.csv"),
    ("/{dataset}/{dt:yyyyMMdd}/", "o/202401151/x"),
    ("/in/{dataset}.csv", "in/a/b.csv"),
    ("/in/{dataset}.csv", "in/a_csv"),
    ("/*/{dataset}/", "/o/x.csv"),
]


@pytest.mark.parametrize(("text", "path"), UNMATCHED)
def test_a_file_that_no_template_matches_is_read_by_its_path(text: str, path: str) -> None:
    placed, by_path = place_file(path, _layout(text)), place_file(path, Layout())
    assert placed.rule == f"no-template/{by_path.rule}"
    assert (placed.names, placed.partitions) == (by_path.names, by_path.partitions)


def test_the_first_template_that_matches_wins() -> None:
    layout = _layout("/raw/{dataset}/{part}/", "/raw/{dataset}/", "/{dataset}/")
    assert place_file("raw/o/1/x", layout).parameters == {"dataset": "o", "part": "1"}
    assert place_file("raw/o/x", layout).parameters == {"dataset": "o"}
    assert place_file("raw/x", layout).parameters == {"dataset": "raw"}


def test_the_parts_of_a_template_are_told() -> None:
    placed = place_file(
        "in/shop/orders_20240115.csv", _layout("/in/{domain}/{dataset}_{d:yyyyMMdd}.*")
    )
    assert placed.parameters == {"domain": "shop", "dataset": "orders", "d": "20240115"}


def test_a_date_in_a_file_name_stands_in_no_folder() -> None:
    (value,) = place_file("o_20240115.csv", _layout("/{dataset}_{d:yyyyMMdd}.csv")).partitions
    assert (value.style, value.format) == ("file", "yyyyMMdd")


def test_a_column_that_a_template_writes_with_its_key_is_hive_style() -> None:
    layout = _layout("/{dataset}/at={at:yyyy-MM-dd HH:mm}/", "/{dataset}/a={a}/")
    (value,) = place_file("o/a=b%20c/x", layout).partitions
    assert (value.value, value.style) == ("b c", "hive")
    (null,) = place_file("o/a=__HIVE_DEFAULT_PARTITION__/x", layout).partitions
    assert null.kind == "null"


def test_the_format_says_what_stands_around_a_date() -> None:
    (value,) = place_file(
        "o/day-20240115.d/x", _layout("/{dataset}/day-{d:yyyyMMdd}.d/")
    ).partitions
    assert (value.value, value.format) == ("day-20240115.d", "'day-'yyyyMMdd'.d'")


def test_with_templates_a_folder_promises_no_names() -> None:
    assert names_of_folder("raw/orders", _layout("/{dataset}/")) == ()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("/raw/", "{dataset} is missing"),
        ("", "{dataset} is missing"),
        ("/{domain}/", "{dataset} is missing"),
        ("/{dataset}/{dataset}/", "two parts have one name"),
        ("/{a}/{dataset}/{a}/", "two parts have one name"),
        ("/{dataset:yyyy}/", "has no date format"),
        ("/{dataset}//{a}/", "between two slashes"),
        ("//{dataset}/", "between two slashes"),
        ("/{dataset/", "brace"),
        ("/dataset}/", "brace"),
        ("/{{dataset}}/", "brace"),
        ("/{}/{dataset}/", "no valid name"),
        ("/{1a}/{dataset}/", "no valid name"),
        ("/**/{dataset}/", "`**` is not known"),
        ("/{dataset}/{d:YYYY}/", "'YYYY' is not understood"),
        ("/{dataset}/{d:yyyyMMdd'x}/", "is not understood"),
        ("/{dataset}/{d:yyyyyyyy}/", "is not understood"),
        ("/{dataset}/{d:yyyyMMM}/", "is not understood"),
        ("/{dataset}/{d:yyyy/yyyy}/", "twice"),
        ("/{dataset}/{d:-}/", "no part of a date"),
    ],
)
def test_a_template_that_means_nothing_is_refused(text: str, what: str) -> None:
    with pytest.raises(LumosError) as refused:
        parse_template(text)
    assert what in refused.value.message
    assert refused.value.hint


def test_templates_of_one_text_are_equal() -> None:
    assert parse_template("/{dataset}/") == parse_template("/{dataset}/")
    assert len({parse_template("/{dataset}/"), parse_template("/{dataset}/")}) == 1

"""Paths and where they belong: names | folder | files | rule."""

import pytest

from lumos_snap.scan.grouping.assign import RULES, Layout, names_of_folder, place_file

AUTO = Layout()

PLACES = [
    # path, names, folder, files, rule
    ("part-0.parquet", "", "", None, "root"),
    ("dt=2024-01-15/part-0", "", "", None, "root"),
    ("a/part-0", "a", "a", None, "generic-file"),
    ("a/b c/part-0", "a/b c", "a/b c", None, "generic-file"),
    ("a/dt=1/part-0", "a", "a", None, "generic-file"),
    ("a/dt=1/b/part-0", "a/b", "a", "*/b/*", "generic-file"),
    ("a/dt=1/b/x=2/part-0", "a/b", "a", "*/b/*", "generic-file"),
    ("raw/2024/01/15/orders/x.csv", "raw/orders", "raw", "*/*/*/orders/*", "generic-file"),
    ("a/2024/01/15/clicks_1.csv", "a/clicks", "a", "*/*/*/clicks*.csv", "own-named-file"),
    ("clicks/2024/01/15/clicks_1.csv", "clicks", "clicks", None, "folder-named-file"),
    ("events/clicks.csv.gz", "events/clicks", "events", "clicks*.csv.gz", "own-named-file"),
    ("events/CLICKS.CSV", "events/CLICKS", "events", "CLICKS*.CSV", "own-named-file"),
    ("events/clicks", "events/clicks", "events", "clicks*", "own-named-file"),
    ("events/1_clicks_2.csv", "events/clicks", "events", "*clicks*.csv", "own-named-file"),
    ("events/web_eu_2024_c.csv", "events/web_eu_c", "events", "web_eu*c*.csv", "own-named-file"),
    ("x.csv/part-0", "x.csv", "x.csv", None, "generic-file"),
    ("a*[b]/dt=1/c{d}/part-0", "a*[b]/c{d}", "a*[b]", "*/c?d?/*", "generic-file"),
    ("100%/part\n1.csv", "100%/part\n1", "100%", "part\n1*.csv", "own-named-file"),
    ("größe/Straße.csv", "größe/Straße", "größe", "Straße*.csv", "own-named-file"),
    ("größen/GRÖSSE_1.csv", "größen/GRÖSSE", "größen", "GRÖSSE*.csv", "own-named-file"),
    ("a\udcff/b\udcfe.csv", "a\udcff/b\udcfe", "a\udcff", "b\udcfe*.csv", "own-named-file"),
    ("/a/part-0", "a", "/a", None, "generic-file"),
    ("a//b/part-0", "a/b", "a//b", None, "generic-file"),
    ("a//dt=1/b/part-0", "a/b", "a", "*/b/*", "generic-file"),
    ("a//part-0", "a", "a", None, "generic-file"),
    ("raw/shop/orders/shop_orders_1.csv", "raw/shop/orders", "raw/shop/orders", None,
     "folder-named-file"),
    ("sales/orders/sales.csv", "sales/orders/sales", "sales/orders", "sales*.csv",
     "own-named-file"),
    ("UserClicks/user_clicks_1.csv", "UserClicks", "UserClicks", None, "folder-named-file"),
    ("categories/category-2.csv", "categories", "categories", None, "folder-named-file"),
    ("addresses/address.csv", "addresses", "addresses", None, "folder-named-file"),
    ("order/orders_eu.csv", "order/orders_eu", "order", "orders_eu*.csv", "own-named-file"),
    ("", "", "", None, "root"),
    ("/", "", "", None, "root"),
    ("a/", "a", "a", None, "generic-file"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "names", "folder", "files", "rule"), PLACES, ids=ascii)
def test_a_file_belongs_where_its_path_says(path, names, folder, files, rule) -> None:
    placed = place_file(path, AUTO)
    assert ("/".join(placed.names), placed.folder, placed.files) == (names, folder, files)
    assert placed.rule == rule


def test_names_are_kept_apart_where_one_holds_what_looks_like_a_slash() -> None:
    assert place_file("a%2Fb/part-0", AUTO).names == ("a%2Fb",)


SAME = [
    ["clicks/part-0", "clicks/2024/01/15/part-0", "clicks/day=1/part-0", "clicks/eu=1/2024/x.csv"],
    ["e/clicks.csv", "e/clicks.json", "e/clicks_1.csv.gz", "e/2024/01/02-clicks.csv",
     "e/clicks/part-0", "e/clicks-20240115T101112Z.parquet", "e/dt=1/clicks_part_9.orc"],
    ["o/2024/01/15/orders/x.csv", "o/orders/2024/x.csv", "o/orders.csv", "o/orders/order_9.csv"],
]  # fmt: skip


@pytest.mark.parametrize("paths", SAME, ids=lambda paths: paths[0])
def test_files_that_differ_in_parts_are_one_dataset(paths: list[str]) -> None:
    assert len({place_file(path, AUTO).names for path in paths}) == 1


APART = [
    ("e/clicks.csv", "e/visits.csv"),
    ("e/table1.csv", "e/table2.csv"),
    ("e/q3.csv", "e/q4.csv"),
    ("e/clicks_v1.csv", "e/clicks_v2.csv"),
    ("a/x/part-0", "b/x/part-0"),
    ("a/01/part-0", "a/02/part-0"),
    ("A/part-0", "a/part-0"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_files_of_other_names_are_other_datasets(one: str, other: str) -> None:
    assert place_file(one, AUTO).names != place_file(other, AUTO).names


def test_a_folder_is_a_dataset_whatever_its_files_are_called() -> None:
    layout = Layout(grouping="folder")
    assert place_file("a/dt=1/clicks.csv", layout) == place_file("a/dt=1/visits.csv", layout)
    assert place_file("a/dt=1/clicks.csv", layout).rule == "every-folder"
    assert place_file("clicks.csv", layout).names == ()


@pytest.mark.parametrize(
    ("path", "names", "files"),
    [
        ("a/dt=1/clicks_1.csv.gz", ("a", "dt=1", "clicks_1"), "clicks_1.csv.gz"),
        ("a/part-0.snappy.parquet", ("a", "part-0"), "part-0.snappy.parquet"),
        ("2024/x[1].csv", ("2024", "x[1]"), "x?1?.csv"),
        ("a/.csv", ("a", ".csv"), ".csv"),
    ],
)
def test_a_file_is_a_dataset_whatever_its_folders_are(path, names, files) -> None:
    placed = place_file(path, Layout(grouping="file"))
    assert (placed.names, placed.files, placed.partitions) == (names, files, ())
    assert (placed.folder, placed.rule) == (path.rpartition("/")[0], "every-file")


@pytest.mark.parametrize(
    ("folder", "names"), [("", ()), ("raw/2024/01", ("raw",)), ("raw/dt=1/x", ("raw", "x"))]
)
def test_a_folder_tells_what_names_below_it_begin_with(folder: str, names) -> None:
    assert names_of_folder(folder, AUTO) == names


def test_where_each_file_is_a_dataset_every_folder_is_a_name() -> None:
    assert names_of_folder("raw/2024/01", Layout(grouping="file")) == ("raw", "2024", "01")


def test_every_rule_has_a_sentence() -> None:
    assert all(sentence.endswith(".") for sentence in RULES.values())

"""The page of what was verified is read and rewritten."""

from tests.components.page import Row, rows, written

YARN = Row("yarn", "0123456789ab", "2026-11-19", "YARN 3.5.0: 14 passed in 210 s")
HIVE = Row("hive", "ba9876543210", "2026-11-18", "Hive 4.1.0: 3 passed, 1 skipped in 90 s")
KNOWN = ("yarn", "hive")


def test_a_page_is_read_as_it_was_written() -> None:
    held = {"yarn": YARN, "hive": HIVE}
    assert rows(written(held, KNOWN)) == held


def test_rows_are_in_order_and_the_same_rows_are_the_same_page() -> None:
    page = written({"yarn": YARN, "hive": HIVE}, KNOWN)
    assert list(rows(page)) == ["hive", "yarn"]
    assert page == written({"hive": HIVE, "yarn": YARN}, KNOWN[::-1])
    assert page.endswith("|\n")


def test_one_row_is_replaced_and_the_others_stay() -> None:
    before = rows(written({"yarn": YARN, "hive": HIVE}, KNOWN))
    new = YARN._replace(commit="ffffffffffff")
    assert rows(written({**before, "yarn": new}, KNOWN)) == {"hive": HIVE, "yarn": new}


def test_a_group_that_no_longer_exists_is_left_out() -> None:
    assert set(rows(written({"yarn": YARN, "hive": HIVE}, ["yarn"]))) == {"yarn"}


def test_an_empty_page_has_a_table_without_rows() -> None:
    page = written({}, KNOWN)
    assert rows(page) == {}
    assert page.endswith("|---|---|---|---|\n")

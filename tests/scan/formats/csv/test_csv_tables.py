"""Delimited text, written by hand: what goes in, and the columns that come out."""

import pytest

from tests.scan.formats.text_descriptions import ask, probed, refusal

VALUES = [
    ("1|-2|0", "INT64"),
    ("1||3", "INT64"),
    (" 1| 2 |3", "INT64"),
    ("9223372036854775807|-9223372036854775808", "INT64"),
    ("9223372036854775808|1", "DECIMAL(38,0)"),
    ("9" * 38, "DECIMAL(38,0)"),
    ("9" * 39, "STRING"),
    ("007|1", "STRING"),
    ("00|0", "STRING"),
    ("01.5|2.5", "STRING"),
    ("-0|1", "INT64"),
    ("+1|2", "STRING"),
    ("1_000|2", "STRING"),
    ("0x1F|2", "STRING"),
    ("1.5|2", "FLOAT64"),
    (".5|5.|1e5|1.5E-3|1e-05", "FLOAT64"),
    ("9223372036854775808|1.5", "FLOAT64"),
    ("1.5|NaN|-Infinity", "FLOAT64"),
    ("1.5|nan|inf", "FLOAT64"),
    ("1|NaN", "FLOAT64"),
    ("NaN|NaN", "FLOAT64"),
    ("NaN|", "FLOAT64"),
    ("NaN|x", "STRING"),
    ("\u0661|\u0662", "STRING"),
    ("2024-02-29|2023-12-31", "DATE"),
    ("2023-02-29", "STRING"),
    ("0000-00-00|2024-01-01", "STRING"),
    ("2024-1-1", "STRING"),
    ("29.02.2024", "STRING"),
    ("02/29/2024", "STRING"),
    ("20240229", "INT64"),
    ("2024-02-29 10:00|2024-02-29T10:00:00.123456", "TIMESTAMP(us)"),
    ("2024-02-29|2024-02-29T10:00:00", "TIMESTAMP(us)"),
    ("2024-02-29 10:00:00.1234567|2024-02-29 10:00", "TIMESTAMP(ns)"),
    ("2024-02-29T10:00:00Z|2024-02-29 10:00:00+02:00|2024-02-29T10:00-0530", "TIMESTAMP(us, UTC)"),
    ("2024-02-29 10:00:00.123456789 UTC|2024-02-29 10:00:00+02", "TIMESTAMP(ns, UTC)"),
    ("2024-02-29T10:00:00Z|2024-02-29T10:00:00", "STRING"),
    ("2024-02-29T10:00:00Z|2024-02-29", "STRING"),
    ("2024-02-29T24:00:00|2024-02-29T10:00:60", "STRING"),
    ("10:00:00", "STRING"),
    ("true|FALSE|True|", "BOOLEAN"),
    ("tRuE", "BOOLEAN"),
    ("0|1", "INT64"),
    ("true|1", "STRING"),
    ("yes|no", "STRING"),
    ("NULL|1", "STRING"),
    ("\\N|1", "INT64"),
    ("||", "NULL"),
    ("1|x", "STRING"),
    ("1|2024-01-01", "STRING"),
]


@pytest.mark.parametrize(("values", "expected"), VALUES)
def test_values_decide_the_type_of_a_column(values: str, expected: str) -> None:
    rows = "".join(f"r{i},{value}\n" for i, value in enumerate(values.split("|")))
    answer = ask("key,column\n" + rows.replace("|", ""), "csv")
    assert answer.columns == [("key", "STRING"), ("column", expected)]
    assert answer.rows == values.count("|") + 1


NOTED = [
    ("007|1", "column `v`: some values have leading zeros: read as STRING"),
    ("1,5|2,5", "column `v`: some numbers have a decimal comma: read as STRING"),
    ("1.234,50|2,5", "column `v`: some numbers have a decimal comma: read as STRING"),
    ("NA|1", "column `v`: some values are words for null, as in NULL or NA: read as STRING"),
    ("9" * 39, "column `v`: some numbers have more than 38 digits: read as STRING"),
    (
        "2024-02-29T10:00:00Z|2024-02-29",
        "column `v`: some timestamps have a zone and some have none: read as STRING",
    ),
    ("true|1", "column `v`: its values are of several kinds: read as STRING"),
]


@pytest.mark.parametrize(("values", "note"), NOTED)
def test_doubt_is_put_into_words(values: str, note: str) -> None:
    rows = "".join(f"1;{value}\n" for value in values.split("|"))
    assert ask("k;v\n" + rows, "csv").notes == (note,)


def test_ordinary_text_needs_no_note() -> None:
    assert ask("k,v\n1,some words\n2,7\n", "csv").notes == ()


DIALECTS = [
    ("a,b\n1,2\n", {}),
    ("a\tb\n1\t2\n", {"delimiter": "\\t"}),
    ("a;b\n1;2\n", {"delimiter": ";"}),
    ("a|b\n1|2\n", {"delimiter": "|"}),
    ("a\x01b\n1\x012\n", {"delimiter": "\x01"}),
    ("a,b\r\n1,2\r\n", {}),
    ("a,b\r1,2\r", {}),
    ("a,b\n1,2", {}),
    ("\n\na,b\n\n1,2\n\n", {}),
    ('"a","b"\n"1","2"\n', {}),
    ("'a','b'\n'1','2'\n", {"quote": "'"}),
    ("'a;','b'\n'1','2'\n", {"quote": "'"}),
    ("a;b\n1,5;2\n1,7;3\n", {"delimiter": ";"}),
    ('a,b\n"x, ""y""",2\n', {}),
    ('a,b\n"x, \\"y\\" z",2\n', {"escape": "\\"}),
    ('a,b\n"say \\"y\\" z",2\n', {"escape": "\\"}),
    ('a\tb\n"5 inch\t2\n7\t3\n', {"delimiter": "\\t", "quote": ""}),
    ("# made by hand\na,b\n1,2\n# the end\n", {"comment": "#"}),
    ("#a,b\n1,2\n", {}),
    ("##meta\n#a\tb\n1\t2\n", {"delimiter": "\\t", "comment": "#", "header": "false"}),
    ("sep=|\na|b\n1|2\n", {"delimiter": "|"}),
    ("My report\n\na,b\n1,2\n3,4\n", {}),
]


@pytest.mark.parametrize(("text", "options"), DIALECTS)
def test_the_dialect_is_seen(text: str, options: dict[str, str]) -> None:
    answer = ask(text, "csv")
    assert answer.options == {"delimiter": ",", "header": "true", **options}
    assert len(answer.columns) == 2
    assert [name.strip("#;") for name, _ in answer.columns] == ["a", "b"]
    assert answer.types[answer.columns[1][0]] == "INT64"


HEADERS = [
    ("id,name\n1,x\n", ["id", "name"]),
    ("1,x\n2,y\n", ["_c0", "_c1"]),
    ("2024-01-01,x\n", ["_c0", "_c1"]),
    ("id,name\n", ["id", "name"]),
    ("name,city\nAnn,Rome\n", ["name", "city"]),
    ("US,NY\nUS,LA\n", ["_c0", "_c1"]),
    ("Ann,a@b.org\nBob,b@b.org\n", ["_c0", "_c1"]),
    ("Ann,https://a\nBob,https://b\n", ["_c0", "_c1"]),
    ("Ann,31.12.2024\nBob,01.02.2025\n", ["_c0", "_c1"]),
    ("Ann,tel 030/12345\nBob,tel 030/54321\n", ["_c0", "_c1"]),
    ("id,id\n1,2\n", ["id", "id"]),
    (",a,\n1,2,3\n", ["_c0", "a", "_c2"]),
    ("a,b\n1,2,\n3,4,\n", ["a", "b"]),
    ("a,b\nr1,1,2\nr2,3,4\n", ["_c0", "a", "b"]),
    ("a,b\n1,2\n3,4,5\n", ["a", "b"]),
    ("a,b\n1,2\n3,4,5\n6,7,8\n9,1,2\n", ["a", "b", "_c2"]),
    ("country,2019,2020\nDE,1,2\nFR,3,4\n", ["country", "2019", "2020"]),
    ("a b, c \n1,2\n", ["a b", " c "]),
    ("größe,日本\n1,2\n", ["größe", "日本"]),
    ("`a`,a.b\n1,2\n", ["`a`", "a.b"]),
    ("a\n1\n2\n", ["a"]),
    ("1\n2\n", ["_c0"]),
]


@pytest.mark.parametrize(("text", "names"), HEADERS)
def test_names_come_from_the_header_or_are_those_of_spark(text: str, names: list[str]) -> None:
    answer = ask(text, "csv")
    assert [name for name, _ in answer.columns] == names
    named = any(not name.startswith("_c") for name in names)
    assert answer.options["header"] == ("true" if named else "false")


def test_a_header_alone_leaves_every_type_open() -> None:
    answer = ask("id,name\n", "csv")
    assert (answer.columns, answer.rows) == ([("id", "NULL"), ("name", "NULL")], 0)


def test_a_header_that_nothing_proves_is_noted() -> None:
    note = "whether the first line is a header cannot be told from its values"
    assert ask("name,city\nAnn,Rome\n", "csv").notes == (note,)
    assert ask("name,age\nAnn,3\n", "csv").notes == ()


def test_ragged_rows_are_noted() -> None:
    short = ask("a,b,c\n1,2,3\n1,2,3\n1,2\n", "csv")
    assert short.types == {"a": "INT64", "b": "INT64", "c": "INT64"}
    assert short.notes == ("some rows have fewer values than there are columns",)
    long = ask("a,b\n1,2\n3,4,5\n", "csv")
    assert long.notes == ("some rows have more values than there are columns",)
    trailing = ask("a,b\n1,2,\n1,2,\n", "csv")
    assert trailing.notes == ()


def test_line_breaks_in_quotes_are_noted() -> None:
    answer = ask('a,b\n"x\ny",1\n"z",2\n', "csv")
    assert (answer.columns, answer.rows) == ([("a", "STRING"), ("b", "INT64")], 2)
    assert answer.notes == ("some values in quotes span lines: readers must be told to expect it",)


def test_a_value_in_quotes_that_the_head_cuts_is_left_out() -> None:
    row = '1,"one\ntwo"\n'
    data = "id,text\n" + row * 40_000
    answer = ask(data, "csv")
    assert answer.columns == [("id", "INT64"), ("text", "STRING")]
    assert answer.rows is None
    assert "some rows have fewer values than there are columns" not in answer.notes


def test_evidence_does_not_know_how_many_rows_there_are() -> None:
    few, many = (probed("id,name\n" + "1,x\n" * n, "csv").schema for n in (2, 100_000))
    assert few == many


WITHOUT_HINT = [
    "id,name\n1,x\n",
    "a\tb\nx\ty\nz\tw\n",
    "1,2,x\n3,4,y\n5,6,z\n",
    "a;b;c\nx;y;z\nu;v;w\n",
]
NO_TABLES = [
    "hello\n",
    "hello, world\n",
    "Dear all,\nplease, note that, as ever,\nnothing is here.\n",
    "2024-01-01 12:00:00,123 INFO up\n2024-01-01 12:00:01,456 WARN down\n" * 9,
    '1.2.3.4 - - [01/Jan/2024:00:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "curl; x, y"\n' * 9,
    "[section]\nkey = 1\nother = 2\n",
    "key: 1\nlist:\n  - a\n  - b\n",
    "import os, sys\n\ndef main(a, b):\n    return a\n",
    "<html><body>a,b\n1,2\n</body></html>",
    "1\n2\n3\n",
    "{% if a %},{% endif %}\n",
]


@pytest.mark.parametrize("text", WITHOUT_HINT)
def test_a_clear_table_needs_no_hint(text: str) -> None:
    assert ask(text).format == "csv"


@pytest.mark.parametrize("text", NO_TABLES)
def test_other_text_is_no_table(text: str) -> None:
    assert refusal(text) == "unknown-format"


def test_a_hint_is_believed_where_text_tells_too_little() -> None:
    assert ask("word\nother\n", "csv").columns == [("word", "STRING")]
    assert ask("hello, world\n", "csv").format == "csv"


def test_a_hint_does_not_make_a_table_of_a_web_page_or_of_bytes() -> None:
    assert refusal("<!DOCTYPE html>\n<html>404, not found</html>\n", "csv") == "damaged"
    assert refusal(b"PAR1\x00\x01\x02\x00" * 9, "csv") == "damaged"
    assert refusal(b"PAR1\x00\x01\x02\x00" * 9) == "unknown-format"


@pytest.mark.parametrize("text", ["", "\n\n", " \t\r\n", "\ufeff"])
def test_a_file_without_text_is_empty(text: str) -> None:
    assert refusal(text, "csv") == refusal(text, "json") == refusal(text) == "empty"


def test_a_hint_breaks_a_tie_between_delimiters() -> None:
    text = "a,b\tc\nd,e\tf\n"
    assert ask(text, "tsv").options["delimiter"] == "\\t"
    assert ask(text, "csv").options["delimiter"] == ","


def test_too_many_columns_are_refused() -> None:
    assert len(ask(",".join(f"c{i}" for i in range(20_000)) + "\n", "csv").columns) == 20_000
    assert refusal(",".join("x" * 20_001) + "\n", "csv") == "too-large"

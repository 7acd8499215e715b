"""JSON text, written by hand: what goes in, and the columns that come out."""

import json

import pytest

from tests.scan.formats.text_descriptions import ask, probed, refusal

TYPES = [
    ("1|-5|null", "INT64"),
    ("9223372036854775807", "INT64"),
    ("9223372036854775808|1", "DECIMAL(38,0)"),
    ("9" * 39 + "|1", "FLOAT64"),
    ("9" * 5000, "FLOAT64"),
    ("1.0", "FLOAT64"),
    ("1|2.5", "FLOAT64"),
    ("1e400|1", "FLOAT64"),
    ("NaN|1|-Infinity", "FLOAT64"),
    ('"2024-01-01"|"007"', "STRING"),
    ("true|false", "BOOLEAN"),
    ("null|null", "NULL"),
    ('1|"x"', "STRING"),
    ("true|1", "STRING"),
    ("[]", "ARRAY<NULL>"),
    ("[]|[1]|[null]", "ARRAY<INT64>"),
    ('[1]|["x"]', "ARRAY<STRING>"),
    ("[[1],[]]", "ARRAY<ARRAY<INT64>>"),
    ("{}", "STRUCT<>"),
    ('{"a":1}|{"b":"x"}|{}', "STRUCT<a: INT64, b: STRING>"),
    ('{"a":1}|{"a":null}|{"a":1.5}', "STRUCT<a: FLOAT64>"),
    ('[{"a":1},{"b":[true]}]', "ARRAY<STRUCT<a: INT64, b: ARRAY<BOOLEAN>>>"),
    ('{"a":1}|[1]', "JSON"),
    ('{"a":1}|"x"', "JSON"),
    ("[1]|1|null", "JSON"),
    ('{"$oid":"65"}', "STRUCT<$oid: STRING>"),
]


@pytest.mark.parametrize(("values", "expected"), TYPES)
def test_values_decide_the_type_of_a_column(values: str, expected: str) -> None:
    lines = "".join(f'{{"c": {value}}}\n' for value in values.split("|"))
    answer = ask(lines)
    assert answer.columns == [("c", expected)]
    assert (answer.options, answer.rows) == ({}, values.count("|") + 1)
    assert ask(f"[{','.join(lines.split(chr(10))[:-1])}]").columns == [("c", expected)]


LAYOUTS = [
    ('{"a":1}\n{"a":2}\n', {}, 2),
    ('{"a":1}\r\n{"a":2}\r\n', {}, 2),
    ('\n\n{"a":1}\n\n  \n{"a":2}', {}, 2),
    ('\ufeff{"a":1}\n{"a":2}\n', {}, 2),
    ('\x1e{"a":1}\n\x1e{"a":2}\n', {}, 2),
    ('{"a":1}', {}, 1),
    ('{"a":1}{"a":2}', {"layout": "concatenated"}, 2),
    ('{"a":1} {"a":2}\n{"a":3}', {"layout": "concatenated"}, 3),
    ('{\n"a":1\n}\n{\n"a":2\n}\n', {"layout": "concatenated"}, 2),
    ('[{"a":1},{"a":2}]', {"layout": "array"}, 2),
    ('[\n  {"a":1},\n  {"a":2}\n]\n', {"layout": "array"}, 2),
    ('[\n  {\n    "a": 1\n  }\n]\n', {"layout": "array"}, 1),
    ('[{"a":1}\n,{"a":2}\n]', {"layout": "array"}, 2),
    ('{\n  "a": 1\n}\n', {"layout": "object"}, 1),
]


@pytest.mark.parametrize(("text", "options", "rows"), LAYOUTS)
def test_every_layout_is_read(text: str, options: dict[str, str], rows: int) -> None:
    answer = ask(text)
    assert (answer.columns, answer.options, answer.rows) == ([("a", "INT64")], options, rows)


SINGLE = [
    ("1\n2\n", "INT64", {}),
    ('"a"\n"b"\n', "STRING", {}),
    ("[1,2]\n[3]\n", "ARRAY<INT64>", {}),
    ("[1,2]", "INT64", {"layout": "array"}),
    ("[[1],[2]]", "ARRAY<INT64>", {"layout": "array"}),
    ("[1][2]", "ARRAY<INT64>", {"layout": "concatenated"}),
    ('{"a":1}\n5\n', "JSON", {}),
    ("null\n", "NULL", {}),
]


@pytest.mark.parametrize(("text", "expected", "options"), SINGLE)
def test_what_is_no_object_is_one_column(text: str, expected: str, options: dict[str, str]) -> None:
    answer = ask(text, "json")
    assert (answer.columns, answer.options) == ([("value", expected)], options)


def test_an_array_without_records_has_no_columns() -> None:
    answer = ask("[]\n", "json")
    assert (answer.columns, answer.rows) == ([], 0)


NOTED = [
    ('{"a":1,"a":"x"}', "some objects repeat a key: the last value counts", {"a": "STRING"}),
    ('{"a":NaN}', "some numbers are NaN or Infinity, which JSON does not know", {"a": "FLOAT64"}),
    ('{"a":1}\n{"a":\n{"a":2}\n', "some lines are not JSON and were left out", {"a": "INT64"}),
    ('{"a":1}\n{"a":tru', "some lines are not JSON and were left out", {"a": "INT64"}),
    ('{"a":1}\n{"a":"x"}', "column `a`: its values are of several kinds: read as STRING", None),
    (
        '{"a":{"b":[1,[2]]}}',
        "column `a.b[]`: some values are nested and some are not: read as JSON",
        None,
    ),
    ('{"a":' + "9" * 39 + "}", "column `a`: some numbers have more than 38 digits", None),
]


@pytest.mark.parametrize(("text", "note", "types"), NOTED)
def test_doubt_is_put_into_words(text: str, note: str, types: dict[str, str] | None) -> None:
    answer = ask(text)
    assert answer.notes == (note,)
    assert types is None or answer.types == types


DAMAGED = [
    ('{"a":1}\n{"a":2},\n{"a":3},\n', "damaged"),
    ('[{"a":1},]', "damaged"),
    ('[{"a":1} {"a":2}]', "damaged"),
    ('[{"a":1,}]', "damaged"),
    ('{"a":1,}', "damaged"),
    ("hello world", "damaged"),
    ("{'a': 1}", "damaged"),
    ('{"a":1}\nx\ny\nz\n', "damaged"),
    ('{"a":1', "truncated"),
    ('[{"a":1},{"a"', "truncated"),
    ('[{"a":1},', "truncated"),
    ('{"a":\n{"b": "x', "truncated"),
]


@pytest.mark.parametrize(("text", "reason"), DAMAGED)
def test_damage_is_refused_with_its_kind(text: str, reason: str) -> None:
    assert refusal(text, "json") == reason


def test_ordinary_text_in_brackets_is_not_called_damaged() -> None:
    assert refusal("[section]\nkey = value\n") == "unknown-format"
    assert refusal("{% block %}\n") == "unknown-format"


def test_a_few_broken_lines_do_not_count_and_many_do() -> None:
    good, bad = '{"a":1}\n', "oops\n"
    assert ask(good * 30 + bad * 30).rows is None
    assert refusal(good * 30 + bad * 31) == "damaged"


def test_many_names_that_look_like_ids_are_keys() -> None:
    ids = {f"{n:08x}": {"n": n} for n in range(1, 150)}
    answer = ask(json.dumps({"by_id": ids}))
    assert answer.columns == [("by_id", "MAP<STRING, STRUCT<n: INT64>>")]
    assert answer.notes == ("column `by_id`: its names differ from record to record: read as MAP",)
    assert ask(json.dumps(ids)).columns == [("value", "MAP<STRING, STRUCT<n: INT64>>")]


def test_many_names_of_which_records_hold_few_are_keys() -> None:
    lines = "".join(json.dumps({"m": {f"k{n}": 1, f"k{n + 1}": 2}}) + "\n" for n in range(200))
    assert ask(lines).columns == [("m", "MAP<STRING, INT64>")]


def test_many_names_that_every_record_holds_are_columns() -> None:
    row = {f"feature_{n}": 0.5 for n in range(150)}
    assert len(ask((json.dumps(row) + "\n") * 3).columns) == 150


def test_evidence_holds_a_bounded_number_of_names() -> None:
    row = {f"feature_{n}": 0.5 for n in range(2001)}
    assert ask(json.dumps({"wide": row})).columns == [("wide", "MAP<STRING, FLOAT64>")]
    wide = {f"a{n}": {f"b{m}": 1 for m in range(300)} for n in range(99)}
    assert refusal(json.dumps(wide)) == "too-large"


def test_nesting_ends_where_portable_types_do() -> None:
    deep = '{"a":' * 100 + "1" + "}" * 100
    answer = ask(deep)
    assert answer.columns[0][1].count("STRUCT") == 63
    assert "UNKNOWN('object')" in answer.columns[0][1]
    assert answer.notes[0].endswith("its values are nested over 64 levels deep")
    arrays = ask('{"a":' + "[" * 100 + "]" * 100 + "}").columns[0][1]
    assert "UNKNOWN('array')" in arrays
    assert "UNKNOWN" not in ask('{"a":' + "[" * 63 + "]" * 63 + "}").columns[0][1]


def test_the_end_of_the_head_is_not_damage() -> None:
    line = '{"id": 1, "tags": ["a", "b"], "at": {"x": 1.5}}'
    expected = [("id", "INT64"), ("tags", "ARRAY<STRING>"), ("at", "STRUCT<x: FLOAT64>")]
    many = 20_000
    for text in (
        f"{line}\n" * many,
        f"[{f'{line},' * many}{line}]",
        line * many,
        "[\n" + ",\n".join([line] * many) + "\n]",
    ):
        answer = ask(text)
        assert (answer.columns, answer.notes, answer.rows) == (expected, (), None)


@pytest.mark.parametrize("shift", range(40))
def test_a_record_longer_than_the_head_is_described_up_to_there(shift: int) -> None:
    many = ",".join(['{"k": "v\\"x", "n": [1, true]}'] * 20_000)
    text = '{"Records":' + " " * shift + "[" + many + '], "more": 1}'
    for given in (text, f"[{text}]"):
        answer = ask(given)
        assert answer.columns == [("Records", "ARRAY<STRUCT<k: STRING, n: ARRAY<STRING>>>")]
        assert answer.notes[0].startswith("the first record is longer than what is read")
        assert answer.rows is None


def test_evidence_does_not_know_how_many_records_there_are() -> None:
    few, many = (probed('{"a":1,"b":[{"c":"x"}]}\n' * n).schema for n in (1, 50_000))
    assert few == many


def test_what_is_called_csv_and_is_json_is_json() -> None:
    assert ask('{"a":1}\n{"a":2}\n', "csv").format == "json"
    assert ask("[a],[b]\n1,2\n", "csv").columns == [("[a]", "INT64"), ("[b]", "INT64")]
    assert ask("[1],[2]\nx,2\n", "csv").format == "csv"


def test_what_is_called_json_and_is_a_clear_table_is_a_table() -> None:
    assert ask("id,name\n1,x\n2,y\n", "json").format == "csv"


def test_halves_of_surrogate_pairs_are_let_be() -> None:
    assert ask('{"a":"\\ud800","b\\ud800":1}').columns == [("a", "STRING"), ("b\ufffd", "INT64")]

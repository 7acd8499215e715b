"""Text as the world writes it: exports of programs, with all their habits."""

import json

import pytest

from tests.scan.formats.text_descriptions import ask

EXCEL = "Kunde;Größe;Betrag;Datum\r\nMüller;1;1.234,50;31.12.2024\r\nSchön;2;7,00;01.01.2025\r\n"
GERMAN = {"Kunde": "STRING", "Größe": "INT64", "Betrag": "STRING", "Datum": "STRING"}


@pytest.mark.parametrize(
    ("codec", "encoding", "note"),
    [
        ("utf-8", None, None),
        ("utf-8-sig", None, "the text begins with a byte-order mark"),
        (
            "cp1252",
            "windows-1252",
            "the encoding is uncertain, read as windows-1252: characters beyond ASCII may be wrong",
        ),
        ("utf-16", "utf-16", None),
        ("utf-16-le", "utf-16le", None),
        ("utf-16-be", "utf-16be", None),
        ("utf-32", "utf-32", None),
    ],
)
def test_excel_saves_in_many_encodings(codec: str, encoding: str | None, note: str | None) -> None:
    answer = ask(EXCEL.encode(codec), "csv")
    assert (answer.types, answer.encoding, answer.rows) == (GERMAN, encoding, 2)
    assert answer.options == {"delimiter": ";", "header": "true"}
    doubt = "column `Betrag`: some numbers have a decimal comma: read as STRING"
    assert answer.notes == ((note, doubt) if note else (doubt,))


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-16-be"])
def test_a_character_that_the_head_cuts_is_let_be(codec: str) -> None:
    for shift in range(4):
        text = "id;ort" + "x" * shift + "\n" + "1;Zürich日本😀\n" * 40_000
        answer = ask(text.encode(codec), "csv")
        assert [kind for _, kind in answer.columns] == ["INT64", "STRING"]


def test_a_few_broken_characters_do_not_change_the_encoding() -> None:
    data = "id,name\n1,äöüäöü\n".encode() + b"2,\xff\n"
    answer = ask(data, "csv")
    assert (answer.encoding, answer.notes) == (None, ("some characters are not valid UTF-8",))


def test_excel_names_the_delimiter_in_its_first_line() -> None:
    answer = ask("sep=;\r\na;b\r\n1;x\r\n", "csv")
    assert answer.types == {"a": "INT64", "b": "STRING"}
    assert answer.notes[0] == "the first line only names the delimiter: readers must skip it"
    assert ask("sep=;\na;b\n").options["delimiter"] == ";"


def test_hive_writes_control_characters_and_no_header() -> None:
    rows = "1\x01a\x02b\x01k\x03v\x01\\N\n2\x01c\x01\\N\x015\n3\x01d\x01\\N\x016\n"
    for hint in ("", "csv"):
        answer = ask(rows, hint)
        assert answer.columns == [
            ("_c0", "INT64"), ("_c1", "STRING"), ("_c2", "STRING"), ("_c3", "INT64"),
        ]  # fmt: skip
        assert answer.options == {"delimiter": "\x01", "header": "false"}


def test_postgres_copies_nulls_as_backslash_n() -> None:
    answer = ask("1\t\\N\t2024-01-01 10:00:00+00\n2\ta\\\\b\t\\N\n", "tsv")
    assert answer.columns == [("_c0", "INT64"), ("_c1", "STRING"), ("_c2", "TIMESTAMP(us, UTC)")]


def test_r_writes_no_name_above_the_names_of_rows() -> None:
    answer = ask('"a" "b"\n'.replace(" ", ",") + '"1",5,NA\n"2",6,7\n', "csv")
    assert answer.types == {"_c0": "INT64", "a": "INT64", "b": "STRING"}


def test_variants_have_comments_before_the_header() -> None:
    text = (
        '##fileformat=VCFv4.2\n##INFO=<ID=DP,Number=1,Description="x, y">\n'
        "#CHROM\tPOS\tID\n20\t14370\trs6\n20\t17330\t.\n"
    )
    answer = ask(text)
    assert answer.types == {"#CHROM": "INT64", "POS": "INT64", "ID": "STRING"}
    assert answer.options == {"delimiter": "\\t", "header": "false", "comment": "#"}


def test_open_data_portals_export_odd_headers() -> None:
    text = (
        '"Unique Key","Created Date","Agency (Name)","ZIP","Location"\n'
        '"1","01/31/2024 10:00:00 PM","NYPD","01001","(40.7, -73.9)"\n'
        '"2","01/31/2024 10:00:00 PM","DOT","10002","(40.8, -73.8)"\n'
    )
    answer = ask(text, "csv")
    assert answer.types == {
        "Unique Key": "INT64", "Created Date": "STRING", "Agency (Name)": "STRING",
        "ZIP": "STRING", "Location": "STRING",
    }  # fmt: skip
    assert answer.notes == ("column `ZIP`: some values have leading zeros: read as STRING",)


def test_open_data_portals_wrap_rows_with_their_own_schema() -> None:
    portal = {"meta": {"view": {"id": "x", "columns": [{"id": -1}]}}, "data": [["r", 1, None]]}
    answer = ask(json.dumps(portal, indent=1))
    assert answer.columns == [
        ("meta", "STRUCT<view: STRUCT<id: STRING, columns: ARRAY<STRUCT<id: INT64>>>>"),
        ("data", "ARRAY<ARRAY<STRING>>"),
    ]
    assert answer.options == {"layout": "object"}


def test_mongo_exports_wrapped_values() -> None:
    lines = (
        '{"_id":{"$oid":"65f0"},"n":{"$numberLong":"5"},"at":{"$date":"2024-01-01T00:00:00Z"}}\n'
        '{"_id":{"$oid":"65f1"},"n":7,"at":{"$date":"2024-01-01T00:00:00Z"}}\n'
    )
    answer = ask(lines)
    assert answer.columns == [
        ("_id", "STRUCT<$oid: STRING>"), ("n", "JSON"), ("at", "STRUCT<$date: STRING>"),
    ]  # fmt: skip
    assert answer.notes == ("column `n`: some values are nested and some are not: read as JSON",)


def test_maps_are_one_object() -> None:
    def feature(kind: str, coordinates: object) -> object:
        return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}}

    collection = {
        "type": "FeatureCollection",
        "features": [feature("Point", [1.5, 2]), feature("LineString", [[1, 2], [3, 4]])],
    }
    answer = ask(json.dumps(collection), "json")
    geometry = "STRUCT<type: STRING, coordinates: ARRAY<JSON>>"
    assert answer.columns == [
        ("type", "STRING"),
        ("features", f"ARRAY<STRUCT<type: STRING, geometry: {geometry}>>"),
    ]


def test_audit_logs_wrap_their_records() -> None:
    record = {"eventVersion": "1.08", "userIdentity": {"type": "Root"}, "responseElements": None}
    answer = ask(json.dumps({"Records": [record] * 3}))
    members = "eventVersion: STRING, userIdentity: STRUCT<type: STRING>, responseElements: NULL"
    assert answer.columns == [("Records", f"ARRAY<STRUCT<{members}>>")]
    assert (answer.options, answer.rows) == ({}, 1)


def test_json_in_a_cell_is_text() -> None:
    answer = ask('id,body\n1,"{""a"": ""x\\""y""}"\n2,"{}"\n', "csv")
    assert answer.types == {"id": "INT64", "body": "STRING"}
    assert "escape" not in answer.options


def test_windows_paths_do_not_look_like_escapes() -> None:
    answer = ask('id,path\n1,"C:\\dir\\"\n2,"D:\\x, y\\"\n', "csv")
    assert (answer.types, answer.rows) == ({"id": "INT64", "path": "STRING"}, 2)
    assert "escape" not in answer.options


def test_apostrophes_are_no_quotes() -> None:
    answer = ask("id,text\n1,'tis so\n2,it's, really\n3,dogs'\n", "csv")
    assert answer.types["id"] == "INT64"
    assert "quote" not in answer.options


def test_dos_ends_a_file_with_a_character_of_its_own() -> None:
    assert ask("a,b\r\n1,x\r\n2,y\r\n\x1a", "csv").types["b"] == "STRING"


def test_a_total_below_the_table_is_a_short_row() -> None:
    answer = ask("id,name\n1,a\n2,b\n3,c\nTotal\n", "csv")
    assert answer.types == {"id": "STRING", "name": "STRING"}
    assert "some rows have fewer values than there are columns" in answer.notes


def test_a_value_that_begins_like_a_comment_is_a_value() -> None:
    answer = ask("#a,1\nb,2\n#c,3\nd,4\n", "csv")
    assert (answer.rows, answer.options) == (4, {"delimiter": ",", "header": "false"})


def test_one_row_of_quoted_values_is_enough_to_see_the_quotes() -> None:
    answer = ask('1;"a; b; c";70.5\n', "csv")
    assert answer.columns == [("_c0", "INT64"), ("_c1", "STRING"), ("_c2", "FLOAT64")]


@pytest.mark.parametrize("separator", ['"', "'", "\\", " ", "a"])
def test_not_every_character_can_be_a_delimiter(separator: str) -> None:
    assert ask(f"sep={separator}\n1,2\n3,4\n", "csv").format == "csv"

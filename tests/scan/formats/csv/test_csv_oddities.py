"""What real files have beside rows: line breaks in quotes, headers again, stray bytes."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scan.formats.text_descriptions import ask

LINES = st.text("ab ,;'\"\n", max_size=12)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(LINES, min_size=3, max_size=12),
    rows=st.integers(20, 400),
    width=st.integers(0, 400),
)
def test_line_breaks_in_quotes_are_values_wherever_the_sample_ends(
    texts: list[str], rows: int, width: int
) -> None:
    """`width` moves the line breaks over the place where the sample ends."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "text", "amount"])
    for number in range(rows):
        text = texts[number % len(texts)]
        writer.writerow([number, f"one{'x' * width}\ntwo {text}", f"{number}.5"])
    found = ask(target.getvalue(), "csv")
    assert found.columns == [("id", "INT64"), ("text", "STRING"), ("amount", "FLOAT64")]
    assert "quote" not in found.options


def test_the_rows_of_the_finding() -> None:
    rows = "".join(f'{number},"line one {number}\nline two",{number}.5\n' for number in range(300))
    found = ask(f"id,text,amount\n{rows}", "csv")
    assert found.types == {"id": "INT64", "text": "STRING", "amount": "FLOAT64"}
    assert found.rows == 300


def test_a_quote_that_is_never_closed_is_no_quote_of_a_value() -> None:
    rows = "".join(f"{number},a {number} inch,{number}\n" for number in range(5_000))
    found = ask(f'id,text,amount\n1,"6 inch,2\n{rows}', "csv")
    assert found.types == {"id": "INT64", "text": "STRING", "amount": "INT64"}


@pytest.mark.parametrize("delimiter", [";", "|", "\t"])
def test_a_delimiter_that_does_not_occur_is_not_chosen(delimiter: str) -> None:
    text = "A;B;D\nx;1440;21;z\n".replace(";", delimiter)
    found = ask(text, "csv")
    assert [name for name, _ in found.columns] == ["A", "B", "D"]
    assert "some rows have more values than there are columns" in found.notes
    assert found.options["delimiter"] == {"\t": "\\t"}.get(delimiter, delimiter)


def test_one_column_with_lists_stays_one_column() -> None:
    assert [name for name, _ in ask("tags\na;b\na;b;c\na\n", "csv").columns] == ["tags"]


def test_a_header_that_stands_in_the_middle_again_is_no_data() -> None:
    found = ask("id,amount\n1,1.5\nid,amount\n2,2.5\n", "csv")
    assert found.types == {"id": "INT64", "amount": "FLOAT64"}
    assert found.rows == 2
    assert any("the header stands in the middle again" in note for note in found.notes)


def test_equal_rows_are_no_header() -> None:
    found = ask("1,2\n1,2\n3,4\n", "csv")
    assert found.rows == 3
    assert found.notes == ()


def test_a_few_nul_bytes_are_left_out_and_named() -> None:
    rows = "".join(f"{number},{number}.5\n" for number in range(2_000))
    found = ask(f"id,amount\n{rows[:5_000]}\0{rows[5_000:]}", "csv")
    assert found.types == {"id": "INT64", "amount": "FLOAT64"}
    assert any("NUL bytes" in note for note in found.notes)


def test_a_control_character_that_json_allows_is_text() -> None:
    assert ask('{"a": "\x7f"}\n', "json").types == {"a": "STRING"}

"""JSON that anybody wrote: a value, or one problem with its place."""

import codecs
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lumos_snap.documents import DocumentRefusedError, Position, json_text
from lumos_snap.documents.limits import TRANSFER
from lumos_snap.documents.position import Pointer, place_at, places_in
from tests.strategies import LAW, SMALL
from tests.strategies.texts import short_texts

SAMPLE = '{\n  "a": [1, true, null, "é\\n"],\n  "b": {"c": -2}\n}\n'.encode()
MERGE = b'{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> theirs\n}\n'

REFUSED = {
    "empty": (b"", 1, 1, "is empty"),
    "white space only": (b" \n\t", 1, 1, "is empty"),
    "a byte-order mark only": (codecs.BOM_UTF8, 1, 1, "is empty"),
    "two byte-order marks": (codecs.BOM_UTF8 * 2 + b"{}", 1, 1, "is not valid JSON"),
    "many byte-order marks": (codecs.BOM_UTF8 * 5000, 1, 1, "is not valid JSON"),
    "UTF-16 little-endian": ("{}".encode("utf-16"), 1, 1, "is UTF-16"),
    "UTF-16 big-endian": (codecs.BOM_UTF16_BE + "{}".encode("utf-16-be"), 1, 1, "is UTF-16"),
    "UTF-32 little-endian": ("{}".encode("utf-32"), 1, 1, "is UTF-32"),
    "UTF-32 big-endian": (codecs.BOM_UTF32_BE + "{}".encode("utf-32-be"), 1, 1, "is UTF-32"),
    "UTF-16 without a mark": ("{}".encode("utf-16-le"), 1, 2, "is not valid JSON"),
    "Latin-1": (b'{\n  "caf\xe9": 1}', 2, 7, "is not UTF-8: byte 0xe9"),
    "Latin-1 after wide characters": (
        '{\n "日本": "é'.encode() + b'\xe9"}',
        2,
        10,
        "is not UTF-8: byte 0xe9",
    ),
    "Latin-1 after a byte-order mark": (codecs.BOM_UTF8 + b'{"\xe9"}', 1, 3, "is not UTF-8"),
    "a surrogate in UTF-8": (b'"\xed\xa0\x80"', 1, 2, "is not UTF-8: byte 0xed"),
    "an overlong form": (b'"\xc0\xaf"', 1, 2, "is not UTF-8: byte 0xc0"),
    "NaN": (b'{"a": NaN}', 1, 7, "is not valid JSON"),
    "Infinity": (b'{"a": Infinity}', 1, 7, "is not valid JSON"),
    "minus Infinity": (b'{"a": -Infinity}', 1, 8, "is not valid JSON"),
    "marks of a merge": (MERGE, 2, 1, "holds the marks of an unresolved merge"),
    "marks of a merge between CRLF lines": (
        MERGE.replace(b"\n", b"\r\n"),
        2,
        1,
        "holds the marks of an unresolved merge",
    ),
    "something after the end": (b"{}\n{}", 2, 1, "is not valid JSON"),
    "a comma too many": (b'{"a": 1,}', 1, 8, "is not valid JSON"),
    "single quotes": (b"{'a': 1}", 1, 2, "is not valid JSON"),
    "a comment": (b"{} // no", 1, 4, "is not valid JSON"),
    "null for a key": (b"{null: 1}", 1, 2, "is not valid JSON"),
    "a number for a key": (b"{1: 1}", 1, 2, "is not valid JSON"),
    "a wrong word after wide characters": ('{"é日": nul}'.encode(), 1, 8, "is not valid JSON"),
    "half a character": (b'{"a": "\\ud800"}', 1, 8, "is not valid JSON"),
    "the other half of a character": (b'["\\udc00"]', 1, 3, "is not valid JSON"),
    "a control character in a string": (b'{"a": "b\nc"}', 1, 9, "is not valid JSON"),
    "zeros before a number": (b'{"a": 01}', 1, 7, "is not valid JSON"),
    "a plus before a number": (b'{"a": +1}', 1, 7, "is not valid JSON"),
    "YAML": (b"a: 1\n", 1, 1, "is not valid JSON"),
    "5,000 lists in one another": (b"[" * 5000 + b"]" * 5000, None, None, "is not valid JSON"),
    "5,000 objects in one another": (
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        None,
        None,
        "is not valid JSON",
    ),
    "lists without an end": (b"[" * 100_000, None, None, "is not valid JSON"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_with_its_place(case):
    raw, line, column, message = case
    with pytest.raises(DocumentRefusedError) as caught:
        json_text.parse(raw)
    problem = caught.value.problem
    assert problem.rule == json_text.UNREADABLE
    assert problem.message.startswith(message)
    if line is not None:
        assert problem.place == Position(line, column)


@pytest.mark.parametrize("end", range(len(SAMPLE) - 2))
def test_a_document_that_breaks_off_is_refused_where_it_ends(end):
    raw = SAMPLE[:end]
    with pytest.raises(DocumentRefusedError) as caught:
        json_text.parse(raw)
    lines = raw.decode(errors="ignore").split("\n")
    assert caught.value.problem.place.line <= len(lines)
    assert caught.value.problem.place.column <= len(lines[caught.value.problem.place.line - 1]) + 1


READ = {
    "a byte-order mark": (codecs.BOM_UTF8 + b'{"a": 1}', {"a": 1}),
    "Windows line ends": (b'{\r\n"a": 1\r\n}', {"a": 1}),
    "any root": (b"[]", []),
    "a scalar": (b"null", None),
    "escapes": (b'"\\u00e9\\ud83d\\ude00\\/"', "é😀/"),
    "1,000 lists in one another": (b"[" * 1000 + b"]" * 1000, None),
    "marks of a merge in a string": (b'"<<<<<<< HEAD"', "<<<<<<< HEAD"),
    "a key that stands twice": (b'{"a": 1, "a": 2}', {"a": 2}),
    "a fraction": (b"1.5", 1.5),
}


@pytest.mark.parametrize("case", READ.values(), ids=READ)
def test_what_is_json_is_read(case):
    raw, value = case
    found = json_text.parse(raw)
    assert value is None or found == value


REPEATED = [
    (b'{"a": 1, "a": 2}', [("a", 1, 10)]),
    (b'{"a": 1,\n "b": {"c": 1,\n  "c": 2}}', [("c", 3, 3)]),
    (b'[{"a": 1}, {"a": 1, "b": 1, "b": 2}]', [("b", 1, 29)]),
    (b'{"a": {"x": 1},\n "a": {"x": 2}}', [("a", 2, 2)]),
    (b'{"a": {"x": 1},\n "a": {"x": 2, "x": 3}}', [("a", 2, 2), ("x", 2, 16)]),
    (b'{"a": 1, "\\u0061": 2, "a": 3}', [("a", 1, 10), ("a", 1, 23)]),
    (b'{"a": [{"k": 1}, {"k": 1}], "k": 1}', []),
    (b'{"a": "a", "b": ["a", "a", "a"]}', []),
    (b'{"": 1, "": 2}', [("", 1, 9)]),
    (b'{"0": 1, "a": [{"0": 1}, {"0": 1}]}', []),
    (codecs.BOM_UTF8 + b'{"a": 1, "a": 2}', [("a", 1, 10)]),
]


@pytest.mark.parametrize(("raw", "expected"), REPEATED, ids=[str(raw) for raw, _ in REPEATED])
def test_a_key_that_stands_twice_in_one_object_is_found(raw, expected):
    problems = json_text.find_repeated_keys(raw)
    found = [(p.message, p.place.line, p.place.column) for p in problems]
    assert found == [
        (f"the key `{key}` stands there twice", line, column) for key, line, column in expected
    ]
    assert all(problem.rule == json_text.REPEATED_KEY for problem in problems)


_scalars = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), short_texts)
_json = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(short_texts, inner, max_size=4)
    ),
    max_leaves=12,
)


class Writer:
    """JSON as `json.dumps` lays it out, and where each key and item begins in it."""

    def __init__(self, document: object, indent: int | None, separators: tuple[str, str]) -> None:
        self.text = ""
        self.places: dict[Pointer, Position] = {}
        self.indent = indent
        self.comma, self.colon = separators
        self.item(document, ())

    def item(self, held: object, at: Pointer) -> None:
        self.places[at] = place_at(self.text, len(self.text))
        self.write(held, at)

    def write(self, held: object, at: Pointer) -> None:
        if isinstance(held, dict) and held:
            self.text += "{"
            for number, (key, inner) in enumerate(held.items()):
                self.line(number, len(at) + 1)
                self.places[*at, key] = place_at(self.text, len(self.text))
                self.text += json.dumps(key) + self.colon
                self.write(inner, (*at, key))
            self.close("}", len(at))
        elif isinstance(held, list) and held:
            self.text += "["
            for number, inner in enumerate(held):
                self.line(number, len(at) + 1)
                self.item(inner, (*at, number))
            self.close("]", len(at))
        else:
            self.text += json.dumps(held)

    def line(self, number: int, depth: int) -> None:
        self.text += self.comma if number else ""
        self.text += "" if self.indent is None else "\n" + " " * self.indent * depth

    def close(self, sign: str, depth: int) -> None:
        self.text += ("" if self.indent is None else "\n" + " " * self.indent * depth) + sign


@LAW
@given(
    _json,
    st.sampled_from((None, 0, 1, 4)),
    st.sampled_from(((",", ":"), (", ", ": "), (" ,", "  :\t"))),
)
def test_every_value_is_found_where_it_stands(document, indent, separators):
    written = Writer(document, indent, separators)
    assert written.text == json.dumps(document, indent=indent, separators=separators)
    assert json_text.locate(written.text.encode(), list(written.places)) == written.places


@LAW
@given(_json)
def test_a_document_without_repeated_keys_has_none(document):
    assert json_text.find_repeated_keys(json.dumps(document).encode()) == ()


def test_what_is_absent_is_looked_for_in_what_is_around_it():
    raw = b'{\n  "a": {\n    "b": [1, 2]\n  }\n}'
    wanted: list[Pointer] = [("a", "b", 1), ("a", "b", 7), ("a", "x", "y"), ("x",), ()]
    places = json_text.locate(raw, wanted)
    assert [places[pointer] for pointer in wanted] == [
        Position(3, 14), Position(3, 5), Position(2, 3), Position(1, 1), Position(1, 1),
    ]  # fmt: skip


def test_of_a_key_that_stands_twice_the_one_that_is_kept_is_found():
    raw = b'{"a": "right", "a": 1}'
    assert json_text.parse(raw) == {"a": 1}
    assert json_text.locate(raw, [("a",)]) == {("a",): Position(1, 16)}


@SMALL
@given(st.text(alphabet="a\n\r\u2028é"), st.integers(0, 20))
def test_lines_are_counted_as_editors_count_them(text, offset):
    offset = min(offset, len(text))
    before = text[:offset].split("\n")
    assert place_at(text, offset) == Position(len(before), len(before[-1]) + 1)
    assert places_in(text)(offset) == place_at(text, offset)


@SMALL
@given(st.one_of(st.binary(), st.text().map(str.encode)))
@example(codecs.BOM_UTF8 * 3)
def test_any_bytes_are_a_value_or_are_refused(raw):
    try:
        json_text.parse(raw)
    except DocumentRefusedError as exc:
        assert exc.problem.message  # noqa: PT017 - most bytes are refused


def test_many_problems_are_located_at_once():
    items = 100_000
    raw = b"[" + b",\n".join([b"0"] * items) + b"]"
    places = json_text.locate(raw, [(index,) for index in range(items)])
    assert places[items - 1,] == Position(items, 1)


@pytest.mark.slow
def test_a_hundred_megabytes_end_in_bounded_time():
    large = b'{"a": "' + b"x" * 100_000_000
    with pytest.raises(DocumentRefusedError):
        json_text.parse(large)
    assert json_text.parse(large + b'"}', TRANSFER)["a"].startswith("xx")

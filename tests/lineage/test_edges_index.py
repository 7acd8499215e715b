"""The index is believed as a whole or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.lineage import UnreadableSnapshot, graph_of
from lumos_snap.lineage.edges import VERSION, lines_of, pack_index, read, unpack_index
from tests.lineage.lineages import content, edge, path, stated, urn

LINES = lines_of([*stated({"b": "a x>y", "c": "b"}), UnreadableSnapshot("s3/lake/bad.json")])
WHOLE = pack_index("0123abcd", LINES)


def test_it_is_what_was_packed() -> None:
    index = unpack_index(WHOLE)
    assert index is not None
    assert index.tree == "0123abcd"
    assert list(index.lines()) == LINES
    assert list(index.broken()) == ["s3/lake/bad.json"]


@given(st.integers(0, len(WHOLE) - 1))
def test_one_that_ends_early_is_none(end: int) -> None:
    assert unpack_index(WHOLE[:end]) is None


@given(st.integers(WHOLE.index(b"\n"), len(WHOLE) - 1), st.integers(1, 255))
def test_one_with_a_wrong_byte_is_none(at: int, wrong: int) -> None:
    damaged = bytearray(WHOLE)
    damaged[at] ^= wrong
    assert unpack_index(bytes(damaged)) is None


@given(st.binary(max_size=200))
def test_anything_else_is_none(held: bytes) -> None:
    assert unpack_index(held) is None
    assert unpack_index(b"lumos-lineage 1 " + held) is None


def test_another_version_is_none() -> None:
    assert (
        unpack_index(WHOLE.replace(b"lumos-lineage %d " % VERSION, b"lumos-lineage 0 ", 1)) is None
    )


def test_an_empty_tree_has_an_index() -> None:
    index = unpack_index(pack_index("0", []))
    assert index is not None
    assert graph_of({}, index).links_from(urn("a")) == ()


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a", b""),
        ("a", b"{"),
        ("a", b"[]"),
        ("a", b'{"urn": 1}'),
        ("a", b'{"urn": "lumos://s3/lake/other"}'),
        ("a", b'{"urn": "lumos://s3/lake/a", "lineage": []}'),
        ("a", b'{"urn": "lumos://s3/lake/a", "lineage": {"upstream": 1}}'),
        ("a", b'{"urn": "lumos://s3/lake/a", "lineage": {"upstream": [1]}}'),
        ("a", b'{"urn": "lumos://s3/lake/a", "lineage": {"upstream": [{}]}}'),
        ("a", b'{"urn": "lumos://s3/lake/a", "lineage": {"upstream": [{"urn": "a\\nb"}]}}'),
        ("a", b'{"urn": "lumos://s3/lake/a", "lineage": {"upstream": [{"urn": "a\\u0000b"}]}}'),
        (
            "a",
            b'{"urn": "lumos://s3/lake/a", "lineage": {"upstream": [{"urn": "b", "columns": 3}]}}',
        ),
        ("a", content("a", edge("b", "x>y"))[:-40]),
    ],
)
def test_what_cannot_be_read_is_named_and_says_nothing(name: str, raw: bytes) -> None:
    assert read(path(name), raw) == UnreadableSnapshot(path(name))


def test_a_snapshot_says_the_same_in_any_layout() -> None:
    import orjson  # noqa: PLC0415

    raw = content("c", edge("a", "x>y", "z>z", via="job", by='max("lineage")'), edge("b"))
    document = orjson.loads(raw)
    other = orjson.dumps(document)
    indented = orjson.dumps(document, option=orjson.OPT_INDENT_2)
    assert read(path("c"), raw) == read(path("c"), other) == read(path("c"), indented)
    assert read(path("c"), raw).links[0].columns[0].by == 'max("lineage")'  # type: ignore[union-attr]

"""Whatever is asked or stored, it is a search: never an error of SQL, never a command."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.errors import LumosError
from lumos_snap.search.index import SearchIndex, highlights
from lumos_snap.search.query import MOST_WORDS, parse_query
from tests.search.conftest import Put, Searcher
from tests.strategies import SMALL

HOSTILE = (
    '"',
    '""',
    '"a',
    'a"',
    '"""',
    "*",
    "a*",
    "* a",
    "NEAR(",
    "NEAR(a b, 2)",
    "-a",
    "- a",
    "a AND",
    "AND",
    "OR NOT",
    "NOT a",
    "(",
    ")))",
    "{name}:a",
    "name:",
    "name::a",
    'name:"',
    ":a",
    "^a",
    "a + b",
    "a\x00b",
    "\x00",
    "\ud800",
    "a\udcffb",
    "';DROP TABLE found;--",
    "%s %d {0} $1 ?1 :a @a",
    "\ue000a\ue001",
    "\ue002aaaaaaaaaaaa",
    "\u202ea",
    "x" * 10_000,
    "x " * 10_000,
    '"' * 10_000,
    "(" * 10_000,
    " ".join(map(str, range(3_000))),
    "\U0001f916",
    "\u0301",
    "ﬀ",
)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:30])
def test_hostile_text_is_a_search(searcher: Searcher, make: Put, text: str) -> None:
    make("table")
    found = searcher(text) if text.strip() else None
    assert found is None or found.query.encode()


@SMALL
@given(
    st.text(st.characters(exclude_categories=()), max_size=40)
    | st.text('"*()-:^{}a N', max_size=12)
)
def test_no_text_is_an_error_of_sql(text: str) -> None:
    index = SearchIndex(None)
    for word in parse_query(text).words:
        index.total(word.expression)
        highlights([("a",) * 9], word.expression)
    index.close()


@settings(SMALL, max_examples=20)
@given(st.text(min_size=1))
def test_no_filter_is_an_error_of_sql(text: str) -> None:
    from lumos_snap.commands.search.options import SearchOptions  # noqa: PLC0415

    index = SearchIndex(None)
    wanted = SearchOptions(
        owners=(text,), tags=(text,), columns=(text,), kinds=(text,), platforms=(text,)
    )
    for expression in wanted.filters:
        assert index.total(expression) == 0
    index.close()


def test_signs_without_a_word_find_nothing_and_that_is_said(searcher: Searcher, make: Put) -> None:
    make("table")
    found = searcher("*** !!!", platforms=("s3",))
    assert (found.total, found.remarks) == (
        0,
        ("there is no word in what is searched for: words have letters or digits",),
    )


def test_more_words_than_one_may_ask_for_are_left_out_and_that_is_said(
    searcher: Searcher, make: Put
) -> None:
    words = [f"w{number}" for number in range(MOST_WORDS + 3)]
    make("table", documentation={"description": " ".join(words[:MOST_WORDS])})
    found = searcher(" ".join(words))
    assert found.total == 1
    assert found.remarks == ("only the first 64 words are searched for, 3 are left out",)


def test_the_same_word_many_times_is_one_word() -> None:
    assert len(parse_query("a " * 5_000).words) == 1


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_nothing_to_search_for_is_a_mistake(searcher: Searcher, text: str) -> None:
    with pytest.raises(LumosError, match="there is nothing to search for"):
        searcher(text)


def test_an_unknown_type_is_a_mistake(searcher: Searcher) -> None:
    with pytest.raises(LumosError, match="there is no type 'INTEGER'"):
        searcher(types=("INTEGER",))


@pytest.mark.parametrize(
    "hostile", ["\x1b[31mred", "a\nb", "::error::x", "\u202ered", "'; DROP--", "\ue002x"]
)
def test_hostile_metadata_is_found_like_any_other(
    searcher: Searcher, make: Put, hostile: str
) -> None:
    make(
        "table",
        schema={"fields": [{"name": hostile, "type": "STRING", "nullable": True}]},
        documentation={"description": f"needle {hostile} " + "y" * 10_000},
        governance={"tags": [hostile]},
        ownership={"owners": [{"user": hostile}]},
    )
    for filters in ({"tags": (hostile,)}, {"owners": (hostile,)}, {"columns": (hostile,)}):
        assert searcher.names("needle", **filters) == ["table"]


def test_a_mark_cannot_be_typed(searcher: Searcher, make: Put) -> None:
    make("table", governance={"tags": ["secret"]})
    searcher("table")
    with sqlite3.connect(searcher.root / ".lumos/search.db") as asked:
        (marks,) = asked.execute("SELECT marks FROM found").fetchone()
    asked.close()
    assert [searcher(mark).total for mark in marks.split()] == [0] * len(marks.split())

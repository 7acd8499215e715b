"""What is read without the YAML library is what the library would read."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.config.settings import parse_plain
from tests.strategies import SMALL

WORDS = st.sampled_from(
    (
        "version", "environment", "a_b", "PROD", "prod", "1", "0", "007", "12", "1.5", "true",
        "Yes", "off", "NULL", "~", "null", "nan", ".inf", "0x1F", "1_000", "2026-01-15", "a-b",
        "'q'", '"q"', "[a]", "{a:1}", "-", "&", "*", "!", "|", ">", "%", "@", "`", "é", ":", "#",
        "y", "n", "on", "1e3", "0o7",
    )
)  # fmt: skip
LINES = st.one_of(
    st.builds("{}: {}".format, WORDS, WORDS),
    st.builds("{}:{}".format, WORDS, WORDS),
    st.builds("  {}: {}".format, WORDS, WORDS),
    st.builds("{}: {}  ".format, WORDS, WORDS),
    st.builds("{}: {} # {}".format, WORDS, WORDS, WORDS),
    st.builds("# {}".format, WORDS),
    st.builds("{}:".format, WORDS),
    WORDS,
    st.sampled_from(["", "  ", "---", "...", "\t", "\r"]),
)


@SMALL
@given(st.lists(LINES, max_size=4).map("\n".join))
def test_the_library_reads_the_same(text: str) -> None:
    found = parse_plain(text.encode())
    if found is not None:
        assert found == yaml.safe_load(text)


@pytest.mark.parametrize(
    "text", ["version: 1\nenvironment: PROD\n", "# a\n\nversion: 1\nobservations: tracked"]
)
def test_simple_settings_need_no_library(text: str) -> None:
    assert parse_plain(text.encode()) == yaml.safe_load(text)


@pytest.mark.parametrize(
    "text",
    ["", "a: 1\na: 2", "policy:\n  preset: strict", "a: é", "a: true", "a: b\r\n", "a: 1 # b"],
)
def test_the_rest_is_for_the_library(text: str) -> None:
    assert parse_plain(text.encode()) is None

"""What a merge left open is refused by its own rule, whatever became of the section."""

from typing import Any

import orjson
import pytest

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.read import read
from lumos_snap.documents import Position
from lumos_snap.merging import Conflict, MergeResult, encode_conflicts
from lumos_snap.model.entities import Tag

TAG = {"lumos_version": FORMAT_VERSION, "id": "pii"}


def test_a_conflict_says_where_and_what_each_side_has_and_leaves_out_what_is_absent() -> None:
    one = Conflict("color", "why", base="#fff", ours='a "quoted"\nline')
    other = Conflict("properties (a)", "why", theirs={"b": [None, True], "a": "é"})
    assert encode_conflicts(MergeResult(TAG, (one, other)), Tag).decode() == (
        "{\n"
        '  "conflicts": [\n'
        "    {\n"
        '      "at": "color",\n'
        '      "why": "why",\n'
        '      "base": "#fff",\n'
        '      "ours": "a \\"quoted\\"\\nline"\n'
        "    },\n"
        "    {\n"
        '      "at": "properties (a)",\n'
        '      "why": "why",\n'
        '      "theirs": {"b": [null, true], "a": "é"}\n'
        "    }\n"
        "  ],\n"
        f'  "lumos_version": "{FORMAT_VERSION}",\n'
        '  "id": "pii"\n'
        "}\n"
    )


@pytest.mark.parametrize(
    "section", [[], "text", None, {}, [5], [{"at": 5}], [{"at": "color"}, {"at": "name"}]], ids=str
)
def test_any_section_of_conflicts_is_refused_with_the_same_words(section: Any) -> None:
    raw = orjson.dumps({**TAG, "conflicts": section}, option=orjson.OPT_INDENT_2)
    problems = read(raw, Tag).problems
    assert {problem.rule for problem in problems} == {"unresolved-conflict"}
    assert {problem.hint for problem in problems} == {
        "choose a value for each, then delete the section `conflicts`"
    }
    assert len(problems) == max(1, len(section) if isinstance(section, list) else 1)


def test_each_conflict_is_found_at_its_own_line() -> None:
    conflicts = tuple(Conflict(at, "why", ours=1) for at in ("color", "name"))
    problems = read(encode_conflicts(MergeResult(TAG, conflicts), Tag), Tag).problems
    assert [problem.place for problem in problems] == [Position(3, 5), Position(8, 5)]
    assert "`color`" in problems[0].message

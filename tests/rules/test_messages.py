"""Values in the words of messages."""

from typing import Any

import pytest

from lumos_snap.rules.messages import LONGEST, value_words

RELEASE = {"cloud_version": "S-1", "schema_version": "1.0.0"}


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (None, "nothing"),
        ("text", "text"),
        ("x" * LONGEST, "x" * LONGEST),
        ("x" * (LONGEST + 1), "x" * (LONGEST - 1) + "…"),
        ([RELEASE], "1 release"),
        ([RELEASE, RELEASE], "2 releases"),
        (["a", "b"], "a, b"),
        ([1, 2], "[1,2]"),
        ({"type": "INT64"}, "INT64"),
        ({"type": "INT64", "name": "id", "nullable": False}, "INT64 NOT NULL"),
        ({"user": "ann", "type": "owner"}, "user ann, type owner"),
        ({"field": "at", "order": "desc"}, "at desc"),
        (True, "true"),
    ],
)
def test_a_value_is_told_as_a_person_would(held: Any, words: str) -> None:
    assert value_words(held) == words

"""What a base may say from now on: what both sides say, and else what it said before."""

from typing import Any

import pytest

from lumos_snap.catalogs.sync.preserve import agree_value
from lumos_snap.merging.versions import ABSENT
from lumos_snap.model.curated_metadata import Governance
from lumos_snap.model.snapshot import Schema, Snapshot, Storage
from lumos_snap.schema import keys_of

TAGS = keys_of(Governance)["tags"]
WORDS = keys_of(Snapshot)["documentation"]
CONSTRAINTS = keys_of(Schema)["constraints"]
BUCKETS = keys_of(Storage)["bucketing"]
FOUR = {"count": 4, "columns": ["id"]}


def positive(expression: str) -> dict[str, str]:
    return {"name": "positive", "expression": expression}


@pytest.mark.parametrize(
    ("key", "base", "ours", "theirs", "found"),
    [
        (TAGS, ["a"], ["a", "b"], ["a", "b"], ["a", "b"]),
        (TAGS, ["a"], ["a", "b", "c"], ["a", "b", "d"], ["a", "b"]),
        (TAGS, ["a"], ["b"], ["c"], ABSENT),
        (TAGS, ["a"], ABSENT, ABSENT, ABSENT),
        (TAGS, ["a"], ABSENT, ["a", "b"], ["a"]),
        (TAGS, ABSENT, ["a"], ["b"], ABSENT),
        (WORDS, {"title": "x"}, {"title": "y"}, {"title": "z"}, {"title": "x"}),
        (WORDS, {"title": "x"}, {"title": "y"}, {"title": "y", "description": "z"}, {"title": "y"}),
        (WORDS, ABSENT, {"title": "y"}, ABSENT, ABSENT),
        (CONSTRAINTS, ABSENT, [positive("a > 0")], [positive("b > 0")], ABSENT),
        (
            CONSTRAINTS,
            [positive("a > 0")],
            [positive("b > 0")],
            [positive("c > 0")],
            [positive("a > 0")],
        ),
        (BUCKETS, ABSENT, FOUR, ABSENT, ABSENT),
        (BUCKETS, FOUR, FOUR, ABSENT, FOUR),
        (BUCKETS, FOUR, {"count": 8}, ABSENT, FOUR),
        (BUCKETS, ABSENT, {"count": 4, "columns": ["a"]}, {"count": 8, "columns": ["a"]}, ABSENT),
        (BUCKETS, ABSENT, FOUR, {"count": 4, "columns": ["a"]}, {"count": 4}),
    ],
)
def test_what_both_say_is_agreed(key: Any, base: Any, ours: Any, theirs: Any, found: Any) -> None:
    assert agree_value(key, base, ours, theirs) == found
    assert agree_value(key, base, theirs, ours) == found

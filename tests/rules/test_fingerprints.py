"""Fingerprints: waivers name them, so they stay what they are whatever else changes."""

from collections.abc import Mapping
from typing import Any

import pytest

from lumos_snap.config.settings import Policy
from lumos_snap.diff import compare
from lumos_snap.rules.judge import judge
from tests.rules.fixtures import TODAY

URN = "lumos://s3/lake/a"
ID = {"name": "id", "type": "INT64", "nullable": False}
NOTE = {"name": "note", "type": "STRING", "nullable": True}
NUMBER = {**NOTE, "type": "INT64"}


def dataset(*columns: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    head = {"lumos_version": "1.0.0", "urn": URN, "name": "a", "platform": "s3"}
    return {**head, "schema": {"fields": list(columns), **more}}


def fingerprint(old: Any, new: Any, subject: str, urn: str = URN) -> str:
    """That of the one finding about a kind of thing."""
    (found,) = (
        one for one in judge(compare(urn, old, new), Policy(), TODAY) if one.fact.subject == subject
    )
    return found.fingerprint


RETYPED = (dataset(ID, NOTE), dataset(ID, NUMBER), "field.type")
WITH_ID = (dataset(ID, {**NOTE, "id": 2}), dataset(ID, {**NUMBER, "id": 2}), "field.type")
WITH_ALIASES = ({**NOTE, "aliases": ["a", "b"]}, {**NOTE, "aliases": ["b"]})
SAID = {"fields": [{"path": "text", "renamed_from": "note"}]}
RENAMED = (
    dataset(ID, NOTE),
    {**dataset(ID, {**NOTE, "name": "text"}), "contract": SAID},
    "field",
)
ALIAS = (*map(dataset, WITH_ALIASES), "field.aliases")
KEY = (dataset(ID, key_fields=[NOTE]), dataset(ID, key_fields=[NUMBER]), "field.type")
GONE = (dataset(ID), None, "dataset")


@pytest.mark.parametrize(
    ("change", "known"),
    [
        (RETYPED, "94a1eb6f5afbcb85"),
        (WITH_ID, "e15701560e1f46d9"),
        (RENAMED, "5c23c7551e5b606c"),
        (ALIAS, "46b42a8e52c911e7"),
        (KEY, "0fbd5cdedfba7410"),
        (GONE, "56ac7a3f1a632bb3"),
    ],
)
def test_one_that_stands_in_a_waiver_is_found_again(change: Any, known: str) -> None:
    assert fingerprint(*change) == known


def test_a_column_with_an_id_is_the_same_one_under_any_name() -> None:
    old, new = ({**one, "id": 2, "name": "text"} for one in (NOTE, NUMBER))
    assert fingerprint(dataset(ID, old), dataset(ID, new), "field.type") == fingerprint(*WITH_ID)
    assert fingerprint(WITH_ID[0], dataset(ID, new), "field.type") == fingerprint(*WITH_ID)


def test_a_dataset_that_went_is_known_by_its_urn_alone() -> None:
    assert fingerprint(dataset(ID, NOTE), None, "dataset") == fingerprint(*GONE)
    assert fingerprint(*GONE, urn="lumos://s3/lake/b") != fingerprint(*GONE)

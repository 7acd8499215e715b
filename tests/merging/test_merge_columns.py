"""Columns that share names or ids, and enumerations that both sides extend: nothing gets lost."""

from collections.abc import Callable
from typing import Any

import pytest

from lumos_snap.merging import MergeResult, merge
from lumos_snap.model.snapshot import Snapshot


def column(name: str, identity: int | None = None, **more: Any) -> dict[str, Any]:
    own = {"name": name, "type": "STRING", "nullable": True, **more}
    return own if identity is None else {**own, "id": identity}


def symbols(*names: str) -> list[dict[str, Any]]:
    return [column("state", type="ENUM", symbols=list(names))]


def merged(
    base: list[dict[str, Any]], ours: list[dict[str, Any]], theirs: list[dict[str, Any]]
) -> MergeResult:
    return sections(*({"schema": {"fields": fields}} for fields in (base, ours, theirs)))


def sections(*each: dict[str, Any]) -> MergeResult:
    """The merge of three snapshots that differ in some sections."""
    common = {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/lake/a",
        "name": "a",
        "platform": "s3",
    }
    base, ours, theirs = ({**common, **one} for one in each)
    return merge(base, ours, theirs, Snapshot)


def fields(found: MergeResult) -> list[Any]:
    held: list[Any] = found.document["schema"]["fields"]
    return held


def whys(found: MergeResult) -> list[tuple[str, str]]:
    return [(one.at, one.why) for one in found.conflicts]


class TestSymbols:
    @pytest.mark.parametrize(
        ("base", "ours", "theirs"),
        [
            ("ab", "a", "abc"),  # removed here, added there
            ("ab", "ba", "abc"),
            ("ab", "xab", "abc"),
            ("ab", "abcd", "abdc"),  # the same two added, in another order
            ("ab", "abcd", "abec"),
            ("ab", "abx", "b"),
        ],
    )
    def test_what_is_not_only_added_behind_is_a_conflict_on_either_side(
        self, base: str, ours: str, theirs: str
    ) -> None:
        for sides in ((ours, theirs), (theirs, ours)):
            found = merged(symbols(*base), *(symbols(*one) for one in sides))
            assert len(found.conflicts) == 1
            assert fields(found) == symbols(*sides[0])

    @pytest.mark.parametrize(
        ("base", "ours", "theirs", "both"),
        [
            ("ab", "abc", "abd", "abcd"),
            ("ab", "abcd", "abce", "abcde"),
            ("ab", "abcd", "abc", "abcd"),
            ("", "a", "b", "ab"),
            ("ab", "ab", "a", "a"),
        ],
    )
    def test_what_both_add_is_there_once(
        self, base: str, ours: str, theirs: str, both: str
    ) -> None:
        for sides in ((ours, theirs), (theirs, ours)):
            found = merged(symbols(*base), *(symbols(*one) for one in sides))
            assert (whys(found), fields(found)) == ([], symbols(*both))


class TestIdentity:
    def test_another_column_of_the_same_name_is_not_the_old_one(self) -> None:
        """Dropped and added again: an edit of the old column has no place in the new one."""
        base, edit = [column("a", 1)], [column("a", 1, description="old")]
        for ours, theirs in (([column("a", 2)], edit), (edit, [column("a", 2)])):
            found = merged(base, ours, theirs)
            assert found.conflicts
            assert all("description" not in one for one in fields(found) if one["id"] == 2)

    def test_an_id_that_two_columns_have_tells_nothing(self) -> None:
        base = [column("a", 1), column("b", 1)]
        ours = [column("a", 1, description="here"), column("b", 1)]
        theirs = [column("a", 1), column("b", 1, description="there")]
        found = merged(base, ours, theirs)
        both = [column("a", 1, description="here"), column("b", 1, description="there")]
        assert (whys(found), fields(found)) == ([], both)

    def test_a_column_that_takes_the_name_of_one_that_goes_does_not_keep_it(self) -> None:
        """Ours drops `b`, and calls `a` so; theirs describes `b`, which is a conflict."""
        base = [column("a", 1), column("b")]
        ours, theirs = [column("b", 1)], [column("a", 1), column("b", description="new")]
        for sides in ((ours, theirs), (theirs, ours)):
            found = merged(base, *sides)
            assert any("removed in" in why for _, why in whys(found))

    @pytest.mark.parametrize("identity", [None, 2])
    def test_a_new_column_with_the_new_name_of_an_old_one_is_not_lost(
        self, identity: int | None
    ) -> None:
        base, ours = [column("a", 1)], [column("x", 1)]
        theirs = [column("a", 1), column("x", identity, description="new")]
        for sides in ((ours, theirs), (theirs, ours)):
            found = merged(base, *sides)
            assert found.conflicts
            assert column("x", identity, description="new") in fields(found)
            assert column("x", 1) in fields(found)


def test_different_parts_of_one_partition_column_are_merged() -> None:
    day = {"name": "day", "type": "DATE", "format": "yyyy/MM/dd"}
    edits: tuple[dict[str, str], ...] = ({}, {"type": "STRING"}, {"format": "yyyy-MM-dd"})
    found = sections(
        *({"storage": {"format": "parquet", "partitioning": [{**day, **edit}]}} for edit in edits)
    )
    (partition,) = found.document["storage"]["partitioning"]
    assert (whys(found), partition) == ([], {**day, "type": "STRING", "format": "yyyy-MM-dd"})


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "both"),
    [
        ({}, {"x": 1}, {"y": 2}, {"x": 1, "y": 2}),
        ({"x": 0}, {"x": 1}, {"x": 0, "y": 2}, {"x": 1, "y": 2}),
        ({}, {"x": 1}, [1], None),
        ({"x": 1}, {"x": 2}, [1], None),
        (1, {"x": 1}, {"y": 2}, None),
    ],
)
def test_maps_are_merged_only_with_maps(base: Any, ours: Any, theirs: Any, both: Any) -> None:
    before = {"properties": {"a": base}} if base != {} else {}
    for sides in ((ours, theirs), (theirs, ours)):
        found = sections(before, *({"properties": {"a": one}} for one in sides))
        assert [one.at for one in found.conflicts] == ([] if both else ["properties (a)"])
        assert found.document["properties"] == {"a": both or sides[0]}


@pytest.mark.parametrize(
    ("section", "at"),
    [
        (
            lambda text: {"ownership": {"owners": [{"user": "ann", "description": text}]}},
            "ownership.owners (user ann).description",
        ),
        (
            lambda text: {"documentation": {"fields": [{"path": "id", "description": text}]}},
            "documentation.fields (id).description",
        ),
        (
            lambda text: {"schema": {"fields": [column("s", type="STRUCT", fields=[
                column("f", description=text)])]}},
            "schema.fields (s.f).description",
        ),
        (
            lambda text: {"schema": {"fields": [column("u", type="UNION", branches=[
                {"type": "STRUCT", "name": "A", "fields": [column("f", description=text)]},
                {"type": "STRING"}])]}},
            "schema.fields (u<A>.f).description",
        ),
    ],
    ids=["by one of several keys", "by one key", "member", "branch"],
)  # fmt: skip
def test_a_conflict_names_its_place_as_a_person_would(
    section: Callable[[str], dict[str, Any]], at: str
) -> None:
    found = sections(*map(section, ("a", "b", "c")))
    assert whys(found) == [(at, "changed differently on both sides")]

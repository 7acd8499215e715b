"""Since when each column is what it is."""

from pathlib import Path
from typing import Any

import pytest

from lumos_snap.commands.blame import blame
from lumos_snap.errors import OutsideError
from lumos_snap.git import blobs
from lumos_snap.report.history import BlamedColumn, Certainty, Origin
from lumos_snap.tree import open_tree
from tests.history.conftest import CLICKS, URN, Scripted, column, document, scripted, struct


def _said(made: Scripted, origin: Origin) -> str:
    if origin.commit is None:
        return "-"
    sign = "≤" if origin.certainty is Certainty.AT_THE_LATEST else ""
    return sign + made.name(origin.commit.id)


def _blamed(made: Scripted, ref: str | None = None) -> dict[str, tuple[str, str]]:
    tree = made.tree if ref is None else made.tree.at(ref)
    found = blame(tree, "clicks", ref).columns
    return {one.path: (_said(made, one.since), _said(made, one.first)) for one in found}


def _columns(made: Scripted) -> dict[str, BlamedColumn]:
    return {one.path: one for one in blame(made.tree, "clicks").columns}


def test_a_column_is_blamed_on_the_commit_that_last_changed_it(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b", "INT32")))
    made.commit("wider", document(column("a"), column("b", "INT64")))
    made.commit("more", document(column("a"), column("b", "INT64"), column("c")))
    made.commit(
        "required", document(column("a"), column("b", "INT64"), column("c", nullable=False))
    )
    assert _blamed(made) == {
        "a": ("first", "first"),
        "b": ("wider", "first"),
        "c": ("required", "more"),
    }


def test_words_and_neighbours_are_no_change_of_a_column(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    made.commit("words", document(column("a", description="x"), column("b")))
    made.commit("order", document(column("b"), column("a", description="y")))
    made.commit("said", document(column("b"), column("a"), documentation={"description": "x"}))
    assert _blamed(made) == {"b": ("first", "first"), "a": ("first", "first")}


def test_nested_columns_have_origins_of_their_own(made: Scripted) -> None:
    items = column("items", "ARRAY", element={"type": "INT32", "nullable": True})
    wider = column("items", "ARRAY", element={"type": "INT64", "nullable": True})
    made.commit("first", document(struct("page", column("url")), items))
    made.commit("member", document(struct("page", column("url"), column("ref")), items))
    made.commit("element", document(struct("page", column("url"), column("ref")), wider))
    assert _blamed(made) == {
        "page": ("first", "first"),
        "page.url": ("first", "first"),
        "page.ref": ("member", "member"),
        "items": ("first", "first"),
        "items[]": ("element", "first"),
    }


def test_another_type_brings_its_members_along(made: Scripted) -> None:
    made.commit("first", document(column("page")))
    made.commit("struct", document(struct("page", column("url"))))
    assert _blamed(made) == {"page": ("struct", "first"), "page.url": ("struct", "struct")}


def test_a_rename_by_id_is_followed(made: Scripted) -> None:
    made.commit("first", document(column("a", id=1), column("x", id=2)))
    made.commit("type", document(column("a", "INT64", id=1), column("x", id=2)))
    made.commit("rename", document(column("b", "INT64", id=1), column("x", id=2)))
    assert _blamed(made) == {"b": ("rename", "first"), "x": ("first", "first")}
    assert _columns(made)["b"].first_path == "a"


def test_a_declared_rename_is_followed(made: Scripted) -> None:
    contract = {"fields": [{"path": "page.link", "renamed_from": "page.url"}]}
    made.commit("first", document(struct("page", column("url"))))
    made.commit("rename", document(struct("page", column("link")), contract=contract))
    made.commit("later", document(struct("page", column("link", "BINARY")), contract=contract))
    assert _blamed(made)["page.link"] == ("later", "first")
    assert _columns(made)["page.link"].first_path == "page.url"


def test_members_follow_their_renamed_struct(made: Scripted) -> None:
    made.commit("first", document(struct("page", column("url"), id=1)))
    made.commit("rename", document(struct("site", column("url"), id=1)))
    assert _blamed(made) == {"site": ("rename", "first"), "site.url": ("first", "first")}
    assert _columns(made)["site.url"].first_path == "page.url"


def test_names_that_change_places_are_told_by_ids(made: Scripted) -> None:
    made.commit("first", document(column("a", id=1), column("b", id=2)))
    made.commit("swap", document(column("b", id=1), column("a", id=2)))
    found = _columns(made)
    assert (found["b"].first_path, found["a"].first_path) == ("a", "b")
    assert _blamed(made) == {"b": ("swap", "first"), "a": ("swap", "first")}


def test_a_column_that_came_back_is_new(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b")))
    made.commit("gone", document(column("a")))
    made.commit("back", document(column("a"), column("b")))
    assert _blamed(made)["b"] == ("back", "back")


def test_a_type_that_came_back_is_as_old_as_its_return(made: Scripted) -> None:
    made.commit("first", document(column("a", "INT32")))
    made.commit("other", document(column("a", "INT64")))
    made.commit("revert", document(column("a", "INT32")))
    assert _blamed(made)["a"] == ("revert", "first")


def test_repeated_names_are_told_by_their_number(made: Scripted) -> None:
    made.commit("first", document(column("id"), column("id", "INT32")))
    made.commit("wider", document(column("id"), column("id", "INT64")))
    assert _blamed(made) == {"id": ("first", "first"), "id#2": ("wider", "first")}


def test_a_broken_version_is_looked_across(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b", "INT32")))
    made.commit("broken", b"{")
    made.commit("mended", document(column("a"), column("b", "INT64")))
    assert _blamed(made) == {"a": ("first", "first"), "b": ("mended", "first")}


@pytest.mark.parametrize("raw", [b"[]", b"\xff", b'{"schema": {"fields": [{"type": 1}, 2]}}'])
def test_a_version_that_is_no_snapshot_is_looked_across(made: Scripted, raw: bytes) -> None:
    made.commit("first", document(column("a")))
    made.commit("broken", raw)
    made.commit("mended", document(column("a")))
    assert _blamed(made) == {"a": ("first", "first")}


def test_what_is_not_committed_is_said_so(made: Scripted) -> None:
    made.commit("first", document(column("a"), column("b", "INT32")))
    made.put(document(column("a"), column("b", "INT64"), column("c")))
    assert _blamed(made) == {"a": ("first", "first"), "b": ("-", "first"), "c": ("-", "-")}
    assert _columns(made)["b"].since.certainty is Certainty.NOT_COMMITTED
    assert _blamed(made, "HEAD") == {"a": ("first", "first"), "b": ("first", "first")}


def test_another_layout_on_disk_is_no_change(made: Scripted) -> None:
    made.commit("first", document(column("a")))
    file = made.root / CLICKS
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert _blamed(made) == {"a": ("first", "first")}


def test_a_new_dataset_is_not_committed(made: Scripted) -> None:
    made.commit("empty")
    made.put(document(column("a")))
    assert _blamed(made) == {"a": ("-", "-")}


def test_each_side_of_a_merge_keeps_its_columns(made: Scripted) -> None:
    made.commit("first", document(column("a", "INT32"), column("b", "INT32")))
    made.git("checkout", "-qb", "side")
    made.commit("side", document(column("a", "INT64"), column("b", "INT32")))
    made.git("checkout", "-q", "main")
    made.commit("main", document(column("a", "INT32"), column("b", "INT64")))
    made.merge("side", "merge", document(column("a", "INT64"), column("b", "INT64"), column("c")))
    assert _blamed(made) == {
        "a": ("side", "first"),
        "b": ("main", "first"),
        "c": ("merge", "merge"),
    }


def test_what_a_merge_decides_is_blamed_on_it(made: Scripted) -> None:
    made.commit("first", document(column("a", "INT32")))
    made.git("checkout", "-qb", "side")
    made.commit("side", document(column("a", "INT64")))
    made.git("checkout", "-q", "main")
    made.commit("main", document(column("a", "FLOAT64")))
    made.merge("side", "merge", document(column("a", "STRING")))
    assert _blamed(made) == {"a": ("merge", "first")}


def test_a_renamed_dataset_is_followed(made: Scripted) -> None:
    made.commit("first", document(column("a"), urn="lumos://s3/lake/old"))
    renamed = document(column("a"), column("b"), contract={"renamed_from": "lumos://s3/lake/old"})
    made.commit("rename", renamed, gone="snapshots/s3/lake/old.json")
    assert _blamed(made) == {"a": ("first", "first"), "b": ("rename", "rename")}


def test_a_shallow_clone_says_where_it_ends(made: Scripted, tmp_path: Path) -> None:
    made.commit("first", document(column("a"), column("b", "INT32")))
    made.commit("second", document(column("a"), column("b", "INT64")))
    made.commit("third", document(column("a"), column("b", "INT64"), column("c")))
    made.git("clone", "-q", "--depth", "2", f"file://{made.top}", str(tmp_path / "clone"))
    found = blame(open_tree(tmp_path / "clone"), "clicks")
    said = {one.path: (_said(made, one.since), _said(made, one.first)) for one in found.columns}
    assert said == {
        "a": ("≤second", "≤second"),
        "b": ("≤second", "≤second"),
        "c": ("third", "third"),
    }
    assert found.ends_at == made.ids["second"]


def test_partition_and_key_columns_are_named_with_their_list(made: Scripted) -> None:
    day = {"partitioning": [{"name": "day", "type": "DATE"}]}
    month = {"partitioning": [{"name": "day", "type": "STRING"}]}
    made.commit("first", document(column("a"), storage=day))
    held = document(column("a"), storage=month)
    held["schema"]["key_fields"] = [column("a", "INT64")]
    made.commit("second", held)
    found = [
        (one.of.value, one.path, _said(made, one.since)) for one in blame(made.tree, URN).columns
    ]
    assert found == [
        ("fields", "a", "first"),
        ("key_fields", "a", "second"),
        ("partitioning", "day", "second"),
    ]


@pytest.mark.parametrize(
    ("inside", "options"), [("data/tree", ()), ("", ("--object-format=sha256",))]
)
def test_a_tree_may_lie_anywhere_in_any_repository(
    tmp_path: Path, inside: str, options: tuple[str, ...]
) -> None:
    made = scripted(tmp_path / "other", inside=inside, options=options)
    made.commit("first", document(column("a")))
    made.commit("second", document(column("a"), column("b")))
    assert _blamed(made) == {"a": ("first", "first"), "b": ("second", "second")}


def test_contents_that_come_and_go_are_read_once(
    made: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = document(column("a"), column("b")), document(column("a"), column("c"))
    for number in range(6):
        made.commit(f"{number}", (one, other)[number % 2])
    asked: list[str] = []

    def counted(repository: Any, oids: Any, **more: Any) -> Any:
        listed = list(oids)
        asked.extend(listed)
        return blobs(repository, listed, **more)

    monkeypatch.setattr("lumos_snap.history.versions.blobs", counted)
    assert _blamed(made) == {"a": ("0", "0"), "c": ("5", "5")}
    assert len(asked) == 2


def test_a_partial_clone_fetches_what_it_lacks(made: Scripted, tmp_path: Path) -> None:
    made.commit("first", document(column("a"), column("b", "INT32")))
    made.commit("second", document(column("a"), column("b", "INT64")))
    made.git("config", "uploadpack.allowFilter", "true")
    made.git("config", "uploadpack.allowAnySHA1InWant", "true")
    url = f"file://{made.top}"
    made.git("clone", "-q", "--filter=blob:none", url, str(tmp_path / "clone"))
    found = blame(open_tree(tmp_path / "clone"), "clicks").columns
    assert [_said(made, one.since) for one in found] == ["first", "second"]


def test_a_bare_repository_is_asked_with_a_ref(
    made: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made.commit("first", document(column("a")))
    made.git("clone", "-q", "--bare", str(made.top), str(tmp_path / "bare"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "bare"))
    found = blame(open_tree(tmp_path / "bare").at("main"), "clicks", "main")
    assert [_said(made, one.since) for one in found.columns] == ["first"]


def test_without_a_commit_nothing_can_be_said(made: Scripted) -> None:
    made.put(document(column("a")))
    with pytest.raises(OutsideError, match="no commit yet"):
        blame(made.tree, "clicks")

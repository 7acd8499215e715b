"""What a catalog confirmed is kept in git: nothing is lost, and nobody's word is taken for ours."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.encode import canonical_document, encode_document
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.sync.join import iter_documents
from lumos_snap.catalogs.sync_state import RemoteState, SyncBase, confirm, open_base, path_of
from lumos_snap.errors import OutsideError
from lumos_snap.git import open_repository
from lumos_snap.json_object import JsonObject
from lumos_snap.model.entities import Tag
from lumos_snap.model.snapshot import Snapshot
from tests.git.builder import Builder, git
from tests.git.conftest import _isolated

__all__ = ["_isolated"]

NAME = "datahub"


@pytest.fixture
def remote(tmp_path: Path) -> Builder:
    """A bare repository."""
    bare = Builder(tmp_path / "remote.git")
    git(tmp_path, "init", "--quiet", "--bare", str(bare.path))
    first = bare.clone("first")
    first.commit(README="shared\n")
    first.git("push", "--quiet", "origin", "main")
    bare.git("symbolic-ref", "HEAD", "refs/heads/main")
    return bare


@pytest.fixture
def clones(remote: Builder) -> tuple[Builder, Builder]:
    """Two clones of it, each with git of its own."""
    return remote.clone("one"), remote.clone("two")


def dataset(name: str, **more: Any) -> tuple[Identity, dict[str, Any]]:
    urn = f"lumos://s3/lake/{name}"
    held = {"lumos_version": "1.0.0", "urn": urn, "name": name, "platform": "s3", **more}
    return Identity("snapshot", urn), canonical_document(held, Snapshot)


def tag(name: str) -> tuple[Identity, dict[str, Any]]:
    return Identity("tag", name), canonical_document(
        {"lumos_version": "1.0.0", "id": name, "name": name}, Tag
    )


def base_of(clone: Builder, *, fetch: bool = True) -> SyncBase:
    return open_base(open_repository(clone.path), NAME, fetch=fetch)


def held(base: SyncBase) -> dict[str, JsonObject]:
    found = list(iter_documents(base.documents()))
    assert [one for one, _ in found] == sorted(one for one, _ in found)
    return {identity.id: document for identity, document in found}


def head(clone: Builder) -> str:
    return clone.git("rev-parse", "HEAD")


def test_at_first_nothing_is_known(clones: tuple[Builder, Builder]) -> None:
    base = base_of(clones[0])
    assert (base.commit, held(base), base.remotes) == (None, {}, {})


def test_what_is_confirmed_comes_back(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    documents = dict([dataset("b"), dataset("a", properties={"x": "ü\n"}), tag("odd / name")])
    remotes = {identity: RemoteState({"schema": "3"}, "abc") for identity in documents}
    kept = confirm(base_of(one), documents, remotes, source=head(one))
    again = base_of(one)
    assert again.commit == kept.commit
    assert held(again) == {identity.id: document for identity, document in documents.items()}
    assert again.remotes == remotes


def test_others_see_it(clones: tuple[Builder, Builder]) -> None:
    one, two = clones
    confirm(base_of(one), dict([dataset("a")]), {}, source=head(one))
    assert set(held(base_of(two))) == {"lumos://s3/lake/a"}
    assert held(base_of(two, fetch=False)) == {}


def test_no_branch_no_index_and_no_file_is_touched(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    before = (one.git("status", "--porcelain"), one.git("branch", "--all"), head(one))
    confirm(base_of(one), dict([dataset("a")]), {}, source=head(one))
    assert (one.git("status", "--porcelain"), one.git("branch", "--all"), head(one)) == before
    assert one.git("for-each-ref", "--format=%(refname)", "refs/lumos/drafts") == ""


def test_its_parents_are_the_base_before_and_the_commit_synced(
    clones: tuple[Builder, Builder],
) -> None:
    one, _ = clones
    first = confirm(base_of(one), dict([dataset("a")]), {}, source=head(one))
    assert one.git("rev-list", "--parents", "--no-walk", str(first.commit)).split()[1:] == [
        head(one)
    ]
    source = one.commit(README="another\n")
    second = confirm(base_of(one), dict([dataset("b")]), {}, source=source)
    parents = one.git("rev-list", "--parents", "--no-walk", str(second.commit)).split()[1:]
    assert parents == [first.commit, source]
    assert set(held(second)) == {"lumos://s3/lake/a", "lumos://s3/lake/b"}


def test_bytes_that_the_tree_has_are_kept_once(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    identity, document = dataset("a")
    source = one.commit_files({path_of(identity): encode_document(document, Snapshot)})
    base = confirm(base_of(one), {identity: document}, {}, source=source)
    assert set(base.files) == {path_of(identity)}
    assert base.files[path_of(identity)].oid == one.git(
        "rev-parse", f"{source}:{path_of(identity)}"
    )


def test_what_goes_is_known_no_more(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    documents = dict([dataset("a"), dataset("b")])
    remotes = {identity: RemoteState({"schema": "1"}) for identity in documents}
    confirm(base_of(one), documents, remotes, source=None)
    gone = dataset("a")[0]
    base = confirm(base_of(one), {gone: None}, {}, source=None)
    assert set(held(base)) == {"lumos://s3/lake/b"}
    assert set(base.remotes) == {dataset("b")[0]}


def test_two_at_once_keep_what_each_confirmed(clones: tuple[Builder, Builder]) -> None:
    one, two = clones
    confirm(base_of(one), dict([dataset("shared")]), {}, source=None)
    first, second = base_of(one), base_of(two)
    confirm(first, dict([dataset("a")]), {}, source=None)
    confirm(second, dict([dataset("b")]), {}, source=None)
    everything = {f"lumos://s3/lake/{name}" for name in ("a", "b", "shared")}
    assert set(held(base_of(one))) == set(held(base_of(two))) == everything


def test_what_two_confirmed_differently_is_forgotten(clones: tuple[Builder, Builder]) -> None:
    one, two = clones
    confirm(base_of(one), dict([dataset("a"), dataset("b")]), {}, source=None)
    first, second = base_of(one), base_of(two)
    confirm(first, dict([dataset("a", environment="X")]), {}, source=None)
    confirm(second, dict([dataset("a", environment="Y"), dataset("c")]), {}, source=None)
    assert set(held(base_of(one))) == {"lumos://s3/lake/b", "lumos://s3/lake/c"}


def test_the_same_within_one_clone(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    first, second = base_of(one), base_of(one)
    confirm(first, dict([dataset("a", environment="X"), dataset("b")]), {}, source=None)
    confirm(second, dict([dataset("a", environment="Y"), dataset("c")]), {}, source=None)
    assert set(held(base_of(one))) == {"lumos://s3/lake/b", "lumos://s3/lake/c"}


def test_a_host_that_takes_only_branches_gets_one(
    remote: Builder, clones: tuple[Builder, Builder]
) -> None:
    one, two = clones
    remote.git("config", "receive.hideRefs", "refs/lumos")
    confirm(base_of(one), dict([dataset("a")]), {}, source=None)
    assert remote.git("for-each-ref", "--format=%(refname)", "refs/heads/lumos") == (
        "refs/heads/lumos/sync/datahub"
    )
    confirm(base_of(two), dict([dataset("b")]), {}, source=None)
    assert set(held(base_of(one))) == {"lumos://s3/lake/a", "lumos://s3/lake/b"}


def test_a_shallow_clone_will_do(remote: Builder, clones: tuple[Builder, Builder]) -> None:
    confirm(base_of(clones[0]), dict([dataset("a")]), {}, source=head(clones[0]))
    clones[0].commit(README="more\n")
    clones[0].git("push", "--quiet", "origin", "main")
    shallow = remote.clone("shallow", "--depth=1")
    base = base_of(shallow)
    assert set(held(base)) == {"lumos://s3/lake/a"}
    confirm(base, dict([dataset("b")]), {}, source=head(shallow))
    assert set(held(base_of(clones[1]))) == {"lumos://s3/lake/a", "lumos://s3/lake/b"}


def test_a_rewritten_history_takes_nothing_away(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    source = one.commit(README="soon gone\n")
    confirm(base_of(one), dict([dataset("a")]), {}, source=source)
    one.git("reset", "--quiet", "--hard", "HEAD~1")
    one.git("reflog", "expire", "--expire=now", "--all")
    one.git("gc", "--quiet", "--prune=now")
    assert set(held(base_of(one))) == {"lumos://s3/lake/a"}


def test_a_remote_that_does_not_answer_is_named(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    one.git("remote", "set-url", "origin", "file:///nowhere/at/all")
    with pytest.raises(OutsideError, match="origin cannot be asked what was confirmed"):
        base_of(one)
    base = confirm(base_of(one, fetch=False), dict([dataset("a")]), {}, source=None, push=False)
    assert set(held(base)) == {"lumos://s3/lake/a"}


def test_a_damaged_document_is_forgotten(clones: tuple[Builder, Builder]) -> None:
    one, _ = clones
    confirm(base_of(one), dict([dataset("a"), dataset("b")]), {}, source=None)
    ref = base_of(one).ref
    one.git("checkout", "--quiet", ref)
    one.commit_files({path_of(dataset("a")[0]): "{"})
    one.git("commit", "--quiet", "--amend", "--message", "lumos sync datahub: spoilt")
    one.git("update-ref", ref, "HEAD")
    assert set(held(base_of(one, fetch=False))) == {"lumos://s3/lake/b"}


def test_a_sha256_repository_will_do(tmp_path: Any) -> None:
    clone = Builder(tmp_path / "new")
    subprocess.run(
        ["git", "init", "--quiet", "--object-format=sha256", str(clone.path)], check=True
    )
    identity, document = dataset("a")
    source = clone.commit_files({path_of(identity): encode_document(document, Snapshot)})
    remotes = {identity: RemoteState({"x": "1"})}
    base = confirm(base_of(clone), {identity: document}, remotes, source=source)
    assert held(base) == {identity.id: document}

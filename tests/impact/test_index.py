"""The index of a tree, on real repositories: built, renewed, broken, or not there at all."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from lumos_snap.git import open_repository
from lumos_snap.impact.index import NAME, graph_now, load_lineage
from lumos_snap.lineage import Graph, LineageLink
from lumos_snap.tree import open_tree
from tests.git.builder import Builder
from tests.lineage.lineages import content, document, edge, path, urn

Files = dict[str, str | bytes]


def snapshots(**upstream: tuple[object, ...]) -> Files:
    found = {name: content(name, *edges) for name, edges in upstream.items()}  # type: ignore[arg-type]
    return {f"snapshots/{path(name)}": raw for name, raw in found.items()}


@pytest.fixture
def tree(tmp_path: Path) -> Builder:
    """A tree of three datasets, the last made from the others, committed."""
    folder = tmp_path / "tree"
    folder.mkdir()
    builder = Builder(folder)
    builder.git("init", "--quiet", "--initial-branch", "main")
    start = snapshots(a=(), b=(edge("a", "x>y", via="job"),), c=(edge("b"), edge("nowhere")))
    builder.commit_files({"lumos.yaml": "version: 1\n", **start})
    return builder


def links(graph: Graph) -> set[tuple[str, str]]:
    return {
        (one.upstream.rpartition("/")[2], one.consumer.rpartition("/")[2])
        for one in graph.all_links()
    }


def index(tree: Builder) -> Path:
    return tree.path / ".git/lumos" / NAME


def now(tree: Builder) -> Graph:
    return graph_now(open_tree(tree.path))


START = {("a", "b"), ("b", "c"), ("nowhere", "c")}


def test_the_index_is_built_once_and_git_does_not_see_it(tree: Builder) -> None:
    assert links(now(tree)) == START
    before = index(tree).stat().st_mtime_ns, index(tree).read_bytes()
    assert links(now(tree)) == START
    assert (index(tree).stat().st_mtime_ns, index(tree).read_bytes()) == before
    assert tree.git("status", "--porcelain", "--ignored=no") == ""
    assert [one.name for one in index(tree).parent.iterdir()] == [NAME]


def test_what_is_not_committed_counts(tree: Builder) -> None:
    now(tree)
    tree.write(f"snapshots/{path('b')}", content("b", edge("c")))
    tree.write(f"snapshots/{path('d')}", content("d", edge("a")))
    (tree.path / f"snapshots/{path('c')}").unlink()
    graph = now(tree)
    assert links(graph) == {("c", "b"), ("a", "d")}
    assert (graph.knows(urn("c")), graph.knows(urn("d"))) == (False, True)
    assert links(graph_now(open_tree(tree.path).at("main"))) == START


@pytest.mark.parametrize("count", [3, 150])
def test_commits_since_the_index_was_written_are_taken_up(tree: Builder, count: int) -> None:
    now(tree)
    written = index(tree).read_bytes()
    more = {f"n{number}": (edge("a", "x>x"),) for number in range(count)}
    tree.commit_files({**snapshots(**more), f"snapshots/{path('c')}": content("c")})
    expected = {("a", "b"), *(("a", name) for name in more)}
    assert links(now(tree)) == expected
    assert (index(tree).read_bytes() == written) is (count < 100)
    if count > 100:
        renewed = index(tree).read_bytes()
        index(tree).unlink()
        now(tree)
        assert index(tree).read_bytes() == renewed


def _truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-10])


def _flip(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(bytes(raw))


def _be_older(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"lumos-lineage 1", b"lumos-lineage 0"))


def _be_of_a_tree_that_is_gone(file: Path) -> None:
    head, _, rest = file.read_bytes().partition(b"\n")
    magic, version, tree, said = head.split(b" ")
    file.write_bytes(b" ".join((magic, version, b"f" * len(tree), said)) + b"\n" + rest)


def _be_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _be_a_pipe(file: Path) -> None:
    os.mkfifo(file.with_name("pipe"))
    file.with_name("pipe").replace(file)


def _be_a_link(file: Path) -> None:
    file.rename(file.parent / "other")
    file.symlink_to("other")


DAMAGES = (
    lambda file: file.write_bytes(b""),
    lambda file: file.write_bytes(b"\0" * 1000),
    lambda file: file.write_bytes(b"lumos-lineage 1 x 00000000\nno lines"),
    _be_a_pipe,
    _truncate,
    _flip,
    _be_older,
    _be_of_a_tree_that_is_gone,
    _be_a_folder,
    _be_a_link,
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_index_that_is_wrong_is_never_believed(
    tree: Builder, damage: Callable[[Path], object]
) -> None:
    now(tree)
    whole = index(tree).read_bytes()
    damage(index(tree))
    assert links(now(tree)) == START
    if index(tree).is_file():
        assert index(tree).read_bytes() == whole


def test_an_index_of_another_repository_is_not_taken_for_this_one(
    tree: Builder, tmp_path: Path
) -> None:
    now(tree)
    other = Builder(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "--quiet")
    other.commit_files({"lumos.yaml": "version: 1\n", **snapshots(z=(edge("q"),))})
    shutil.copytree(index(tree).parent, index(other).parent)
    assert links(now(other)) == {("q", "z")}


def test_a_folder_that_nothing_can_be_written_to_is_read_without(tree: Builder) -> None:
    index(tree).parent.write_text("no folder")
    assert links(now(tree)) == START
    assert index(tree).parent.read_text() == "no folder"


def test_a_read_only_folder_is_read_without(tree: Builder) -> None:
    # Root may write anywhere, unless that right is taken from it.
    bound = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.geteuid() == 0 else ()
    program = "import sys; from lumos_snap.cli import main; sys.exit(main(['snap', 'impact']))"
    folder = tree.path / ".git"
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        refused = subprocess.run([*bound, "touch", "x"], cwd=folder, check=False)
        done = subprocess.run(
            [*bound, sys.executable, "-c", program], cwd=tree.path, capture_output=True, check=False
        )
    finally:
        folder.chmod(stat.S_IRWXU)
    assert refused.returncode != 0
    assert (done.returncode, done.stderr) == (0, b"")
    assert f"{len(START)} edges".encode() in done.stdout
    assert not index(tree).exists()


def test_what_a_commit_brings_along_is_not_believed(tree: Builder) -> None:
    now(tree)
    forged = index(tree).read_bytes()
    tree.commit_files(snapshots(d=(edge("a"),)))
    head = tree.git("rev-parse", "HEAD:snapshots").encode()
    said = forged.split(b" ")[2]
    for name in (".lumos/lineage", "lumos/lineage"):
        tree.write(name, forged.replace(said, head))
    tree.git("add", "--force", "--all")
    tree.git("commit", "--quiet", "--message", "Nobody reads it")
    index(tree).unlink()
    assert links(now(tree)) == {*START, ("a", "d")}


def test_a_bare_repository_is_read_without(tree: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tree.clone("bare.git", "--bare")
    monkeypatch.setenv("GIT_DIR", str(bare.path))
    before = sorted(bare.path.rglob("*"))
    assert links(graph_now(open_tree(bare.path).at("main"))) == START
    assert sorted(bare.path.rglob("*")) == before


def test_a_folder_without_git_is_read_whole(tree: Builder, tmp_path: Path) -> None:
    shutil.copytree(tree.path, tmp_path / "plain", ignore=shutil.ignore_patterns(".git"))
    plain = Builder(tmp_path / "plain")
    assert links(now(plain)) == START
    assert not index(plain).exists()


def test_a_repository_without_a_commit_is_read_whole(tmp_path: Path) -> None:
    tree = Builder(tmp_path)
    tree.git("init", "--quiet")
    for name, raw in {"lumos.yaml": b"version: 1\n", **snapshots(b=(edge("a"),))}.items():
        tree.write(name, raw)
    assert links(now(tree)) == {("a", "b")}


def test_a_tree_below_the_top_and_a_commit_without_snapshots(tmp_path: Path) -> None:
    top = Builder(tmp_path)
    top.git("init", "--quiet")
    top.commit_files({"s3/lumos.yaml": "version: 1\n"})
    tree = Builder(tmp_path / "s3")
    assert links(now(tree)) == set()
    tree.commit_files(snapshots(b=(edge("a"),)))
    assert links(now(tree)) == {("a", "b")}
    tree.commit_files(snapshots(c=(edge("b"),)))
    assert links(now(tree)) == {("a", "b"), ("b", "c")}


def test_a_blobless_clone_fetches_all_at_once_or_says_that_it_may_not(tree: Builder) -> None:
    tree.git("config", "uploadpack.allowFilter", "true")
    tree.git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tree.clone("partial", "--filter=blob:none", "--no-checkout")
    repository = open_repository(clone.path)
    from lumos_snap.errors import OutsideError  # noqa: PLC0415

    with pytest.raises(OutsideError, match="fetching is off"):
        load_lineage(repository, "main", fetch=False)
    assert len(list(load_lineage(repository, "main", fetch=True).index.lines())) == 6


AWKWARD = {
    "compact": orjson.dumps(document("compact", edge("a", "x>y"))),
    "indented": orjson.dumps(document("indented", edge("a")), option=orjson.OPT_INDENT_2),
    "windows": content("windows", edge("a", "x>y")).replace(b"\n", b"\r\n"),
    "twice": content("twice", edge("a", "x>y", by='"lineage"'), properties={"lineage": [1]}),
    "worded": content(
        "worded", edge("a", by="x"), documentation={"description": '      ]}\n"urn"'}
    ),
    "split": content("split", edge("a", "x>y", "z>z")).replace(b'"to": "y"},', b'"to": "y"\n},'),
    "keyed": content(
        "keyed",
        edge("a"),
        schema={
            "fields": [{"name": "x", "type": "INT64", "nullable": True}],
            "foreign_keys": [{"urn": urn("foreign"), "columns": ["x"]}],
        },
    ),
}
BROKEN = {
    "empty": b"",
    "cut": content("cut", edge("a", "x>y"))[:-60],
    "elsewhere": content("a", edge("b")),
    "binary": bytes(range(256)),
    "list": b"[]",
}


def test_files_of_any_layout_say_the_same_at_a_commit_and_in_a_folder(
    tree: Builder, tmp_path: Path
) -> None:
    files = {f"snapshots/{path(name)}": raw for name, raw in (AWKWARD | BROKEN).items()}
    tree.commit_files({**files, "snapshots/s3/.hidden.json": b"{", "snapshots/s3/note.txt": b"{"})
    (tree.path / "snapshots/s3/lake/link.json").symlink_to("a.json")
    tree.git("add", "--all")
    tree.git("commit", "--quiet", "--message", "link")
    shutil.copytree(
        tree.path, tmp_path / "plain", ignore=shutil.ignore_patterns(".git"), symlinks=True
    )
    committed, plain = now(tree), now(Builder(tmp_path / "plain"))
    assert set(committed.all_links()) == set(plain.all_links())
    assert committed.broken == plain.broken == tuple(sorted(map(path, BROKEN)))
    assert committed.all_datasets() == plain.all_datasets()
    assert {("a", name) for name in AWKWARD} <= links(committed)
    assert ("foreign", "keyed") not in links(committed)


def test_a_user_s_configuration_changes_nothing(tree: Builder) -> None:
    for name, value in (
        ("grep.column", "true"),
        ("grep.lineNumber", "false"),
        ("grep.patternType", "perl"),
        ("grep.fullName", "true"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
        ("grep.threads", "1"),
    ):
        tree.git("config", name, value)
    tree.write(".gitattributes", "*.json binary\n")
    tree.commit()
    assert links(now(tree)) == START


@pytest.mark.parametrize(
    "name",
    [
        "ünï cøde",
        "a`b",
        "x" * 300,
        "@everyone",
        "](javascript:alert(1))",
        "::error::",
        "\x1b[31m",
        "a\nb",
        "<script>",
    ],
)
def test_hostile_names_are_names(tree: Builder, name: str) -> None:
    from lumos_snap.model.urn import Urn  # noqa: PLC0415

    hostile = str(Urn("s3", ("lake", name)))
    raw = content(hostile, edge("a", via=name or "x"))
    tree.commit_files(
        {f"snapshots/{path(hostile)}": raw, f"snapshots/{path('z')}": content("z", edge(hostile))}
    )
    graph = now(tree)
    assert LineageLink(urn("a"), hostile, name) in graph.links_from(urn("a"))
    assert [one.consumer for one in graph.links_from(hostile)] == [urn("z")]

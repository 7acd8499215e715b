"""HDFS that requires Kerberos: a ticket or a token opens it, and without one that is the reason."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.components.yarn.conftest import gone_after, new_tree
from tests.components.yarn.environments import worker_python
from tests.components.yarn.hadoop import Hdfs, Yarn, hdfs, yarn
from tests.components.yarn.kerberos import Realm, realm
from tests.world.clusters.tree import Ran, Tree
from tests.world.servers.clusters import standalone

REQUIRED = "requires Kerberos"


@dataclass(frozen=True, slots=True)
class Secured:
    """Two HDFS clusters in one realm, and YARN above the first."""

    realm: Realm
    first: Hdfs
    second: Hdfs
    cluster: Yarn

    @property
    def conf(self) -> Mapping[str, str]:
        return {"HADOOP_CONF_DIR": str(self.cluster.conf)}

    @property
    def ticket(self) -> Mapping[str, str]:
        """What alice has after `kinit`; Java is told where the KDC is."""
        return {**self.realm.ticket("alice"), "JAVA_TOOL_OPTIONS": self.realm.options}


@pytest.fixture(scope="module")
def secured() -> Iterator[Secured]:
    with ExitStack() as stack:
        folders = [stack.enter_context(gone_after()) for _ in range(4)]
        keys = stack.enter_context(realm(folders[0], "alice"))
        first, second = (stack.enter_context(hdfs(one, keys)) for one in folders[1:3])
        first.shell("-mkdir", "-p", "/user/alice")
        first.shell("-chown", "alice", "/user/alice")
        cluster = stack.enter_context(yarn(folders[3], first, nodes=1))
        yield Secured(keys, first, second, cluster)


@pytest.fixture(scope="module")
def lakes(secured: Secured, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The address of a folder on each HDFS."""
    top = tmp_path_factory.mktemp("lakes")
    found = []
    for name, there in (("orders", secured.first), ("stores", secured.second)):
        (top / name).mkdir()
        (top / name / f"{name}.csv").write_text("id,name\n1,a\n2,b\n")
        there.put(top / name, f"/team/{name}")
        found.append(f"{there.url}/team/{name}")
    return found[0], found[1]


@pytest.fixture(scope="module")
def here(
    secured: Secured, lakes: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Tree:
    """What this machine reads with a ticket."""
    tree = with_sources(new_tree(tmp_path_factory.mktemp("here") / "tree"), lakes)
    ran = scanned(tree, "--engine", "local", **secured.ticket, **secured.conf)
    assert ran.code == 0, ran.err
    assert len(tree.snapshots()) == 2
    return tree


def with_sources(tree: Tree, places: tuple[str, ...]) -> Tree:
    """Sources by the last names of their addresses; Spark is set up only where it runs."""
    lines = (f"  - {{name: {one.rpartition('/')[2]}, path: '{one}'}}\n" for one in places)
    (tree.root / "lumos.yaml").write_text(f"version: 1\nsources:\n{''.join(lines)}")
    return tree


def scanned(tree: Tree, *options: str, **env: str) -> Ran:
    """A scan of all sources of lumos.yaml."""
    if "--master" not in options:
        tree.set()
    return tree.scan(None, *options, **env)


def test_a_ticket_is_enough_without_settings_of_hadoop(
    tree: Tree, lakes: tuple[str, str], secured: Secured, here: Tree
) -> None:
    ran = scanned(with_sources(tree, lakes), "--engine", "local", **secured.ticket)
    assert ran.code == 0, ran.err
    assert tree.snapshots() == here.snapshots()


@pytest.mark.parametrize("is_configured", [True, False])
def test_without_a_ticket_the_reason_is_kerberos(
    tree: Tree, lakes: tuple[str, str], secured: Secured, *, is_configured: bool
) -> None:
    env = secured.conf if is_configured else {}
    ran = scanned(with_sources(tree, lakes[:1]), "--engine", "local", **env)
    assert ran.code == 3
    assert f"{lakes[0]}: " in ran.err
    assert REQUIRED in ran.err
    assert "GSSAPI" not in ran.err


def test_workers_of_yarn_get_tokens_for_every_source(
    tree: Tree, lakes: tuple[str, str], secured: Secured, here: Tree
) -> None:
    """Both are named by host and port; only the first is what `fs.defaultFS` names."""
    options = (
        f"spark.executorEnv.JAVA_TOOL_OPTIONS={secured.realm.options}",
        f"spark.yarn.appMasterEnv.JAVA_TOOL_OPTIONS={secured.realm.options}",
    )
    tree.conf.extend(word for one in options for word in ("--conf", one))
    env = {**secured.ticket, **secured.conf, "PYSPARK_PYTHON": str(worker_python())}
    ran = scanned(with_sources(tree, lakes), "--master", "yarn", **env)
    assert ran.code == 0, ran.err
    assert tree.snapshots() == here.snapshots()


def test_workers_without_tickets_are_one_reason_for_each_source(
    tree: Tree, lakes: tuple[str, str], secured: Secured, tmp_path: Path
) -> None:
    """A standalone cluster passes no tokens on to Python; what else there is is scanned."""
    (tmp_path / "near").mkdir()
    (tmp_path / "near/cities.csv").write_text("id,name\n1,Brno\n")
    places = (str(tmp_path / "near"), lakes[0])
    tree.set(executor__cores="1", executor__memory="512m")
    with standalone(worker_python()) as cluster:
        env = {**secured.ticket, "PYSPARK_PYTHON": str(cluster.python)}
        ran = scanned(with_sources(tree, places), "--master", cluster.url, **env)
    assert ran.code == 3, ran.err
    assert (ran.out + ran.err).count(REQUIRED) == 1
    assert f"not reached: orders: {lakes[0]}: " in ran.out
    assert [Path(path).stem for path in tree.snapshots()] == ["cities"]

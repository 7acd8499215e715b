"""One HDFS and one YARN for all tests, and how a scan finds them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark
import pytest

from tests.components.yarn.environments import worker_python
from tests.components.yarn.hadoop import Hdfs, Yarn, hdfs, yarn
from tests.world.clusters.tree import Tree
from tests.world.scans.lake import build

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
JARS = Path(pyspark.__file__).parent / "jars"


@dataclass(frozen=True, slots=True)
class Client:
    """How a command uses a cluster."""

    cluster: Yarn
    python: Path

    @property
    def env(self) -> Mapping[str, str]:
        return {
            "HADOOP_CONF_DIR": str(self.cluster.conf),
            "HADOOP_USER_NAME": "root",
            "PYSPARK_PYTHON": str(self.python),
        }


@contextmanager
def gone_after() -> Iterator[Path]:
    """A folder for servers: pytest would keep hundreds of megabytes of three runs."""
    with TemporaryDirectory(prefix="lumos-hadoop-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def below() -> Iterator[Hdfs]:
    with gone_after() as folder, hdfs(folder) as running:
        yield running


@pytest.fixture(scope="session")
def client(below: Hdfs) -> Iterator[Client]:
    """Of a cluster with two nodes."""
    with gone_after() as folder, yarn(folder, below, nodes=2) as running:
        yield Client(running, worker_python())


@pytest.fixture(scope="session")
def deserted(below: Hdfs) -> Iterator[Client]:
    """Of a cluster without any node."""
    with gone_after() as folder, yarn(folder, below, nodes=0) as running:
        yield Client(running, worker_python())


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory, below: Hdfs) -> str:
    """The address of a lake with something of everything."""
    top = tmp_path_factory.mktemp("everything") / "lake"
    top.mkdir()
    build(top)
    below.put(top, "/team/lake")
    return f"{below.url}/team/lake"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """An empty tree; executors are small and start soon, and Spark's jars are not sent along."""
    return new_tree(tmp_path / "tree")


def new_tree(root: Path) -> Tree:
    root.mkdir()
    (root / "lumos.yaml").write_text("version: 1\n")
    tree = Tree(root)
    small = {"executor__memory": "512m", "executor__instances": "1", "yarn__am__memory": "512m"}
    quick = {"executor__extraJavaOptions": QUICK, "yarn__am__extraJavaOptions": QUICK}
    tree.set(**small, **quick, yarn__jars=f"local:{JARS}/*")
    return tree

"""Real HDFS and YARN on the loopback: Hadoop's own servers, each in a Java of its own."""

import json
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.components.yarn.kerberos import Realm
from tests.components.yarn.servers import environment, java, start, until
from tests.components.yarn.settings import (
    HERE,
    QUEUES,
    Datanode,
    Manager,
    Namenode,
    Node,
    hdfs_settings,
    node_settings,
    write,
    yarn_settings,
)
from tests.world.servers.clusters import Started, asked, is_open
from tests.world.servers.processes import free_ports

_SERVERS = "org.apache.hadoop"


@dataclass(frozen=True, slots=True)
class Hdfs:
    """A NameNode and a DataNode."""

    folder: Path
    port: int
    realm: Realm | None = None

    @property
    def url(self) -> str:
        """Kerberos knows the server by the name of the machine."""
        return f"hdfs://{'localhost' if self.realm else HERE}:{self.port}"

    @property
    def core(self) -> Mapping[str, str]:
        """What core-site.xml has, for servers and clients."""
        return {"fs.defaultFS": self.url, **(self.realm.core if self.realm else {})}

    def java(self, memory: str, conf: Path) -> list[str]:
        """The command of one of its servers, or of a client."""
        return java(memory, *([self.realm.options] if self.realm else []), conf=conf)

    def shell(self, *words: str) -> None:
        """Run `hdfs dfs` as the superuser."""
        ticket = self.realm.ticket("hdfs/localhost") if self.realm else {}
        program = self.java("256m", self.folder / "hdfs")
        _ran([*program, f"{_SERVERS}.fs.FsShell", *words], ticket)

    def put(self, source: Path, target: str) -> None:
        """Copy a file or a folder into HDFS."""
        self.shell("-mkdir", "-p", target.rpartition("/")[0] or "/")
        self.shell("-put", str(source), target)


@dataclass(frozen=True, slots=True)
class Yarn:
    """A ResourceManager and its NodeManagers."""

    conf: Path
    """What HADOOP_CONF_DIR is for clients."""
    web: str
    """Where its REST interface is."""
    nodes: tuple[Started, ...]

    def applications(self) -> list[dict[str, Any]]:
        """What the ResourceManager knows of each application, in the order of submission."""
        found = asked(f"{self.web}/apps")["apps"] or {"app": []}
        return sorted(found["app"], key=lambda one: str(one["id"]))

    def live_nodes(self) -> int:
        answer = asked(f"{self.web}/metrics")
        return int(answer["clusterMetrics"]["activeNodes"]) if answer else 0

    def kill(self, application: str) -> None:
        """End an application, as an operator does."""
        request = urllib.request.Request(  # noqa: S310 - our own loopback
            f"{self.web}/apps/{application}/state?user.name=root",
            data=json.dumps({"state": "KILLED"}).encode(),
            headers={"Content-Type": "application/json"},
            method="PUT",
        )
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310 - likewise
            return


@contextmanager
def hdfs(folder: Path, realm: Realm | None = None) -> Iterator[Hdfs]:
    """A cluster of one node, in which everything lies in a folder."""
    name, web, data, info, ipc = free_ports(5)
    conf, server = folder / "hdfs", f"{_SERVERS}.hdfs.server"
    made = Hdfs(folder, name, realm)
    site = hdfs_settings(folder, Namenode(name, web), Datanode(data, info, ipc))
    more = realm.hdfs if realm else {}
    # The defaults of HDFS would win over what only core-site.xml has.
    write(conf, {"core": {**made.core, **more}, "hdfs": {**site, **more}})
    for page in ("hdfs", "datanode"):  # the jars of 3.5 lack these, and do not start without them
        (conf / "webapps" / page).mkdir(parents=True)
    program = made.java("256m", conf)
    _ran([*program, f"{server}.namenode.NameNode", "-format", "-nonInteractive"], {})
    with ExitStack() as stack:
        log = folder / "namenode.log"
        first = start(stack, [*program, f"{server}.namenode.NameNode"], log)
        until(lambda: is_open(name), first)  # a DataNode that comes first waits for 5 s
        log = folder / "datanode.log"
        second = start(stack, [*program, f"{server}.datanode.DataNode"], log)
        state = "Hadoop:service=NameNode,name=FSNamesystemState"
        until(lambda: _live(asked(f"http://{HERE}:{web}/jmx?qry={state}")) == 1, second)
        yield made


@contextmanager
def yarn(folder: Path, below: Hdfs, nodes: int = 2) -> Iterator[Yarn]:
    """A ResourceManager with some NodeManagers, which have 4 GB each."""
    manager = Manager(*free_ports(5))
    site, core = yarn_settings(folder, manager), below.core
    site |= below.realm.yarn if below.realm else {}
    made = Yarn(folder / "yarn", f"http://{HERE}:{manager.web}/ws/v1/cluster", ())
    write(made.conf, {"core": core, "yarn": site, "capacity-scheduler": QUEUES})
    with ExitStack() as stack:
        server = f"{_SERVERS}.yarn.server"
        program = [*below.java("384m", made.conf), f"{server}.resourcemanager.ResourceManager"]
        first = start(stack, program, folder / "resourcemanager.log")
        until(lambda: is_open(manager.tracker), first)
        started = []
        for number in range(nodes):
            conf = folder / f"node{number}"
            own = node_settings(folder / f"on{number}", Node(*free_ports(4)))
            write(conf, {"core": core, "yarn": {**site, **own}})
            program = [*below.java("384m", conf), f"{server}.nodemanager.NodeManager"]
            started.append(start(stack, program, folder / f"nodemanager{number}.log"))
        until(lambda: made.live_nodes() == nodes, (started or [first])[-1])
        yield replace(made, nodes=tuple(started))


def _live(answer: Any) -> int:
    beans = answer["beans"] if answer else ()
    return sum(one["NumLiveDataNodes"] for one in beans)


def _ran(command: Sequence[str], env: Mapping[str, str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, env=environment(env)
    )
    assert done.returncode == 0, f"{command[-3:]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"

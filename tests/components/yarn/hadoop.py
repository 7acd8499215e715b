"""Real HDFS and YARN on the loopback: Hadoop's own servers, each in a Java of its own."""

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.components.yarn.jars import jars
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

PATIENCE = 120  # seconds: two cores may be busy with other tests
_OPENED = ("lang", "net", "util", "nio")
_QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_SERVERS = "org.apache.hadoop"


@dataclass(frozen=True, slots=True)
class Hdfs:
    """A NameNode and a DataNode."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"hdfs://{HERE}:{self.port}"

    def put(self, source: Path, target: str) -> None:
        """Copy a file or a folder into HDFS."""
        shell = [*_java(self.folder / "hdfs", "256m"), f"{_SERVERS}.fs.FsShell"]
        _ran([*shell, "-mkdir", "-p", target.rpartition("/")[0] or "/"])
        _ran([*shell, "-put", str(source), target])


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
def hdfs(folder: Path) -> Iterator[Hdfs]:
    """A cluster of one node, in which everything lies in a folder."""
    name, web, data, info, ipc = free_ports(5)
    conf, server = folder / "hdfs", f"{_SERVERS}.hdfs.server"
    made = Hdfs(folder, name)
    site = hdfs_settings(folder, Namenode(name, web), Datanode(data, info, ipc))
    write(conf, {"core": {"fs.defaultFS": made.url}, "hdfs": site})
    for page in ("hdfs", "datanode"):  # the jars of 3.5 lack these, and do not start without them
        (conf / "webapps" / page).mkdir(parents=True)
    program = _java(conf, "256m")
    _ran([*program, f"{server}.namenode.NameNode", "-format", "-nonInteractive"])
    with ExitStack() as stack:
        log = folder / "namenode.log"
        first = _started(stack, [*program, f"{server}.namenode.NameNode"], log)
        _until(lambda: is_open(name), first)  # a DataNode that comes first waits for 5 s
        log = folder / "datanode.log"
        second = _started(stack, [*program, f"{server}.datanode.DataNode"], log)
        state = "Hadoop:service=NameNode,name=FSNamesystemState"
        _until(lambda: _live(asked(f"http://{HERE}:{web}/jmx?qry={state}")) == 1, second)
        yield made


@contextmanager
def yarn(folder: Path, below: Hdfs, nodes: int = 2) -> Iterator[Yarn]:
    """A ResourceManager with some NodeManagers, which have 4 GB each."""
    manager = Manager(*free_ports(5))
    site, core = yarn_settings(folder, manager), {"fs.defaultFS": below.url}
    made = Yarn(folder / "yarn", f"http://{HERE}:{manager.web}/ws/v1/cluster", ())
    write(made.conf, {"core": core, "yarn": site, "capacity-scheduler": QUEUES})
    with ExitStack() as stack:
        server = f"{_SERVERS}.yarn.server"
        program = [*_java(made.conf, "384m"), f"{server}.resourcemanager.ResourceManager"]
        first = _started(stack, program, folder / "resourcemanager.log")
        _until(lambda: is_open(manager.tracker), first)
        started = []
        for number in range(nodes):
            conf = folder / f"node{number}"
            own = node_settings(folder / f"on{number}", Node(*free_ports(4)))
            write(conf, {"core": core, "yarn": {**site, **own}})
            program = [*_java(conf, "384m"), f"{server}.nodemanager.NodeManager"]
            started.append(_started(stack, program, folder / f"nodemanager{number}.log"))
        _until(lambda: made.live_nodes() == nodes, (started or [first])[-1])
        yield replace(made, nodes=tuple(started))


def _live(answer: Any) -> int:
    beans = answer["beans"] if answer else ()
    return sum(one["NumLiveDataNodes"] for one in beans)


def _java(conf: Path, memory: str) -> list[str]:
    opened = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED]
    security = "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED"
    return ["java", f"-Xmx{memory}", *_QUICK, *opened, security, "-cp", f"{conf}:{jars()}/*"]


def _started(stack: ExitStack, command: Sequence[str], log: Path) -> Started:
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env=_environment(),
        )
    started = Started(process, log)
    stack.callback(started.kill)  # a NodeManager would take half a minute to say goodbye
    return started


def _ran(command: Sequence[str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300, env=_environment()
    )
    assert done.returncode == 0, f"{command[-3:]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def _environment() -> Mapping[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HADOOP_")}
    return {**plain, "HADOOP_USER_NAME": "root"}


def _until(is_so: Callable[[], bool], started: Started) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        if started.process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"it does not start:\n{started.said[-3000:]}")
        time.sleep(0.1)

"""What Hadoop's servers and their clients are told: small, on the loopback, on free ports."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HERE = "127.0.0.1"
TINY, SMALL = "tiny", "small"
_SCHEDULER = "yarn.scheduler.capacity"
QUEUES = {
    f"{_SCHEDULER}.root.queues": f"default,{SMALL},{TINY}",
    f"{_SCHEDULER}.root.default.capacity": "79",
    # Of two nodes with 4 GB: an application of Spark starts, and none of its executors does.
    f"{_SCHEDULER}.root.{SMALL}.capacity": "20",
    f"{_SCHEDULER}.root.{SMALL}.maximum-capacity": "20",
    # No application starts.
    f"{_SCHEDULER}.root.{TINY}.capacity": "1",
    f"{_SCHEDULER}.root.{TINY}.maximum-capacity": "1",
    f"{_SCHEDULER}.maximum-am-resource-percent": "0.9",
    f"{_SCHEDULER}.resource-calculator": (
        "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator"
    ),
}
_LOG = (
    "log4j.rootLogger=INFO,A\n"
    "log4j.appender.A=org.apache.log4j.ConsoleAppender\n"
    "log4j.appender.A.layout=org.apache.log4j.PatternLayout\n"
    "log4j.appender.A.layout.ConversionPattern=%d{HH:mm:ss} %p %c{1} %m%n\n"
)


class Namenode(NamedTuple):
    """Where a NameNode listens."""

    calls: int
    web: int


class Datanode(NamedTuple):
    """Where a DataNode listens."""

    data: int
    web: int
    calls: int


class Manager(NamedTuple):
    """Where a ResourceManager listens."""

    clients: int
    scheduler: int
    tracker: int
    admin: int
    web: int


class Node(NamedTuple):
    """Where a NodeManager listens."""

    calls: int
    localizer: int
    web: int
    collector: int


def hdfs_settings(folder: Path, name: Namenode, data: Datanode) -> dict[str, str]:
    """A NameNode and a DataNode."""
    return {
        "hadoop.tmp.dir": f"{folder}/temporary",
        "dfs.replication": "1",
        "dfs.namenode.name.dir": f"file://{folder}/names",
        "dfs.namenode.http-address": f"{HERE}:{name.web}",
        "dfs.namenode.rpc-bind-host": HERE,
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.namenode.safemode.extension": "0",
        "dfs.permissions.superusergroup": "root",
        "dfs.datanode.data.dir": f"file://{folder}/data",
        "dfs.datanode.address": f"{HERE}:{data.data}",
        "dfs.datanode.http.address": f"{HERE}:{data.web}",
        "dfs.datanode.ipc.address": f"{HERE}:{data.calls}",
        "dfs.datanode.hostname": HERE,
        "dfs.heartbeat.interval": "1",
    }


def yarn_settings(folder: Path, ports: Manager) -> dict[str, str]:
    """A ResourceManager and its clients."""
    manager = "yarn.resourcemanager"
    return {
        "hadoop.tmp.dir": f"{folder}/temporary",
        f"{manager}.hostname": HERE,
        f"{manager}.bind-host": HERE,
        f"{manager}.address": f"{HERE}:{ports.clients}",
        f"{manager}.scheduler.address": f"{HERE}:{ports.scheduler}",
        f"{manager}.resource-tracker.address": f"{HERE}:{ports.tracker}",
        f"{manager}.admin.address": f"{HERE}:{ports.admin}",
        f"{manager}.webapp.address": f"{HERE}:{ports.web}",
        "yarn.scheduler.minimum-allocation-mb": "256",
    }


def node_settings(folder: Path, ports: Node) -> dict[str, str]:
    """A NodeManager, beside what its ResourceManager is told."""
    name = "yarn.nodemanager"
    return {
        f"{name}.hostname": HERE,
        f"{name}.bind-host": HERE,
        f"{name}.address": f"{HERE}:{ports.calls}",
        f"{name}.localizer.address": f"{HERE}:{ports.localizer}",
        f"{name}.webapp.address": f"{HERE}:{ports.web}",
        f"{name}.collector-service.address": f"{HERE}:{ports.collector}",
        f"{name}.local-dirs": f"{folder}/local",
        f"{name}.log-dirs": f"{folder}/log",
        f"{name}.resource.memory-mb": "4096",
        f"{name}.resource.cpu-vcores": "4",
        f"{name}.vmem-check-enabled": "false",
        f"{name}.pmem-check-enabled": "false",
        f"{name}.disk-health-checker.max-disk-utilization-per-disk-percentage": "99",
    }


def write(folder: Path, sites: Mapping[str, Mapping[str, str]]) -> None:
    """A folder of settings, one file for each site."""
    folder.mkdir(parents=True)
    for site, properties in sites.items():
        lines = (
            f"<property><name>{name}</name><value>{value}</value></property>"
            for name, value in properties.items()
        )
        name = site if site in {"capacity-scheduler"} else f"{site}-site"
        text = "\n".join(("<configuration>", *lines, "</configuration>"))
        (folder / f"{name}.xml").write_text(text)
    (folder / "log4j.properties").write_text(_LOG)

"""A real Hive Metastore over Thrift, from the jars that come with PySpark."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

import pyspark

from tests.world.servers.processes import free_ports, started

_OPENED = (
    "java.base/java.lang", "java.base/java.net", "java.base/java.util",
    "java.base/java.util.concurrent",
)  # fmt: skip


class Metastore(NamedTuple):
    """A metastore that runs."""

    uri: str
    warehouse: Path


@contextmanager
def metastore() -> Iterator[Metastore]:
    """Hive's metastore, with a database of its own that goes with it."""
    (port,) = free_ports(1)
    with tempfile.TemporaryDirectory(prefix="lumos-hive-") as name:
        folder = Path(name)
        uri = f"thrift://127.0.0.1:{port}"
        (folder / "hive-site.xml").write_text(_configuration(folder, uri))
        jars = Path(pyspark.__file__).parent / "jars"
        command = [
            "java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
            *(f"--add-opens={one}=ALL-UNNAMED" for one in _OPENED),
            f"-Dderby.stream.error.file={folder}/derby.log",
            "-cp", f"{folder}:{jars}/*",
            "org.apache.hadoop.hive.metastore.HiveMetaStore", "-p", str(port),
        ]  # fmt: skip
        with started(command, lambda: _answers(port)):
            yield Metastore(uri, folder / "warehouse")


def _answers(port: int) -> bool:
    """Whether it knows its own default database."""
    from pyiceberg.catalog.hive import HiveCatalog  # noqa: PLC0415 - the client to ask with
    from thrift.Thrift import TException  # noqa: PLC0415 - likewise

    try:
        HiveCatalog("ready", uri=f"thrift://127.0.0.1:{port}").list_namespaces()
    except (TException, OSError):
        return False
    return True


def _configuration(folder: Path, uri: str) -> str:
    properties = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/db;create=true",
        "javax.jdo.option.ConnectionDriverName": "org.apache.derby.iapi.jdbc.AutoloadedDriver",
        "datanucleus.schema.autoCreateAll": "true",
        "datanucleus.connectionPoolingType": "HikariCP",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": str(folder / "warehouse"),
        "hive.metastore.uris": uri,
        "hive.metastore.server.min.threads": "2",
        "hive.async.log.enabled": "false",
        "hive.in.test": "true",
    }
    listed = "".join(
        f"<property><name>{name}</name><value>{escape(value)}</value></property>"
        for name, value in properties.items()
    )
    return f"<configuration>{listed}</configuration>"

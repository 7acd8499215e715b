"""A real HDFS on the loopback: a NameNode and a DataNode, of jars that registries have."""

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from tests.world.servers.processes import Server, environment, free_ports, installed, run, started

_RELEASE = "2.4.8"
"""The last release of PySpark that carries Hadoop's servers."""
_JARS_WORDS = (
    "hadoop-annotations hadoop-auth hadoop-common hadoop-hdfs jetty-6 jetty-util-6 commons-cli"
    " commons-codec commons-collections commons-configuration commons-digester commons-io"
    " commons-lang-2 commons-logging commons-math3 commons-net commons-httpclient commons-beanutils"
    " guava htrace-core httpclient httpcore jackson-core-asl jackson-mapper-asl jackson-jaxrs"
    " jackson-xc javax.servlet-api jsp-api log4j-1 netty-all netty-3 protobuf-java slf4j-api"
    " slf4j-log4j12 xmlenc leveldbjni xercesImpl xml-apis apacheds api-asn1 api-util curator"
    " zookeeper gson avro-1 paranamer snappy jaxb jsr305 activation commons-compress xz"
)
_JARS = frozenset(_JARS_WORDS.split())
_DEBIAN_WORDS = (
    "libjersey1-core-java libjersey1-server-java libjersey1-servlet-java libjersey1-json-java"
    " libjsr311-api-java libasm-java"
)
_DEBIAN = frozenset(_DEBIAN_WORDS.split())
_OF_DEBIAN_WORDS = (
    "jersey1-server jersey1-core jersey1-servlet jersey1-json jsr311-api-1.1.1"
    " asm-9.4 asm-tree-9.4 asm-commons-9.4 asm-analysis-9.4"
)
_OF_DEBIAN = frozenset(_OF_DEBIAN_WORDS.split())
_OPENED = ("lang", "net", "util", "nio")
_HADOOP = "org.apache.hadoop.hdfs.server"


@contextmanager
def hdfs() -> Iterator[Server]:
    """A cluster of one node, which lets in whoever `HADOOP_USER_NAME` says."""
    home = installed(f"hdfs-{_RELEASE}", _install)
    ports = free_ports(5)
    server = Server(f"127.0.0.1:{ports[0]}", {"HADOOP_USER_NAME": "root"})
    pages = f"http://127.0.0.1:{ports[1]}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
    with _settings(ports) as folder:
        program = _java(home, folder)
        environ = {**os.environ, **server.environment}
        name = [*program, f"{_HADOOP}.namenode.NameNode"]
        run(*name, "-format", "-force", "-nonInteractive")
        data = [*program, f"{_HADOOP}.datanode.DataNode"]
        with (
            started(name, lambda: '"NumLiveDataNodes"' in _said(pages), environ),
            started(data, lambda: '"NumLiveDataNodes" : 1' in _said(pages), environ),
        ):
            yield server


def _said(address: str) -> str:
    try:
        with urlopen(address, timeout=5) as answer:  # noqa: S310 - ours
            return str(answer.read().decode())
    except OSError:
        return ""


def _install(folder: Path) -> None:
    _spark_jars(folder)
    unpacked = folder / "debian"
    unpacked.mkdir()
    run("apt-get", "download", "-q", *sorted(_DEBIAN), cwd=unpacked)
    for package in unpacked.glob("*.deb"):
        run("dpkg", "-x", package, unpacked)
    for name in _OF_DEBIAN:
        shutil.copy(unpacked / f"usr/share/java/{name}.jar", folder / "jars")
    shutil.rmtree(unpacked)
    for page in ("hdfs", "datanode", "secondary", "static"):
        place = folder / f"webapps/{page}/WEB-INF"
        place.mkdir(parents=True)
        (place / "web.xml").write_text("<web-app></web-app>")


def _spark_jars(folder: Path) -> None:
    """Those of Hadoop's servers, out of the source distribution."""
    python = environment("pypi", "pypi-simple") / "bin/python"
    name = f"pyspark-{_RELEASE}.tar.gz"
    script = (
        "import sys\n"
        "from pypi_simple import PyPISimple\n"
        "with PyPISimple() as index:\n"
        "    page = index.get_project_page('pyspark')\n"
        "    one = next(p for p in page.packages if p.filename == sys.argv[1])\n"
        "    index.download_package(one, path=sys.argv[1])\n"
    )
    run(python, "-c", script, name, cwd=folder)
    (folder / "jars").mkdir()
    with tarfile.open(folder / name) as archive:
        for member in archive:
            path = Path(member.name)
            if path.parent.name == "jars" and path.name.startswith(tuple(_JARS)):
                with archive.extractfile(member) as source:  # type: ignore[union-attr]
                    (folder / "jars" / path.name).write_bytes(source.read())
    (folder / name).unlink()


@contextmanager
def _settings(ports: list[int]) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="lumos-hdfs-"))
    here = "127.0.0.1"
    _write(
        folder / "core-site.xml",
        {"fs.defaultFS": f"hdfs://{here}:{ports[0]}", "hadoop.tmp.dir": f"{folder}/data"},
    )
    _write(
        folder / "hdfs-site.xml",
        {
            "dfs.replication": "1",
            "dfs.namenode.http-address": f"{here}:{ports[1]}",
            "dfs.datanode.address": f"{here}:{ports[2]}",
            "dfs.datanode.http.address": f"{here}:{ports[3]}",
            "dfs.datanode.ipc.address": f"{here}:{ports[4]}",
            "dfs.namenode.datanode.registration.ip-hostname-check": "false",
            "dfs.namenode.fs-limits.min-block-size": "0",
            "dfs.permissions.superusergroup": "root",
        },
    )
    (folder / "log4j.properties").write_text(
        "log4j.rootLogger=WARN,c\nlog4j.appender.c=org.apache.log4j.ConsoleAppender\n"
        "log4j.appender.c.layout=org.apache.log4j.SimpleLayout\n"
    )
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, properties: Mapping[str, str]) -> None:
    lines = (
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in properties.items()
    )
    path.write_text("\n".join(("<configuration>", *lines, "</configuration>")))


def _java(home: Path, settings: Path) -> list[str]:
    opened = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED]
    return [
        "java", "-Xmx256m", *opened, "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
        f"-Dhadoop.home.dir={settings}", f"-Dhadoop.log.dir={settings}",
        "-cp", f"{settings}:{home}:{home}/jars/*",
    ]  # fmt: skip

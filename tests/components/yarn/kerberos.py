"""A realm of Kerberos on the loopback: a real KDC, keys for servers, and tickets for people."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.components.build import NotPossibleError
from tests.components.yarn.servers import java, start, until
from tests.world.servers.clusters import is_open
from tests.world.servers.processes import free_ports, installed, run

REALM = "EXAMPLE.COM"
_PACKAGES = ("krb5-user", "libkadm5srv-mit12", "libkdb5-10", "libgssrpc4")
_SERVERS = ("hdfs/localhost", "yarn/localhost", "HTTP/localhost")
_KDC = """\
org.name=EXAMPLE
org.domain=COM
kdc.bind.address=127.0.0.1
kdc.port={port}
instance=DefaultKrbServer
max.ticket.lifetime=86400000
max.renewable.lifetime=604800000
transport=TCP
debug=false
"""


@dataclass(frozen=True, slots=True)
class Realm:
    """A KDC that runs, with the keys of all its principals in one file."""

    folder: Path

    @property
    def keytab(self) -> Path:
        return self.folder / "all.keytab"

    @property
    def options(self) -> str:
        """How a Java finds the KDC."""
        return f"-Djava.security.krb5.conf={self.folder}/krb5.conf"

    def ticket(self, who: str) -> Mapping[str, str]:
        """The environment of somebody who has run `kinit`."""
        cache = self.folder / f"ticket-{who.replace('/', '-')}"
        env = {"KRB5_CONFIG": f"{self.folder}/krb5.conf", "KRB5CCNAME": f"FILE:{cache}"}
        if not cache.exists():
            library = f"{_tools()}/usr/lib/x86_64-linux-gnu"
            words = [str(_tools() / "usr/bin/kinit"), "-k", "-t", str(self.keytab), who]
            environ = {**os.environ, **env, "LD_LIBRARY_PATH": library}
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=environ)
            assert done.returncode == 0, done.stderr
        return env

    @property
    def core(self) -> Mapping[str, str]:
        """For every server and every client."""
        return {
            "hadoop.security.authentication": "kerberos",
            "hadoop.security.authorization": "true",
            "hadoop.security.auth_to_local": (
                "RULE:[2:$1@$0](hdfs@.*)s/.*/root/ RULE:[2:$1@$0](yarn@.*)s/.*/root/ DEFAULT"
            ),
            "dfs.namenode.kerberos.principal": f"hdfs/localhost@{REALM}",
        }

    @property
    def hdfs(self) -> Mapping[str, str]:
        """For a NameNode and its DataNodes."""
        web = "dfs.web.authentication.kerberos"
        return {
            **self.core,
            "dfs.block.access.token.enable": "true",
            "dfs.namenode.keytab.file": str(self.keytab),
            "dfs.datanode.kerberos.principal": f"hdfs/localhost@{REALM}",
            "dfs.datanode.keytab.file": str(self.keytab),
            f"{web}.principal": f"HTTP/localhost@{REALM}",
            f"{web}.keytab": str(self.keytab),
            "ignore.secure.ports.for.testing": "true",
        }

    @property
    def yarn(self) -> Mapping[str, str]:
        """For a ResourceManager, its NodeManagers and its clients."""
        found = {
            # The REST interface stays open for tests.
            "yarn.resourcemanager.webapp.delegation-token-auth-filter.enabled": "false",
        }
        for server in ("yarn.resourcemanager", "yarn.nodemanager"):
            found[f"{server}.principal"] = f"yarn/localhost@{REALM}"
            found[f"{server}.keytab"] = str(self.keytab)
            found[f"{server}.webapp.spnego-principal"] = f"HTTP/localhost@{REALM}"
            found[f"{server}.webapp.spnego-keytab-file"] = str(self.keytab)
        return found


@contextmanager
def realm(folder: Path, *people: str) -> Iterator[Realm]:
    """A KDC while the context lasts, with keys for servers of this machine and for people."""
    (port,) = free_ports(1)
    made = Realm(folder)
    (folder / "minikdc.conf").write_text(_KDC.format(port=port))
    words = [str(folder), str(folder / "minikdc.conf"), str(made.keytab), *_SERVERS, *people]
    with ExitStack() as stack:
        program = [*java("128m"), "org.apache.hadoop.minikdc.MiniKdc"]
        started = start(stack, [*program, *words], folder / "log")
        # It writes the keys when it listens already, and this line when all is there.
        until(lambda: is_open(port) and "Do <CTRL-C>" in started.said, started)
        yield made


def _tools() -> Path:
    """Debian's `kinit`, unpacked and not installed."""

    def unpack(folder: Path) -> None:
        try:
            run("apt-get", "download", "-q", *_PACKAGES, cwd=folder)
        except (AssertionError, FileNotFoundError) as exc:
            raise NotPossibleError("kinit cannot be downloaded") from exc
        for package in folder.glob("*.deb"):
            run("dpkg", "-x", package, folder)
            package.unlink()

    return installed("krb5-user", unpack)

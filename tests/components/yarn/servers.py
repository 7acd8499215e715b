"""Hadoop's servers as processes: started with their log, ended with all that they started."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.components.yarn.jars import jars
from tests.world.servers.clusters import Started

PATIENCE = 120  # seconds: two cores may be busy with other tests
_OPENED = ("lang", "net", "util", "nio")
_QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def java(memory: str, *options: str, conf: Path | None = None) -> list[str]:
    """The command up to the name of a class: Hadoop's jars, and a folder of settings."""
    opened = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED]
    security = "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED"
    known = f"{conf}:{jars()}/*" if conf else f"{jars()}/*"
    return ["java", f"-Xmx{memory}", *_QUICK, *opened, security, *options, "-cp", known]


def start(stack: ExitStack, command: Sequence[str], log: Path) -> Started:
    """Start a server; it ends with the stack, at once and with all that it has started."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env=environment({}),
        )
    started = Started(process, log)
    stack.callback(started.kill)  # a NodeManager would take half a minute to end by itself
    return started


def until(is_so: Callable[[], bool], started: Started) -> None:
    """Wait until a server is ready."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if started.process.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"it does not start:\n{started.said[-3000:]}")
        time.sleep(0.1)


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """This one without settings of the machine's own Hadoop; the user is `root`."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("HADOOP_")}
    return {**plain, "HADOOP_USER_NAME": "root", **more}

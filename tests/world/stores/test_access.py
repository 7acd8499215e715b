"""Credentials, versions, archives: what only some servers know."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.config.settings import SourceSettings
from lumos_snap.errors import OutsideError
from lumos_snap.scan.dataset import ScanFilter
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.listing import entry_of, list_source
from lumos_snap.scan.sources.source import open_source
from lumos_snap.scan.stores.azure import AzureStore
from lumos_snap.scan.stores.gcs import GcsStore
from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Store, Trouble
from tests.scan.stores.contract import anything, paths
from tests.world.servers.object_stores import AZURE_ACCOUNT
from tests.world.servers.processes import Server
from tests.world.stores.lakes import SERVERS, environment, s3_client

pytestmark = pytest.mark.world


@pytest.fixture(scope="module")
def running() -> Iterator[Callable[[str], Server]]:
    """Servers by name, each started once."""
    with ExitStack() as stack:
        kept: dict[str, Server] = {}

        def server(name: str) -> Server:
            if name not in kept:
                kept[name] = stack.enter_context(SERVERS[name][0]())
            return kept[name]

        yield server


def of(name: str) -> Callable[[Callable[[str], Server]], Iterator[Server]]:
    """A fixture: the server, with its credentials and no other ones."""

    def server(running: Callable[[str], Server]) -> Iterator[Server]:
        found = running(name)
        with environment(found.environment):
            yield found

    return server


s3 = pytest.fixture(name="s3")(of("moto"))
strict = pytest.fixture(name="strict")(of("seaweed"))
azure = pytest.fixture(name="azure")(of("azurite"))
gcs = pytest.fixture(name="gcs")(of("fake_gcs"))
cluster = pytest.fixture(name="cluster")(of("hdfs"))


def refused(store: Store, path: str) -> None:
    """Neither listed nor read, in words without a secret."""
    begun = time.monotonic()
    with pytest.raises(OutsideError, match=r"denied|access") as listing:
        list(store.entries("", anything))
    with pytest.raises(BadFileError, match="denied") as reading, store.reader().opened(path) as one:
        one.head()
    assert reading.value.reason == error_codes.UNREADABLE
    assert time.monotonic() - begun < 30
    for secret in (value for name, value in os.environ.items() if name.endswith(("KEY", "KEY_ID"))):
        assert secret not in f"{listing.value.message} {listing.value.hint} {reading.value}"


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"])
def test_wrong_keys_of_s3_are_denied(
    strict: Server, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    client = s3_client(strict)
    client.create_bucket(Bucket=f"of-{name[4:10].lower()}")
    client.put_object(Bucket=f"of-{name[4:10].lower()}", Key="a.csv", Body=b"1")
    store = S3Store(f"of-{name[4:10].lower()}", endpoint=strict.endpoint)
    assert paths(store.entries("", anything)) == ["a.csv"]
    monkeypatch.setenv(name, "wrongwrongwrong")
    refused(store, "a.csv")
    refused(store._replace(requester_pays=True), "a.csv")
    refused(store._replace(anonymous=True), "a.csv")


def test_a_profile_is_taken(
    strict: Server, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    client = s3_client(strict)
    client.create_bucket(Bucket="profiled")
    client.put_object(Bucket="profiled", Key="a.csv", Body=b"12")
    file = tmp_path_factory.mktemp("aws") / "credentials"
    key, secret = (
        strict.environment[f"AWS_{one}"] for one in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY")
    )
    file.write_text(
        f"[default]\naws_access_key_id=x\naws_secret_access_key=y\n"
        f"[team]\naws_access_key_id={key}\naws_secret_access_key={secret}\n"
    )
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    store = S3Store("profiled", endpoint=strict.endpoint, profile="team")
    assert paths(store.entries("", anything)) == ["a.csv"]
    with store.reader().opened("a.csv") as one:
        assert one.head() == b"12"
    refused(store._replace(profile=None), "a.csv")


def test_without_credentials_it_is_said(s3: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in s3.environment:
        if name != "AWS_EC2_METADATA_DISABLED":
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    with pytest.raises(OutsideError, match="has no access: Unable to locate credentials"):
        list(S3Store("lake", endpoint=s3.endpoint).entries("", anything))


def test_only_the_latest_version_of_an_object_is_seen(s3: Server) -> None:
    client = s3_client(s3)
    client.create_bucket(Bucket="versions")
    client.put_bucket_versioning(Bucket="versions", VersioningConfiguration={"Status": "Enabled"})
    for content in (b"1", b"22", b"333"):
        client.put_object(Bucket="versions", Key="a.csv", Body=content)
    client.put_object(Bucket="versions", Key="deleted.csv", Body=b"1")
    client.delete_object(Bucket="versions", Key="deleted.csv")
    store = S3Store("versions", endpoint=s3.endpoint)
    (entry,) = store.entries("", anything)
    assert isinstance(entry, FileEntry)
    assert entry[:2] == ("a.csv", 3)
    assert not store.has("deleted.csv")
    with store.reader().opened("a.csv") as file:
        assert file.head() == b"333"


def test_another_content_has_another_tag(s3: Server) -> None:
    client = s3_client(s3)
    client.create_bucket(Bucket="tags")
    store, seen = S3Store("tags", endpoint=s3.endpoint), set[str]()
    for content in (b"1", b"2"):
        client.put_object(Bucket="tags", Key="a.csv", Body=content)
        seen |= {one.tag for one in store.entries("", anything) if isinstance(one, FileEntry)}
    assert len(seen) == 2


def test_archived_objects_of_s3_are_told(s3: Server) -> None:
    client = s3_client(s3)
    client.create_bucket(Bucket="archives")
    for kept in ("STANDARD", "GLACIER", "DEEP_ARCHIVE", "GLACIER_IR"):
        client.put_object(Bucket="archives", Key=f"{kept}.csv", Body=b"1", StorageClass=kept)
    found = list(S3Store("archives", endpoint=s3.endpoint).entries("", anything))
    troubles = [one for one in found if isinstance(one, Trouble)]
    assert {one.path for one in troubles} == {"GLACIER.csv", "DEEP_ARCHIVE.csv"}
    assert {(one.reason, one.hides) for one in troubles} == {(error_codes.ARCHIVED, False)}
    assert len(found) == 4


def test_archived_blobs_of_azure_are_told(azure: Server) -> None:
    container = blobs(azure, "archives")
    container.upload_blob("a.csv", b"1")
    container.get_blob_client("a.csv").set_standard_blob_tier("Archive")
    store = AzureStore(AZURE_ACCOUNT, "archives", endpoint=azure.endpoint)
    assert list(store.entries("", anything)) == [
        Trouble("a.csv", error_codes.ARCHIVED,
                "is archived (Archive): it must be restored before it can be read"),
    ]  # fmt: skip
    with pytest.raises(BadFileError) as caught, store.reader().opened("a.csv") as file:
        file.head()
    assert caught.value.reason == error_codes.ARCHIVED


def blobs(server: Server, name: str, access: str | None = None) -> Any:
    from azure.storage.blob import ContainerClient  # noqa: PLC0415

    container = ContainerClient(
        f"{server.endpoint}/{AZURE_ACCOUNT}",
        name,
        credential={
            "account_name": AZURE_ACCOUNT,
            "account_key": server.environment["AZURE_STORAGE_KEY"],
        },
    )
    container.create_container(public_access=access)
    return container


def test_wrong_keys_of_azure_are_denied(azure: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs(azure, "closed").upload_blob("a.csv", b"1")
    store = AzureStore(AZURE_ACCOUNT, "closed", endpoint=azure.endpoint)
    monkeypatch.setenv("AZURE_STORAGE_KEY", "d3Jvbmc=")
    refused(store, "a.csv")


def test_a_shared_signature_opens_a_container(
    azure: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415

    from azure.storage.blob import ContainerSasPermissions, generate_container_sas  # noqa: PLC0415

    blobs(azure, "signed").upload_blob("a.csv", b"12")
    signature = generate_container_sas(
        AZURE_ACCOUNT,
        "signed",
        account_key=azure.environment["AZURE_STORAGE_KEY"],
        permission=ContainerSasPermissions(read=True, list=True),
        expiry=datetime.now(UTC) + timedelta(hours=1),
    )
    monkeypatch.delenv("AZURE_STORAGE_KEY")
    monkeypatch.setenv("AZURE_STORAGE_SAS_TOKEN", f"?{signature}")
    store = AzureStore(AZURE_ACCOUNT, "signed", endpoint=azure.endpoint)
    assert paths(store.entries("", anything)) == ["a.csv"]
    with store.reader().opened("a.csv") as file:
        assert file.head() == b"12"
    monkeypatch.setenv("AZURE_STORAGE_SAS_TOKEN", f"{signature}x")
    with pytest.raises(OutsideError, match="denied") as caught:
        list(store.entries("", anything))
    assert signature[-20:] not in caught.value.message


def test_what_anybody_may_read_of_azure_is_read(
    azure: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs(azure, "open", "container").upload_blob("a.csv", b"12")
    monkeypatch.delenv("AZURE_STORAGE_KEY")
    store = AzureStore(AZURE_ACCOUNT, "open", endpoint=azure.endpoint, anonymous=True)
    assert paths(store.entries("", anything)) == ["a.csv"]
    with store.reader().opened("a.csv") as file:
        assert file.head() == b"12"
    with pytest.raises(BadFileError) as caught, store.reader().opened("b.csv"):
        pass
    assert caught.value.reason == error_codes.VANISHED


def test_workers_without_googles_client_read_with_pyarrow(
    gcs: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from google.auth.credentials import AnonymousCredentials  # noqa: PLC0415
    from google.cloud.storage import Client  # noqa: PLC0415

    client = Client(
        project="p",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": gcs.endpoint},
    )
    client.create_bucket("plain").blob("a.csv").upload_from_string(b"12")
    monkeypatch.setitem(sys.modules, "google.cloud.storage", None)
    reader = GcsStore("plain", endpoint=gcs.endpoint, anonymous=True).reader()
    with reader.opened("a.csv") as file:
        assert file.head() == b"12"
    with pytest.raises(BadFileError) as caught, reader.opened("b.csv"):
        pass
    assert caught.value.reason == error_codes.VANISHED


def test_without_googles_credentials_it_is_said(
    gcs: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere.json")
    with pytest.raises(OutsideError, match="has no access"):
        list(GcsStore("lake", endpoint=gcs.endpoint).entries("", anything))


def test_a_folder_of_hdfs_that_is_closed_hides_itself_alone(
    cluster: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hdfs_native import Client  # noqa: PLC0415

    client = Client(f"hdfs://{cluster.address}")
    for path in ("open/a.csv", "closed/b.csv"):
        with client.create(f"/perm/{path}") as file:
            file.write(b"1")
    client.set_permission("/perm/closed", 0o700)
    monkeypatch.setenv("HADOOP_USER_NAME", "nobody")
    store = HdfsStore(cluster.address, "/perm")
    found = list(store.entries("", anything))
    assert [one.path for one in found if isinstance(one, FileEntry)] == ["open/a.csv"]
    (trouble,) = (one for one in found if isinstance(one, Trouble))
    assert (trouble.path, trouble.hides) == ("closed", True)
    assert "denied" in trouble.detail
    with pytest.raises(BadFileError, match="denied"), store.reader().opened("closed/b.csv") as one:
        one.head()


@pytest.mark.parametrize("folder", ["", "/secret"])
def test_what_may_not_be_listed_is_no_empty_folder(
    cluster: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    """A root that may not be listed is a source out of reach; a folder is a part of one."""
    from hdfs_native import Client  # noqa: PLC0415 - likewise

    client = Client(f"hdfs://{cluster.address}")
    top = f"/closed-{len(folder)}"
    for path in ("open/a.csv", "secret/b.csv"):
        with client.create(f"{top}/{path}") as file:
            file.write(b"x,y\n1,2\n")
    client.set_permission(f"{top}{folder}", 0o700)
    monkeypatch.setenv("HADOOP_USER_NAME", "bob")
    path = f"hdfs://{cluster.address}{top}"
    source = open_source(SourceSettings(name="closed", path=path), tmp_path)
    if not folder:
        with pytest.raises(OutsideError, match="access is denied"):
            list_source(source, ScanFilter.of(source, ()), tmp_path, lambda files, pages: None)
        return
    listing = list_source(source, ScanFilter.of(source, ()), tmp_path, lambda files, pages: None)
    assert not listing.complete
    assert listing.hides("secret")
    (trouble,) = listing.troubles
    assert (trouble.path, trouble.reason, trouble.hides) == ("secret", "unreadable", True)
    assert [entry_of(line).path for line in listing.roll.sorted()] == ["open/a.csv"]


def test_a_folder_of_many_files_is_listed_whole(cluster: Server) -> None:
    from hdfs_native import Client  # noqa: PLC0415

    client = Client(f"hdfs://{cluster.address}")
    client.mkdirs("/wide")

    def touch(number: int) -> None:
        client.create(f"/wide/f{number:05}").close()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(touch, range(1_500)))
    answers = list[int]()
    store = HdfsStore(cluster.address, "/wide")
    found = paths(store.entries("", anything, lambda: answers.append(1)))
    assert len(found) == 1_500
    assert len(answers) == 2

"""Which store a URL means, what its datasets are called, and what is refused."""

import pytest

from lumos_snap.config.settings import StoreSettings
from lumos_snap.errors import LumosError
from lumos_snap.model.urn import Urn, parse_urn
from lumos_snap.scan.sources.urls import SCHEMES, address_of, is_url, local_path
from lumos_snap.scan.stores.azure import AzureStore
from lumos_snap.scan.stores.gcs import GcsStore
from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.s3 import S3Store

NONE = StoreSettings()
HOST = "acct.dfs.core.windows.net"


@pytest.mark.parametrize(
    ("url", "store", "urn", "spelled"),
    [
        ("s3://lake", S3Store("lake"), "lumos://s3/lake", "s3://lake"),
        ("s3://lake/raw/a b/", S3Store("lake", "raw/a b"), "lumos://s3/lake/raw/a b",
         "s3://lake/raw/a b"),
        ("S3A://lake/raw", S3Store("lake", "raw"), "lumos://s3/lake/raw", "s3://lake/raw"),
        ("s3://lake/100%", S3Store("lake", "100%"), "lumos://s3/lake/100%25", "s3://lake/100%"),
        ("gs://lake/raw", GcsStore("lake", "raw"), "lumos://gcs/lake/raw", "gs://lake/raw"),
        (f"abfss://c@{HOST}/raw", AzureStore("acct", "c", "raw"), "lumos://abs/acct/c/raw",
         f"abfss://c@{HOST}/raw"),
        ("wasbs://c@acct.blob.core.windows.net/raw", AzureStore("acct", "c", "raw"),
         "lumos://abs/acct/c/raw", f"abfss://c@{HOST}/raw"),
        ("abfs://c@acct.dfs.core.chinacloudapi.cn/",
         AzureStore("acct", "c", cloud="core.chinacloudapi.cn"), "lumos://abs/acct/c",
         "abfss://c@acct.dfs.core.chinacloudapi.cn"),
        ("hdfs://nn:8020/data/lake", HdfsStore("nn:8020", "/data/lake"), "lumos://hdfs/data/lake",
         "hdfs://nn:8020/data/lake"),
        ("hdfs:///data", HdfsStore("", "/data"), "lumos://hdfs/data", "hdfs:///data"),
    ],
)  # fmt: skip
def test_a_url_leads_to_a_store(url: str, store: object, urn: str, spelled: str) -> None:
    found = address_of(url, NONE)
    assert found.store == store
    assert found.url == spelled
    assert str(Urn(found.platform, found.container)) == urn
    assert parse_urn(urn).parts == found.container
    assert address_of(found.url, NONE) == found


def test_an_account_comes_from_the_settings_or_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT", raising=False)
    with pytest.raises(LumosError, match="names no account"):
        address_of("az://c/raw", NONE)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "acct")
    assert address_of("az://c/raw", NONE).store == AzureStore("acct", "c", "raw")
    other = StoreSettings(account="other")
    assert address_of("az://c/raw", other).store == AzureStore("other", "c", "raw")
    with pytest.raises(LumosError, match="another account"):
        address_of(f"abfss://c@{HOST}/raw", other)


def test_settings_reach_the_store() -> None:
    settings = StoreSettings(endpoint="http://127.0.0.1:9000", region="eu-west-1", path_style=False)
    store = address_of("s3://lake", settings).store
    assert store == S3Store(
        "lake", endpoint="http://127.0.0.1:9000", region="eu-west-1", path_style=False
    )
    assert not store.is_path_style
    assert address_of("gs://lake", StoreSettings(anonymous=True)).store == GcsStore(
        "lake", anonymous=True
    )


@pytest.mark.parametrize(
    ("url", "settings", "name"),
    [
        ("gs://lake", StoreSettings(region="x"), "region"),
        ("gs://lake", StoreSettings(requester_pays=True), "requester_pays"),
        ("s3://lake", StoreSettings(account="x"), "account"),
        (f"abfss://c@{HOST}/", StoreSettings(profile="x"), "profile"),
        ("hdfs://nn/x", StoreSettings(endpoint="http://h"), "endpoint"),
        ("gs://lake", StoreSettings(path_style=False), "path_style"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(url: str, settings: StoreSettings, name: str) -> None:
    with pytest.raises(LumosError, match=f"knows no setting `{name}`"):
        address_of(url, settings)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://host/x", "no kind of address"),
        ("s3:///x", "names no bucket"),
        ("s3://lake/a//b", "empty"),
        ("s3://lake/a/../b", "empty"),
        ("s3://AKIA:topsecret@lake/x", "password"),
        ("hdfs://me:topsecret@nn/x", "password"),
        ("gs://lake/x?topsecret=1", "query"),
        (f"abfss://c@{HOST}/x?sig=topsecret", "query"),
        (f"abfss://c:topsecret@{HOST}/x", "password"),
        (f"abfss://@{HOST}/x", "names no container"),
    ],
)
def test_what_leads_nowhere_is_refused_without_secrets(url: str, why: str) -> None:
    with pytest.raises(LumosError, match=why) as caught:
        address_of(url, NONE)
    assert "topsecret" not in caught.value.message + caught.value.hint
    assert "AKIA" not in caught.value.message + caught.value.hint


def test_the_kinds_that_are_known_are_listed() -> None:
    with pytest.raises(LumosError) as caught:
        address_of("ftp://host/x", NONE)
    assert all(f"{name}://" in caught.value.hint for name in (*SCHEMES, "file"))


def test_a_file_url_is_a_path() -> None:
    assert local_path("file:///data/a%20b") == "/data/a b"
    assert local_path("file://localhost/data") == "/data"
    assert local_path("data/x") == "data/x"
    assert not is_url("file:///data")
    assert not is_url("data/x")
    assert is_url("s3://lake")
    with pytest.raises(LumosError, match="names a host"):
        local_path("file://host/data")

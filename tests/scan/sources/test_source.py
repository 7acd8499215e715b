"""Sources that are URLs, in lumos.yaml and on the command line."""

from pathlib import Path

import pytest

from lumos_snap.commands.scan.explain import explain
from lumos_snap.config.settings import SourceSettings as Settings
from lumos_snap.config.settings import parse_config
from lumos_snap.errors import LumosError
from lumos_snap.scan.sources.source import open_source, select_sources
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.tree import Tree, open_tree

HERE = Path()


def sources(text: str) -> tuple[Settings, ...]:
    return parse_config(f"version: 1\nsources:\n{text}".encode(), "lumos.yaml").sources


def test_a_url_says_platform_container_and_location() -> None:
    (settings,) = sources("  - {name: lake, path: s3://bucket/team/lake}\n")
    source = open_source(settings, HERE)
    assert source.store == S3Store("bucket", "team/lake")
    assert source.prefix == "lumos://s3/bucket/team/lake"
    assert source.located("raw/x") == "s3://bucket/team/lake/raw/x"
    assert source.urn(("raw", "x")) == "lumos://s3/bucket/team/lake/raw/x"
    assert source.passed_over("raw/.hidden") == "hidden"
    assert source.passed_over("snapshots/x.csv") is None


def test_lumos_yaml_says_otherwise() -> None:
    (settings,) = sources(
        "  - {name: lake, path: 's3://bucket/lake', platform: minio, container: prod/lake,"
        " location: 's3://key:word@other/lake/', store: {endpoint: 'http://127.0.0.1:9000'}}\n"
    )
    source = open_source(settings, HERE)
    assert source.prefix == "lumos://minio/prod/lake"
    assert source.location == "s3://other/lake"
    assert source.store == S3Store("bucket", "lake", endpoint="http://127.0.0.1:9000")


def test_a_folder_is_a_file_platform_as_ever(tmp_path: Path) -> None:
    (settings,) = sources(f"  - {{name: lake, path: 'file://{tmp_path}'}}\n")
    source = open_source(settings, HERE)
    assert source.store == LocalStore(str(tmp_path))
    assert source.prefix == "lumos://file/lake"
    assert source.location == "file:lake"


def test_the_root_of_a_cluster_needs_a_container() -> None:
    (settings,) = sources("  - {name: lake, path: 'hdfs://nn:8020/'}\n")
    with pytest.raises(LumosError, match="lake: its container is empty") as caught:
        open_source(settings, HERE)
    assert "container" in caught.value.hint


@pytest.mark.parametrize(
    "store",
    ["{secret_key: x}", "{access_key: x}", "{endpoint: 'http://me:word@host:1'}",
     "{endpoint: 'host:9000'}", "{anonymous: maybe}", "{sas_token: x}"],
)  # fmt: skip
def test_what_looks_like_a_secret_is_no_setting(store: str) -> None:
    with pytest.raises(LumosError, match=r"lumos\.yaml:3:"):
        sources(f"  - {{name: lake, path: 's3://bucket', store: {store}}}\n")


def test_a_folder_takes_no_settings_of_a_store(tmp_path: Path) -> None:
    (settings,) = sources(f"  - {{name: lake, path: '{tmp_path}', store: {{region: x}}}}\n")
    with pytest.raises(LumosError, match="lake: a folder has no setting `region`"):
        open_source(settings, HERE)


def test_an_error_names_the_source() -> None:
    (settings,) = sources("  - {name: lake, path: 'ftp://host/x'}\n")
    with pytest.raises(LumosError, match="lake: ftp://: is no kind of address"):
        open_source(settings, HERE)


def test_a_url_on_the_command_line_is_a_source_of_its_own() -> None:
    (one,) = select_sources([], ["s3a://bucket/raw/"], HERE)
    assert one.name == "bucket/raw"
    assert open_source(one, HERE).prefix == "lumos://s3/bucket/raw"
    two = select_sources([], ["s3://bucket/raw", "gs://bucket2/raw"], HERE)
    assert [open_source(one, HERE).platform for one in two] == ["s3", "gcs"]


def test_a_url_on_the_command_line_may_be_a_source_that_is_known() -> None:
    configured = sources("  - {name: lake, path: 's3://bucket/raw', store: {region: eu-west-1}}\n")
    assert select_sources(configured, ["s3a://bucket/raw/"], HERE) == configured
    with pytest.raises(LumosError, match="lies in the source 'lake'"):
        select_sources(configured, ["s3://bucket/raw/orders"], HERE)
    apart = select_sources(configured, ["s3://bucket/raw-old"], HERE)
    assert [one.name for one in apart] == ["bucket/raw-old"]


def test_a_secret_on_the_command_line_is_not_repeated() -> None:
    with pytest.raises(LumosError) as caught:
        select_sources([], ["s3://AKIA:topsecret@bucket/raw"], HERE)
    assert "topsecret" not in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "  - {name: a, path: 's3://b/x'}\n  - {name: c, path: 's3://b/x/y'}\n",
        "  - {name: a, path: 's3://b/x'}\n  - {name: c, path: 's3a://b/x'}\n",
        "  - {name: a, path: 'hdfs://one/x'}\n  - {name: c, path: 'hdfs://two/x'}\n",
    ],
)
def test_sources_that_fill_one_place_are_refused(text: str) -> None:
    with pytest.raises(LumosError, match="both fill"):
        select_sources(sources(text), [], HERE)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    text = "version: 1\nsources:\n  - {name: lake, path: 's3://bucket/team'}\n"
    (tmp_path / "lumos.yaml").write_text(text)
    return open_tree(tmp_path)


@pytest.mark.parametrize(
    "path",
    ["s3://bucket/team/raw/orders/dt=2026-01-01/p.csv", "s3a://bucket/team/raw/orders/p.csv",
     "raw/orders/p.csv"],
)  # fmt: skip
def test_why_an_object_is_in_its_dataset_is_explained_by_its_url(tree: Tree, path: str) -> None:
    assert explain(tree, path, []).urn == "lumos://s3/bucket/team/raw/orders"


def test_an_object_elsewhere_lies_in_no_source(tree: Tree) -> None:
    for path in ("s3://bucket/teams/x.csv", "gs://bucket/team/x.csv", "s3://bucket/team"):
        with pytest.raises(LumosError, match="lies in no source"):
            explain(tree, path, [])

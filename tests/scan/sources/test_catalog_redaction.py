"""What of a catalog's properties is said, and what never."""

import pytest

from lumos_snap.scan.sources.catalog import redact_credentials, redact_location, redact_properties


@pytest.mark.parametrize(
    "name",
    [
        "fs.s3a.secret.key", "fs.s3a.access.key", "AWS_SECRET_ACCESS_KEY", "password", "db.passwd",
        "oauth.token", "fs.azure.account.key.x.dfs.core.windows.net", "sas", "client.credential",
        "private_key", "apiKey", "kafka.sasl.jaas.config",
    ],
)  # fmt: skip
def test_secrets_are_known_by_name(name: str) -> None:
    assert redact_properties({name: "hunter2"}) == {}


@pytest.mark.parametrize(
    "value",
    [
        "*********(redacted)", "jdbc:x://h/db?user=u&password=hunter2", "Password = hunter2",
        "https://h/c?sv=1&sig=hunter2", "a;access_key=hunter2",
    ],
)  # fmt: skip
def test_secrets_are_known_by_value(value: str) -> None:
    assert redact_properties({"link": value}) == {}


@pytest.mark.parametrize(
    "name",
    [
        "transient_lastDdlTime", "numRows", "COLUMN_STATS_ACCURATE",
        "spark.sql.statistics.totalSize",
        "current-snapshot-id", "metadata_location", "owner", "view.query.out.numCols",
    ],
)  # fmt: skip
def test_what_changes_with_the_data_is_left_out(name: str) -> None:
    assert redact_properties({name: "1"}) == {}


@pytest.mark.parametrize(
    "name", ["team", "orc.compress", "delta.appendOnly", "author", "primary.keys", "write.format"]
)
def test_what_describes_is_kept(name: str) -> None:
    assert redact_properties({name: "x=1"}) == {name: "x=1"}


def test_properties_are_in_order() -> None:
    assert list(redact_properties({"b": "1", "a": "2"})) == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ("s3://key:hunter2@lake/t", "s3://lake/t"),
        ("abfss://lake@account.dfs.core.windows.net/t/", "abfss://lake@account.dfs.core.windows.net/t"),
        ("wasbs://c@a.blob.core.windows.net/t?sv=1&sig=x", "wasbs://c@a.blob.core.windows.net/t"),
        ("file:/lake/a?b/t", "file:/lake/a?b/t"),
        ("hdfs://node:8020/t", "hdfs://node:8020/t"),
        ("/a/mail@host/t", "/a/mail@host/t"),
        ("", None),
        (None, None),
    ],
)  # fmt: skip
def test_places_are_told_without_access(given: str | None, where: str | None) -> None:
    assert redact_location(given) == where


def test_texts_are_told_without_users() -> None:
    text = "cannot reach https://u:hunter2@host/x, nor s3://k:hunter2@b"
    assert redact_credentials(text) == "cannot reach https://host/x, nor s3://b"

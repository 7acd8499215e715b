"""What is taken out of a text before anybody may read it."""

import json

import pytest

from lumos_snap.render.json_report import redact_json
from lumos_snap.report.command_reports import ValidateReport
from lumos_snap.text import redact_addresses, redact_secrets, secrets_in, secrets_of

ADDRESSES = [
    ("http://joe:hunter2@host:8080/x", "http://host:8080/x"),
    ("https://glpat-1234@host/x.git: no", "https://host/x.git: no"),
    ("http://joe:p@ss@host/x", "http://host/x"),
    ("at http://a:b@h and at s3://k:s@bucket/a@b", "at http://h and at s3://bucket/a@b"),
    ("http://host/a?token=abc&b=1", "http://host/a?token=…&b=1"),
    ("http://host/a?X-Amz-Signature=abc", "http://host/a?X-Amz-Signature=…"),
    ("https://a.blob.core/x?sv=1&sig=a%2Bb", "https://a.blob.core/x?sv=1&sig=…"),
    ("abfss://container@account.dfs/x", "abfss://container@account.dfs/x"),
    ("lumos://s3/lake/a@b", "lumos://s3/lake/a@b"),
    ("joe@example.com", "joe@example.com"),
    ("nothing?token=1 here", "nothing?token=1 here"),
]


@pytest.mark.parametrize(("text", "left"), ADDRESSES)
def test_an_address_names_neither_a_user_nor_a_secret(text: str, left: str) -> None:
    assert redact_addresses(text) == left
    assert redact_addresses(left) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('<a href="http://host/a?token=abc">', '<a href="http://host/a?token=…">'),
        ("at http://host\njoe@example.com", "at http://host\njoe@example.com"),
        ("at http://joe:hunter2@host\njoe@example.com", "at http://host\njoe@example.com"),
        ("at http://DOMAIN\\joe:hunter2@host", "at http://host"),
        ('password sec"ret\\', "password …"),
        ('"plain"', '"plain"'),
    ],
)
def test_a_report_without_secrets_is_still_json(text: str, left: str) -> None:
    report = ValidateReport(source=text, checked=0, findings=())
    printed = redact_json(report, lambda one: redact_secrets(redact_addresses(one), ('sec"ret\\',)))
    assert json.loads(printed)["source"] == left


def test_secrets_are_taken_out_however_they_are_quoted() -> None:
    assert redact_secrets("a/b+c a%2Fb%2Bc a", ("a/b+c", "")) == "… … a"
    assert redact_secrets("secret-and-more secret", ("secret", "secret-and-more")) == "… …"


def test_variables_that_are_named_like_secrets_are_secrets() -> None:
    environment = {
        "GITHUB_TOKEN": "ghs_0123456789",
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG",
        "OTHER_SECRET_ACCESS_KEY": "/JalrXUtnFEMI/K7MDENG",
        "AZURE_STORAGE_ACCOUNT_KEY": "azure-account-key",
        "lumos_slack_webhook": "https://hooks.example/T0/B0",
        "PGPASSWORD": "postgres-password",
        "DATAHUB_GMS_TOKEN": "short",
        "AWS_WEB_IDENTITY_TOKEN_FILE": "/var/run/secrets/token",
        "GOOGLE_APPLICATION_CREDENTIALS": "/home/jane/key.json",
        "HOME": "/home/jane-smith",
    }
    assert set(secrets_in(environment)) == {
        "ghs_0123456789",
        "wJalrXUtnFEMI/K7MDENG",
        "/JalrXUtnFEMI/K7MDENG",
        "azure-account-key",
        "https://hooks.example/T0/B0",
        "postgres-password",
    }


def test_the_password_of_an_address_is_a_secret() -> None:
    assert secrets_of("http://joe:hunter%32@host/x@y") == ("hunter%32", "hunter2")
    assert secrets_of("http://token-1@host") == ("token-1",)
    assert secrets_of("http://host:80/x@y") == ()

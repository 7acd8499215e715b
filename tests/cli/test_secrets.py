"""Secrets are planted where a command may find them, and looked for in what it says or writes."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from tests.cli.lake import git
from tests.hostile_server import Answer, hostile, refusal
from tests.measurement import ANY_VERSION, LUMOS

PASSWORD = "hunter2-password"  # noqa: S105 - a secret of ours
ENVIRONMENT = {
    "GITHUB_TOKEN": "ghs_planted0123456789",
    "GITHUB_REPOSITORY": "acme/lake",
    "DATAHUB_GMS_TOKEN": "datahub-planted-token",
    "LUMOS_SLACK_WEBHOOK": "",
    "AWS_ACCESS_KEY_ID": "AKIAPLANTED",
    "AWS_SECRET_ACCESS_KEY": "aws-planted-secret-key",
    "AWS_SESSION_TOKEN": "aws-planted-session-token",
    "AWS_EC2_METADATA_DISABLED": "true",
    "LUMOS_DEBUG": "1",
}
SECRETS = (
    PASSWORD,
    ENVIRONMENT["GITHUB_TOKEN"],
    ENVIRONMENT["DATAHUB_GMS_TOKEN"],
    ENVIRONMENT["AWS_SECRET_ACCESS_KEY"],
    ENVIRONMENT["AWS_SESSION_TOKEN"],
    "planted-webhook",
)
ECHOED = SECRETS[:-1]
"""A webhook's address is known to nobody else."""
SNAPSHOT = """\
{
  "lumos_version": "1.0.0",
  "urn": "lumos://file/lake/orders",
  "name": "orders",
  "platform": "file",
  "schema": {
    "fields": [
      {"name": "id", "type": "INT64", "nullable": true}
    ]
  }
}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A change that breaks, in a repository whose remote has a password in its address."""
    folder = tmp_path / "tree"
    file = folder / "snapshots" / "file" / "lake" / "orders.json"
    file.parent.mkdir(parents=True)
    file.write_text(SNAPSHOT)
    (folder / "lumos.yaml").write_text("version: 1\n")
    git(folder, "init", "-qb", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    git(folder, "remote", "add", "origin", f"http://joe:{PASSWORD}@127.0.0.1:9/lake.git")
    file.write_text(SNAPSHOT.replace("INT64", "STRING"))
    git(folder, "commit", "-qam", "change")
    return folder


def said(folder: Path, *arguments: str, **more: str) -> str:
    """All that a command prints, and all that it leaves in files."""
    before = {path: path.stat().st_mtime_ns for path in written(folder)}
    done = subprocess.run(
        [*ANY_VERSION, *arguments],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT, **more},
        capture_output=True,
        timeout=300,
        check=False,
    )
    new = [path for path in written(folder) if before.get(path) != path.stat().st_mtime_ns]
    return b"\n".join([done.stdout, done.stderr, *(path.read_bytes() for path in new)]).decode()


def written(folder: Path) -> list[Path]:
    named = ("config", "lumos.yaml")
    return [one for one in folder.rglob("*") if one.is_file() and one.name not in named]


def has_no_secret(text: str) -> bool:
    found = [secret for secret in SECRETS if secret in text]
    assert found == [], text
    return True


def echo(status: int, known: Sequence[str] = ECHOED) -> Answer:
    """A server that repeats all that it knows."""
    words = " ".join((*known, f"http://joe:{PASSWORD}@elsewhere/x"))
    return refusal(status, orjson.dumps({"message": words, "error": words, "errors": [words]}))


SYNCS = {
    "plan": (),
    "json": ("--json",),
    "apply": ("--apply", "--yes"),
    "plan in a file": ("--out", "plan.json"),
    "pull": ("--pull",),
    "check": ("--check",),
}


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 404, 422])
@pytest.mark.parametrize("name", ["plan", "json"])
def test_a_sync_with_a_server_that_repeats_secrets(tree: Path, status: int, name: str) -> None:
    with hostile(echo(status)) as server:
        address = server.url.replace("://", f"://joe:{PASSWORD}@")
        settings = f"version: 1\ncatalogs: [{{name: hub, type: datahub, server: '{address}'}}]\n"
        (tree / "lumos.yaml").write_text(settings)
        found = said(tree, "snap", "sync", *SYNCS[name])
    assert server.url.removeprefix("http://") in found
    assert has_no_secret(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", SYNCS)
def test_a_sync_with_a_server_that_is_away(tree: Path, name: str) -> None:
    (tree / "lumos.yaml").write_text(
        "version: 1\ncatalogs: [{name: hub, type: datahub, mode: openapi,"
        f" server: 'http://joe:{PASSWORD}@127.0.0.1:9/?token={PASSWORD}'}}]\n"
    )
    found = said(tree, "snap", "sync", *SYNCS[name])
    assert "127.0.0.1:9" in found
    assert has_no_secret(found)


def test_an_address_that_is_none(tree: Path) -> None:
    (tree / "lumos.yaml").write_text(
        f"version: 1\ncatalogs: [{{name: hub, type: datahub, server: 'joe:{PASSWORD}@hub:8080'}}]\n"
    )
    found = said(tree, "snap", "sync")
    assert "is no address of a server: hub:8080" in found
    assert has_no_secret(found)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_doctor_of_a_catalog(tree: Path, options: tuple[str, ...]) -> None:
    with hostile(echo(403)) as server:
        address = server.url.replace("://", f"://joe:{PASSWORD}@")
        settings = f"version: 1\ncatalogs: [{{name: hub, type: datahub, server: '{address}'}}]\n"
        (tree / "lumos.yaml").write_text(settings)
        assert has_no_secret(said(tree, "doctor", "--catalog", "hub", *options))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_comment_on_a_server_that_repeats_secrets(
    tree: Path, status: int, options: tuple[str, ...]
) -> None:
    with hostile(echo(status, ECHOED[1:])) as server:
        command = ("snap", "comment", "--base", "HEAD~1", "--pr", "7", *options)
        found = said(tree, *command, GITHUB_API_URL=server.url)
    assert "acme/lake" in found
    assert has_no_secret(found)


def test_a_gate_with_a_remote_that_has_a_password(tree: Path) -> None:
    for command in ("gate", "diff", "check"):
        assert has_no_secret(said(tree, "snap", command, "--base", "origin/elsewhere"))


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_webhook_that_repeats_its_address(tree: Path, status: int) -> None:
    with hostile(refusal(status, b"no /services/planted-webhook here")) as server:
        address = f"{server.url}/services/planted-webhook"
        said(tree, "snap", "diff", "--base", "HEAD~1", "--output", "json=diff.json")
        command = ("snap", "notify", "--changes", "diff.json", "--slack")
        found = said(tree, *command, LUMOS_SLACK_WEBHOOK=address)
    assert "webhook" in found
    assert has_no_secret(found)


SOURCES = ("s3", "http", "ftp", "postgresql", "hdfs", "gs")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SOURCES)
def test_a_source_with_a_password_in_its_address(tree: Path, scheme: str) -> None:
    address = f"{scheme}://joe:{PASSWORD}@127.0.0.1:9/lake"
    found = said(tree, "snap", "scan", address)
    assert has_no_secret(found)
    (tree / "lumos.yaml").write_text(f"version: 1\nsources: [{{name: lake, path: '{address}'}}]\n")
    for command in (("scan",), ("scan", "--json"), ("scan", "--check"), ("validate",)):
        assert has_no_secret(said(tree, "snap", *command))


def test_a_bug_with_a_secret_in_its_words(tree: Path) -> None:
    words = f"http://joe:{PASSWORD}@host {ENVIRONMENT['GITHUB_TOKEN']}"
    script = (
        "import lumos_snap.commands.ls as listing, lumos_snap.cli as cli\n"
        f"def broken(*_a, **_k): raise RuntimeError({words!r})\n"
        "listing.ls = broken\n"
        "raise SystemExit(cli.main(['snap', 'ls']))"
    )
    done = subprocess.run(
        [LUMOS.parent / "python", "-c", script],
        cwd=tree,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert "RuntimeError: http://host …" in done.stderr
    assert has_no_secret(
        "\n".join(line for line in done.stderr.splitlines() if "RuntimeError" in line)
    )

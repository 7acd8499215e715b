"""Documents that are made to be too much: each is refused in a moment, with its place."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.documents import DocumentRefusedError, Position, json_text, yaml_text
from lumos_snap.documents.limits import DOCUMENT, TooLarge, excess
from tests.measurement import LUMOS, measured

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
TOO_DEEP = "is nested over 100 levels deep"
TOO_MANY = "holds more than 250,000 values"
YAML = {
    "30,000 lists": ("[" * 30_000, Position(1, 101), TOO_DEEP),
    "20,000 objects": ("{" * 20_000, Position(1, 101), TOO_DEEP),
    "200,000 dashes": ("- " * 200_000, Position(1, 201), TOO_DEEP),
    "100,000 keys of keys": ("? " * 100_000, Position(1, 201), TOO_DEEP),
    "5,000 steps": ("\n".join(" " * n + "a:" for n in range(5_000)), Position(101, 101), TOO_DEEP),
    "101 levels": ("[" * 101 + "]" * 101, Position(1, 101), TOO_DEEP),
    "aliases of aliases": (LAUGHS, Position(1, 10), TOO_MANY),
    "an alias to itself": ("&a [*a]", None, ""),
    "7,000,000 values": ("a: [" + "a," * 7_000_000 + "]", None, TOO_MANY),
    "300,000 keys": ("".join(f"k{n}: 1\n" for n in range(300_000)), None, TOO_MANY),
    "20 MB": ("a: " + "x" * 20_000_000, Position(), "is larger than 16 MiB"),
    "a tag": ("!!python/object/apply:os.system [id]", Position(), "has the tag"),
}


@pytest.mark.parametrize("case", YAML.values(), ids=YAML)
def test_yaml_that_is_too_much_is_refused(case: tuple[str, Position | None, str]) -> None:
    text, place, message = case
    with pytest.raises(DocumentRefusedError) as caught:
        yaml_text.parse(text.encode())
    assert caught.value.problem.message.startswith(message)
    if place is not None:
        assert caught.value.problem.place == place


def test_yaml_within_the_limits_is_read() -> None:
    deep = yaml_text.parse(("[" * 100 + "]" * 100).encode()).value
    assert str(deep) == "[" * 100 + "]" * 100
    assert len(yaml_text.parse(b"[" + b"a," * 100_000 + b"]").value) == 100_000
    assert yaml_text.parse(b"a: &a {b: 1}\nc: *a\n").value == {"a": {"b": 1}, "c": {"b": 1}}


def test_yaml_has_no_merge_keys() -> None:
    assert yaml_text.parse(b"a: &a {b: 1}\n<<: *a\n").value == {"a": {"b": 1}, "<<": {"b": 1}}


JSON = {
    "17 MB of text": (b'{"a": "' + b"x" * 17_000_000 + b'"}', "is larger than 16 MiB"),
    "5,000,000 lists": (b"[" + b"[]," * 5_000_000 + b"[]]", TOO_MANY),
    "300,000 keys": (b"{" + b",".join(b'"%d":1' % n for n in range(300_000)) + b"}", TOO_MANY),
    "lists of lists": (b"[" + b"[[[[]]]]," * 100_000 + b"[]]", TOO_MANY),
    "a file that was not read": (TooLarge(), "is larger than 16 MiB"),
}


@pytest.mark.parametrize("case", JSON.values(), ids=JSON)
def test_json_that_is_too_much_is_refused(case: tuple[bytes, str]) -> None:
    raw, message = case
    with pytest.raises(DocumentRefusedError) as caught:
        json_text.parse(raw)
    assert caught.value.problem.message == message
    assert caught.value.problem.place == Position()


def test_a_table_of_40000_columns_is_within_the_limits() -> None:
    column = b'{"name": "c","type": "STRING","nullable": true}'
    raw = b'{"schema": {"fields": [' + b",\n".join([column] * 40_000) + b"]}}"
    assert not excess(raw)
    assert len(json_text.parse(raw)["schema"]["fields"]) == 40_000


def test_what_was_not_read_never_looks_unchanged() -> None:
    assert TooLarge() != TooLarge()
    assert TooLarge() != b""


@pytest.mark.parametrize("unit", [b"x", b"\\n"], ids=["plain", "escapes"])
def test_a_long_string_is_located_in_little_memory(tmp_path: Path, unit: bytes) -> None:
    script = (
        "from lumos_snap.documents import json_text;"
        f'raw = b\'{{"a": "\' + {unit!r} * {15_000_000 // len(unit)} + b\'", "b": 1}}\';'
        "print(json_text.locate(raw, [('b',)]))"
    )
    found = measured(tmp_path, sys.executable, "-c", script)
    assert found.said.startswith("{('b',): Position(line=1, column=150000")
    assert found.memory < 200


def test_a_long_message_is_cut() -> None:
    with pytest.raises(DocumentRefusedError) as caught:
        yaml_text.parse(b"? " + b"x" * 5_000 + b"\n: 1\n? " + b"x" * 5_000 + b"\n: 2\n")
    assert len(caught.value.problem.message) == 1_001


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


SNAPSHOT = "snapshots/file/lake/orders.json"
SOUND = """\
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
COLUMN = '{"name": "id", "type": "INT64", "nullable": true}'
DOCUMENTS: dict[str, Callable[[], str]] = {
    "lists without an end": lambda: "[" * 100_000,
    "values": lambda: '{"schema": {"fields": [' + "[]," * 5_000_000 + "[]]}}",
    "100 MB of values": lambda: '{"schema": {"fields": [' + "[]," * 33_000_000 + "[]]}}",
    "100 MB of text": lambda: '{"name": "' + "x" * 100_000_000 + '"}',
    "a long name": lambda: SOUND.replace('"orders"', '"' + "x" * 15_000_000 + '"'),
    "errors": lambda: SOUND.replace(COLUMN, "[]," * 60_000 + "[]"),
    "an integer": lambda: SOUND.replace("true", "9" * 5_000),
    "a number": lambda: SOUND.replace("true", "1e999999"),
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A tree at `main`, and a branch for the pull request."""
    file = tmp_path / SNAPSHOT
    file.parent.mkdir(parents=True)
    file.write_text(SOUND)
    (tmp_path / "lumos.yaml").write_text("version: 1\n")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    git(tmp_path, "checkout", "-qb", "change")
    return tmp_path


COMMANDS = {
    "diff": ("diff", "--base", "main"),
    "diff of commits": ("diff", "--base", "main", "--head", "HEAD"),
    "gate": ("gate", "--base", "main"),
    "validate": ("validate",),
}
SLOW = {"100 MB of values", "100 MB of text"}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in DOCUMENTS]
)
def test_a_snapshot_that_is_too_much_fails_with_its_place(
    repository: Path, name: str, command: tuple[str, ...]
) -> None:
    (repository / SNAPSHOT).write_text(DOCUMENTS[name]())
    git(repository, "commit", "-qam", "too much")
    found = measured(repository, LUMOS, "snap", *command)
    assert found.code == 1
    assert f"{SNAPSHOT}:" in found.said
    assert len(found.said) < 50_000
    assert found.is_bounded


@pytest.mark.parametrize("name", [n for n, (text, *_) in YAML.items() if n != "20 MB"])
def test_settings_that_are_too_much_are_refused(repository: Path, name: str) -> None:
    (repository / "lumos.yaml").write_text(YAML[name][0])
    found = measured(repository, LUMOS, "snap", "gate", "--base", "main")
    assert found.code == 2
    assert "lumos.yaml:" in found.said
    assert found.is_bounded


@pytest.mark.parametrize("name", YAML)
def test_waivers_that_are_too_much_are_findings(repository: Path, name: str) -> None:
    file = repository / "waivers" / "w.yaml"
    file.parent.mkdir()
    file.write_text(YAML[name][0])
    (repository / SNAPSHOT).write_text(SOUND.replace("INT64", "STRING"))
    for command in (("diff", "--base", "main"), ("validate",)):
        found = measured(repository, LUMOS, "snap", *command)
        assert found.code == 1
        assert "waivers/w.yaml:" in found.said
        assert found.is_bounded


def test_an_import_that_is_too_deep_is_refused(repository: Path, tmp_path: Path) -> None:
    file = tmp_path / "old.yaml"
    file.write_text("[" * 30_000)
    found = measured(repository, LUMOS, "snap", "import", file)
    assert found.code == 1
    assert "old.yaml:1:101" in found.said
    assert found.is_bounded


assert DOCUMENT.values == 250_000  # as the messages above say

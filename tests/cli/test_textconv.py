"""Git shows documents as flat text: a line for each column and each other fact."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from lumos_snap.canonical.encode import encode
from lumos_snap.commands.textconv import flat
from lumos_snap.model.field_path import format_path, walk
from lumos_snap.model.snapshot import Snapshot
from tests.cli.conftest import Lumos
from tests.strategies.documents import documents, snapshots

ORDERS = "snapshots/iceberg/lake/silver/orders.json"


@pytest.fixture
def driven(shop: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shop, with git's drivers."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert lumos("snap", "init").code == 0
    return shop


def edit(folder: Path) -> None:
    document = json.loads((folder / ORDERS).read_text())
    items = document["schema"]["fields"][9]["element"]["fields"]
    items[1]["type"] = "INT64"
    items[0]["nullable"] = True
    document["governance"]["tags"].append("pii")
    document["documentation"]["description"] = "Orders.\nAll of them."
    (folder / ORDERS).write_text(json.dumps(document))


CHANGES = [
    "-column items[].sku: STRING NOT NULL",
    "+column items[].sku: STRING",
    "-column items[].quantity: INT32 NOT NULL",
    "+column items[].quantity: INT64 NOT NULL",
    "+tag: pii",
    "+documentation.description: Orders.\\nAll of them.",
]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def changed_lines(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line[:1] in "+-"]
    return [line for line in lines if line[:3] not in ("+++", "---")]


def test_git_diff_speaks_columns(driven: Path) -> None:
    edit(driven)
    lines = changed_lines(git(driven, "diff", "--", ORDERS))
    assert set(CHANGES) <= set(lines)
    assert len(lines) == len(CHANGES) + 1  # and the description that was there


def test_git_log_speaks_columns(driven: Path) -> None:
    edit(driven)
    git(driven, "commit", "-qam", "Edit")
    assert set(CHANGES) <= set(changed_lines(git(driven, "log", "-p", "-1", "--", ORDERS)))


def test_a_layout_is_no_change(driven: Path) -> None:
    document = json.loads((driven / ORDERS).read_text())
    (driven / ORDERS).write_text(json.dumps(document, indent=7))
    assert changed_lines(git(driven, "diff")) == []


@pytest.mark.parametrize(
    "raw",
    [b"", b"\x00\xff\n", b"{", b"[]", b"{}", b"5\n", b'{"a": 1}', b'{"id": "x", "ownership": 5}',
     b'{"urn": "u", "schema": {"fields": [{"type": "NOPE"}]}}'],
)  # fmt: skip
def test_what_is_no_document_is_shown_as_it_is(raw: bytes) -> None:
    assert flat(raw) == raw


def test_the_command_prints_it(lumos: Lumos, shop: Path) -> None:
    ran = lumos("snap", "textconv", ORDERS)
    assert ran.code == 0
    assert "column attributes{}: STRING NOT NULL\n" in ran.out
    assert "owner: user jane.smith, type DATA_STEWARD\n" in ran.out
    (shop / "broken").write_text("{ <<<<")
    ran = lumos("snap", "textconv", "broken")
    assert (ran.code, ran.out) == (0, "{ <<<<")


def test_a_missing_file_is_named(lumos: Lumos, empty: Path) -> None:
    ran = lumos("snap", "textconv", "nope.json")
    assert (ran.code, "there is no such file" in ran.err) == (2, True)


@settings(max_examples=50)
@given(snapshots)
def test_every_column_at_any_depth_has_its_line(snapshot: Snapshot) -> None:
    lines = flat(encode(snapshot)).decode().splitlines()
    starts = [line for line in lines if line.startswith("column ")]
    for path, one in walk(snapshot.schema.fields):
        shown = format_path(path)
        if shown.isascii() and shown.isprintable():
            assert any(line.startswith(f"column {shown}: {one.type.value}") for line in starts)


@settings(max_examples=50)
@given(documents)
def test_every_document_is_flattened_and_holds_nothing_that_a_terminal_obeys(
    document: Snapshot,
) -> None:
    raw = encode(document)
    text = flat(raw)
    assert text != raw
    assert not set(text) & (set(range(32)) - {10})


def test_starting_loads_nothing_heavy(shop: Path) -> None:
    program = (
        "import sys; from lumos_snap.cli import main; main(['snap', 'textconv', sys.argv[1]]);"
        "print([n for n in ('pydantic_core', 'rich', 'jsonschema', 'yaml', 'lumos_snap.git',"
        " 'lumos_snap.tree') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, ORDERS], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"

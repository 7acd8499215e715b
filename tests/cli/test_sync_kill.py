"""`lumos snap sync` that is killed, again and again, at any point of an apply."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot
from tests.cli.conftest import Lumos
from tests.cli.lake import Lake

KILLS, NUMBER = 10, 80
NAMES = [f"t{number:02}" for number in range(NUMBER)]
LUMOS = [sys.executable, "-m", "lumos_snap", "snap", "sync"]
SETTINGS = "version: 1\ncatalogs: [{name: there, %s}]\n"
TYPES: Mapping[str, str] = {
    "folder": "type: files, path: ../there",
    "document": "type: files, path: ../there.json",
    "lite": "type: datahub-lite, path: ../there.db",
}


class Home(Lake):
    """A tree of some datasets, each of which says how often all were edited."""

    def __init__(self, folder: Path, lumos: Lumos) -> None:
        super().__init__(folder / "home")
        self.journal = self.folder / ".lumos/sync/there.jsonl"
        self.lumos = lumos
        self.edits = 0

    def edit(self) -> None:
        self.edits += 1
        for name in NAMES:
            checks: Any = {"checks": [{"name": "fresh"}]}
            said = {"description": f"{name}, edit {self.edits}"}
            self.put(name, documentation=said, quality=checks)
        self.commit(f"Edit {self.edits}")

    def sent(self) -> int:
        """How many writes the journal tells of; nothing where there is none."""
        try:
            return self.journal.read_bytes().count(b'{"sent"')
        except FileNotFoundError:
            return 0

    def sync(self, *options: str) -> int:
        return self.lumos("snap", "sync", "-C", self.folder, *options).code


def killed(home: Home, chance: random.Random) -> bool:
    """Begin a sync, or finish one, and kill it somewhere; whether it came to that."""
    how = ["--resume"] if home.journal.exists() else ["--apply", "--yes"]
    enough = home.sent() + chance.randint(0, NUMBER // 3)
    with subprocess.Popen(
        [*LUMOS, *how], cwd=home.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as command:
        until = time.monotonic() + 90
        while command.poll() is None and time.monotonic() < until:
            if home.journal.exists() and home.sent() >= enough:
                time.sleep(chance.uniform(0, 0.02))
                os.kill(command.pid, signal.SIGKILL)
                break
            time.sleep(0.001)
        _, complaint = command.communicate(timeout=90)
    assert command.returncode in (0, -signal.SIGKILL), complaint
    return command.returncode == -signal.SIGKILL


def in_folder(home: Home) -> None:
    """Each file is what one write of it makes."""
    there = (home.folder / "../there").rglob("snapshots/**/*.json")
    held = {path.stem: path.read_bytes() for path in there}
    assert held == {name: encode_document(home.read(name), Snapshot) for name in NAMES}


def in_lite(home: Home) -> None:
    """Nothing was written twice: columns once, and words once for each edit at most."""
    with closing(sqlite3.connect(home.folder / "../there.db")) as connection:
        rows = connection.execute("SELECT urn, aspect_name, version FROM metadata_aspect_v2")
        keys = rows.fetchall()
    assert len(keys) == len(set(keys))
    most = {name: max(version for _, one, version in keys if one == name) for _, name, _ in keys}
    assert most["schemaMetadata"] == 1
    assert most["editableDatasetProperties"] <= home.edits


PROOFS: Mapping[str, Callable[[Home], None]] = {"folder": in_folder, "lite": in_lite}
"""What more can be said of a catalog than that nothing differs."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", TYPES)
def test_after_ten_kills_it_is_finished_as_if_nothing_had_been(
    kind: str, tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # DataHub's package writes into it once it is loaded
    chance = random.Random(kind)
    home = Home(tmp_path, lumos)
    home.start(settings=SETTINGS % TYPES[kind])
    home.edit()
    kills = 0
    for _ in range(5 * KILLS):
        if kills == KILLS:
            break
        if not home.journal.exists() and home.sync("--check") == 0:
            home.edit()  # all is done: there must be something to kill
        kills += killed(home, chance)
    assert kills == KILLS
    if home.journal.exists():
        assert home.sync("--apply", "--yes") == 2  # an unfinished sync comes first
        assert home.sync("--resume") == 0
    assert not home.journal.exists()
    assert home.sync("--apply", "--yes") == 0  # what was confirmed and not kept is looked at
    assert home.sync("--check") == 0
    PROOFS.get(kind, lambda _: None)(home)
    home.file(NAMES[0]).unlink()
    assert home.sync("--apply", "--yes") == 0  # the base is whole, too: it knows what may go
    assert home.sync("--check") == 0

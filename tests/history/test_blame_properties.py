"""Blame looks at little and says what a diff of every two versions says."""

import itertools
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.commands.blame import blame
from lumos_snap.diff import diff
from lumos_snap.history.column_changes import ROOTS, columns_of, read_columns
from lumos_snap.history.renames import is_renamed, path_before
from lumos_snap.model.snapshot import Snapshot
from tests.history.conftest import CLICKS, Scripted, content, document, scripted

Version = Mapping[str, Any]
KINDS = ("INT32", "INT64", "STRING", "DATE")
ROOT = ROOTS[0]

pytestmark = pytest.mark.slow  # many real repositories


class Lists:
    """Columns that change at random; with ids or without."""

    def __init__(self, chance: random.Random, *, ids: bool) -> None:
        self.chance, self.ids, self.number = chance, ids, 0

    def column(self, depth: int = 0) -> dict[str, Any]:
        self.number += 1
        name = self.chance.choice("abcdefgh") + ("" if self.ids else str(self.number % 5))
        held: dict[str, Any] = {"name": name, "type": self.chance.choice(KINDS), "nullable": True}
        if self.ids:
            held["id"] = self.number
        if depth < 2 and self.chance.random() < 0.3:
            held |= {"type": "STRUCT", "fields": self.several(depth + 1)}
        return held

    def several(self, depth: int) -> list[dict[str, Any]]:
        return _distinct([self.column(depth) for _ in range(self.chance.randint(1, 4))])

    def changed(self, fields: list[dict[str, Any]], depth: int = 0) -> list[dict[str, Any]]:
        found = [dict(one) for one in fields]
        at = self.chance.randrange(len(found))
        match self.chance.choice(
            ("add", "remove", "rename", "type", "null", "inside", "order", "words")
        ):
            case "add":
                found.insert(at, self.column(depth))
            case "remove" if len(found) > 1:
                del found[at]
            case "rename":
                found[at]["name"] = self.chance.choice("ijklmnab")
            case "type" if "fields" not in found[at]:
                found[at]["type"] = self.chance.choice(KINDS)
            case "null":
                found[at]["nullable"] = not found[at]["nullable"]
            case "inside" if "fields" in found[at]:
                found[at]["fields"] = self.changed(found[at]["fields"], depth + 1)
            case "order":
                self.chance.shuffle(found)
            case _:
                found[at]["description"] = self.chance.choice("xyz")
        return _distinct(found)


def _distinct(fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({one["name"].casefold(): one for one in fields}.values())


def _versions(seed: int) -> Iterator[Version]:
    chance = random.Random(seed)
    lists = Lists(chance, ids=seed % 2 == 0)
    fields = lists.several(0)
    for _ in range(25):
        yield document(*fields)
        fields = lists.changed(fields)


def _by_diffs(versions: list[Version]) -> dict[str, tuple[int, int, str]]:
    """Since when, first when, and as what: by the diff of every two versions."""
    flat = [{one.path: one for one in columns_of(read_columns(each, ROOT))} for each in versions]
    facts = [
        diff(*(canonical_document(one, Snapshot) for one in pair))
        for pair in itertools.pairwise(versions)
    ]
    found = {}
    for last in flat[-1]:
        path, since, number = last, -1, len(versions) - 1
        while True:
            was = path_before(facts[number - 1], path) if number else ""
            older = flat[number - 1].get(was) if number else None
            if older is None:
                break
            renamed = any(f.path == path and is_renamed(f, ROOT) for f in facts[number - 1])
            if since < 0 and (renamed or older.definition != flat[number][path].definition):
                since = number
            path, number = was, number - 1
        found[last] = (number if since < 0 else since, number, path)
    return found


def _history(folder: Path, versions: list[Version]) -> Scripted:
    made = scripted(folder)
    for number, version in enumerate(versions):
        (made.root / CLICKS).parent.mkdir(parents=True, exist_ok=True)
        (made.root / CLICKS).write_bytes(content(dict(version)))
        made.commit(str(number))
    return made


@pytest.mark.parametrize("seed", range(12))
def test_blame_says_what_all_diffs_say(tmp_path: Path, seed: int) -> None:
    versions = list(_versions(seed))
    made = _history(tmp_path / "repository", versions)
    found = {}
    for one in blame(made.tree, "clicks").columns:
        assert one.since.commit is not None
        assert one.first.commit is not None
        since, first = made.name(one.since.commit.id), made.name(one.first.commit.id)
        found[one.path] = (int(since), int(first), one.first_path)
    assert found == _by_diffs(versions)

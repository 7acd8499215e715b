"""A diff that was written as JSON is read back as the value that it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from lumos_snap.commands.diff.saved_report import read_saved_diff, read_saved_results
from lumos_snap.errors import LumosError
from lumos_snap.render.json_report import to_json
from tests.ci.conftest import (
    CUSTOMERS,
    Lumos,
    _nobodys_environment,
    drop,
    edit,
    lumos,
    shop,
)

__all__ = ["_nobodys_environment", "lumos", "shop"]


@pytest.fixture
def written(lumos: Lumos, shop: Path, tmp_path: Path) -> Path:
    edit(shop / CUSTOMERS, drop("email"))
    (shop / "snapshots/kafka/prod/shop.orders.v1.json").write_text("{")
    path = tmp_path / "diff.json"
    assert lumos("snap", "diff", "--output", f"json={path}").code == 1
    return path


def test_it_is_the_same_again(written: Path) -> None:
    difference = read_saved_diff(written)
    assert to_json(difference) == written.read_text()
    assert difference.datasets[0].findings[0].slug == "field-removed"
    assert difference.damaged[0].path.endswith("shop.orders.v1.json")


def test_a_gate_is_read_as_the_trees_that_it_judged(
    lumos: Lumos, shop: Path, tmp_path: Path
) -> None:
    edit(shop / CUSTOMERS, drop("email"))
    kept = tmp_path / "report"
    lumos("snap", "gate", "--base", "main", "--report", kept)
    (tree,) = read_saved_results(kept / "gate.json", "nobody")
    assert (tree.name, tree.exit) == (".", 1)
    with pytest.raises(LumosError, match="is not the JSON of a diff"):
        read_saved_diff(kept / "gate.json")


def test_what_a_later_lumos_adds_does_not_break_who_reads_it(written: Path) -> None:
    document = json.loads(written.read_text())
    document["weather"] = "fine"
    document["datasets"][0]["findings"][0]["mood"] = {"any": 1}
    before = read_saved_diff(written)
    written.write_text(json.dumps(document))
    assert read_saved_diff(written) == before


def _without(key: str) -> Any:
    return lambda document: document.pop(key)


def _with(**more: Any) -> Any:
    return lambda document: document.update(more)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_with(version="1"), "version: `version` must be one of 1"),
        (_with(version=2), "another version of lumos"),
        (_with(report="ls"), "is not the JSON of a diff"),
        (_without("report"), "is not the JSON of a diff"),
        (_without("verdict"), "`verdict` is missing"),
        (_with(verdict="fine"), "`verdict` must be one of"),
        (_with(datasets={"a": 1}), "datasets: `datasets` must be a list"),
        (_with(datasets=[3]), "datasets.0"),
    ],
)
def test_what_is_no_diff_is_refused(written: Path, change: Any, says: str) -> None:
    document = json.loads(written.read_text())
    change(document)
    written.write_text(json.dumps(document))
    with pytest.raises(LumosError) as raised:
        read_saved_diff(written)
    assert says in raised.value.message
    assert str(written) in raised.value.message
    assert raised.value.exit_code == 2


def test_a_gate_that_judged_nothing_is_refused(lumos: Lumos, shop: Path, tmp_path: Path) -> None:
    lumos("snap", "gate", "--base", "main", "--report", tmp_path)
    path = tmp_path / "gate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"trees": []}))
    with pytest.raises(LumosError, match="of a gate that judged nothing"):
        read_saved_results(path, "nobody")


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"text"', b"[" * 9999])
def test_what_is_no_json_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "diff.json"
    path.write_bytes(raw)
    with pytest.raises(LumosError, match=r"diff\.json"):
        read_saved_diff(path)


def test_a_file_that_was_cut_off_is_refused(written: Path) -> None:
    whole = written.read_bytes()
    for length in range(0, len(whole) - 2, 97):
        written.write_bytes(whole[:length])
        with pytest.raises(LumosError):
            read_saved_diff(written)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LumosError, match=r"diff\.json: cannot be read: No such file"):
        read_saved_diff(tmp_path / "diff.json")

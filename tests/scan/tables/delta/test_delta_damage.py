"""A log that is damaged is refused with the name of the file at fault: no wrong schema is told."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.store import BadFileError
from tests.scan.tables.delta.delta_tables import (
    CREATED,
    add,
    checkpoint,
    column,
    lines,
    log,
    metadata,
    protocol,
)
from tests.scan.tables.lake import columns, probed, said

V = "{:020}".format
Break = Callable[[Path], object]


def _write(name: str, content: bytes) -> Break:
    return lambda place: (place / name).write_bytes(content)


def _multi(place: Path) -> None:
    for commit in place.glob("*.json"):
        commit.unlink()
    checkpoint(place / f"{V(4)}.checkpoint.{1:010}.{2:010}.parquet", *CREATED)


def _sidecar(name: str) -> Break:
    held = {"sidecar": {"path": name, "sizeInBytes": 1, "modificationTime": 0}}
    return lambda place: checkpoint(place / f"{V(4)}.checkpoint.parquet", *CREATED, held)


def _cut(place: Path) -> None:
    path = checkpoint(place / f"{V(4)}.checkpoint.parquet", *CREATED)
    path.write_bytes(path.read_bytes()[:-20])


def _scrambled(place: Path) -> None:
    path = checkpoint(place / f"{V(4)}.checkpoint.parquet", *CREATED)
    path.write_bytes(b"PAR1" + bytes(200) + path.read_bytes()[204:])


NO_NAME = json.dumps({"type": "struct", "fields": [{"type": "long"}]})
BROKEN: Mapping[str, tuple[Break, str, str]] = {
    "gap": (
        _write(f"{V(3)}.json", lines(add("x"))),
        error_codes.DAMAGED,
        f"{V(2)}.json: is missing",
    ),
    "no start": (
        lambda p: (p / f"{V(0)}.json").unlink(),
        error_codes.DAMAGED,
        f"{V(0)}.json: is miss",
    ),
    "empty commit": (
        _write(f"{V(2)}.json", b""),
        error_codes.EMPTY,
        f"{V(2)}.json: it holds no byte",
    ),
    "half a commit": (
        _write(f"{V(2)}.json", lines(add("x"))[:-9]),
        error_codes.TRUNCATED,
        f"{V(2)}.json: it ends",
    ),
    "broken line": (
        _write(f"{V(2)}.json", b'{"add":\n' + lines(add("x"))),
        error_codes.DAMAGED,
        f"{V(2)}.json: it is no JSON",
    ),
    "no object": (_write(f"{V(2)}.json", b"[1]\n"), error_codes.DAMAGED, "it is no JSON object"),
    "deep": (_write(f"{V(2)}.json", b'{"a":' + b"[" * 100_000), error_codes.TOO_LARGE, "too deep"),
    "no metadata": (
        _write(f"{V(0)}.json", lines(protocol())),
        error_codes.DAMAGED,
        "says no metaData",
    ),
    "no protocol": (
        _write(f"{V(0)}.json", lines(CREATED[1])),
        error_codes.DAMAGED,
        "says no protocol",
    ),
    "no schema": (
        _write(f"{V(2)}.json", lines({"metaData": {}})),
        error_codes.DAMAGED,
        "metaData has no schema",
    ),
    "bad schema": (
        _write(f"{V(2)}.json", lines({"metaData": {"schemaString": NO_NAME}})),
        error_codes.DAMAGED,
        "a column without a name",
    ),
    "cut schema": (
        _write(f"{V(2)}.json", lines({"metaData": {"schemaString": "{"}})),
        error_codes.DAMAGED,
        "no JSON",
    ),
    "no versions": (
        _write(f"{V(2)}.json", lines({"protocol": {}})),
        error_codes.DAMAGED,
        "protocol has no versions",
    ),
    "missing part": (_multi, error_codes.DAMAGED, "part 2 of it is missing"),
    "missing sidecar": (
        _sidecar("gone.parquet"),
        error_codes.MISSING,
        "_delta_log: the checkpoint names the sidecar gone.parquet, which is missing",
    ),
    "sidecar elsewhere": (_sidecar("../../x.parquet"), error_codes.DAMAGED, "does not lie beside"),
    "cut checkpoint": (_cut, error_codes.TRUNCATED, f"{V(4)}.checkpoint.parquet: "),
    "scrambled checkpoint": (_scrambled, error_codes.DAMAGED, f"{V(4)}.checkpoint.parquet: "),
    "no checkpoint": (
        _write(f"{V(4)}.checkpoint.parquet", b"PAR1 no"),
        error_codes.TRUNCATED,
        "no footer",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_and_where_is_said(name: str, tmp_path: Path) -> None:
    log(tmp_path, [*CREATED, add("a")], [add("b")])
    damage, reason, words = BROKEN[name]
    damage(tmp_path / "_delta_log")
    with pytest.raises(BadFileError) as refusal:
        probed(tmp_path)
    assert (refusal.value.reason, words in refusal.value.detail) == (reason, True), refusal.value


LAST = lines(add("x"), metadata(column("id", "string"), column("more")))[:-1]


@given(st.integers(1, len(LAST)))
def test_a_last_line_that_is_cut_never_yields_a_wrong_schema(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    folder = log(tmp_path_factory.mktemp("table"), CREATED)
    (folder / "_delta_log" / f"{V(1)}.json").write_bytes(LAST[:length])
    if length == len(LAST):
        assert columns(folder) == ["id STRING", "more INT64"]
    elif length in {LAST.index(b"\n"), LAST.index(b"\n") + 1}:  # a line less is a commit of its own
        assert columns(folder) == ["id INT64"]
    else:
        with pytest.raises(BadFileError) as refusal:
            said(folder)
        assert refusal.value.reason == error_codes.TRUNCATED


WHOLE = lines(*CREATED, add("a"))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(1, 255)), max_size=5))
def test_a_commit_with_other_bytes_is_described_or_refused(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    folder = log(tmp_path_factory.mktemp("table"))
    data = bytearray(WHOLE)
    for at, mask in flips:
        data[at] ^= mask
    (folder / "_delta_log" / f"{V(0)}.json").write_bytes(bytes(data))
    with suppress(BadFileError):
        columns(folder)


STATE = (*CREATED, add("a"), add("b"))


@pytest.mark.slow
@given(st.data())
def test_a_checkpoint_with_other_bytes_is_described_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("table")
    path = checkpoint(folder / "_delta_log" / f"{V(4)}.checkpoint.parquet", *STATE)
    held = bytearray(path.read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(held) - 1), max_size=4)):
        held[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(bytes(held))
    with suppress(BadFileError):
        columns(folder)

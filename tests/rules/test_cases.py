"""Every rule has a folder; each fires on its own change, and not on what merely looks like it."""

from pathlib import Path

import orjson
import pytest

from lumos_snap.canonical.read import ReadResult, read
from lumos_snap.diff import diff
from lumos_snap.engines import engine_names
from lumos_snap.rules.registry import CHANGES as ROWS
from lumos_snap.rules.registry import by_name
from lumos_snap.schema import Value
from tests.rules.fixtures import (
    CASES,
    CHANGES,
    FOLDER,
    Change,
    RuleCase,
    class_of,
    ids,
    judged,
    levels,
    line,
    told,
    with_readers,
)

MATRIX = FOLDER.parent / "matrix.txt"
READERS = FOLDER.parent / "readers.txt"
READERS_HEAD = """\
Every change that readers judge, under each reader: levels under default/history/consumers/strict;
what the deciding reader does with stored data, and with new data under the old schema.
"""
HEAD = """\
Every fixture, judged by all rules: the change itself, its near misses, and the way back.
Levels under default/history/consumers/strict; one word where all four are alike.
"""
FOLDERS = pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)


def test_every_rule_has_a_folder_and_every_folder_a_rule() -> None:
    assert {case.folder.name for case in CASES} == {f"{rule.id}-{rule.slug}" for rule in ROWS}


@pytest.mark.parametrize(
    "path",
    [
        path
        for case in CASES
        for path in sorted(case.folder.rglob("*.json"))
        if path.name not in ("expected.json", "near.json")
    ],
    ids=lambda path: str(path.relative_to(FOLDER)),
)
def test_a_document_is_valid_and_canonical_and_does_not_differ_from_itself(path: Path) -> None:
    raw = path.read_bytes()
    document = orjson.loads(raw)
    reading: ReadResult[Value] = read(raw, class_of(document))
    assert not reading.problems
    assert reading.canonical == raw
    if "urn" in document:
        assert diff(document, document) == ()
    assert not ids(Change("", document, document))


@FOLDERS
def test_a_change_falls_under_its_rule(case: RuleCase) -> None:
    assert case.rule in ids(case.main)
    others = ids(case.main) - {case.rule}
    note = case.folder / "note.txt"
    assert not others or any(other in note.read_text() for other in others)


@FOLDERS
def test_a_near_miss_does_not(case: RuleCase) -> None:
    for change in case.near:
        assert case.rule not in ids(change), change.name


def _golden(path: Path, found: bytes, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        path.write_bytes(found)
    assert path.read_bytes() == found


@FOLDERS
def test_findings_are_those_expected(case: RuleCase, request: pytest.FixtureRequest) -> None:
    near = {change.name: list(told(change)) for change in case.near}
    _golden(case.folder / "expected.json", _json(list(told(case.main))), request)
    _golden(case.folder / "near.json", _json(near), request)


def _json(found: object) -> bytes:
    return orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def test_all_rules_on_all_fixtures(request: pytest.FixtureRequest) -> None:
    _golden(MATRIX, f"{HEAD}{''.join(map(_rows, CASES))}".encode(), request)


def _rows(case: RuleCase) -> str:
    rows = [
        ("change", case.main),
        *((one.name, one) for one in case.near),
        ("back", case.main.reversed),
    ]
    return f"\n{case.folder.name}\n" + "".join(f"  {name}: {line(one)}\n" for name, one in rows)


def test_every_reader_on_every_change_that_readers_judge(request: pytest.FixtureRequest) -> None:
    asking = [case for case in CASES if by_name()[case.rule].asks_readers]
    _golden(READERS, f"{READERS_HEAD}{''.join(map(_read_by, asking))}".encode(), request)


def _read_by(case: RuleCase) -> str:
    rows: list[tuple[tuple[str, ...], str]] = [((engine,), engine) for engine in engine_names()]
    rows += [(engine_names(), "all of them"), (("trino",), "one that is not known")]
    shown = (f"  {name}: {_decided(with_readers(case.main, *who))}\n" for who, name in rows)
    return f"\n{case.folder.name}\n{''.join(shown)}"


def _decided(change: Change) -> str:
    (found,) = told(change)
    answers = (
        f"{way} by {answer['engine']}, {answer['does']} {answer.get('shows', '')}".rstrip()
        for way, answer in found["readers"].items()
    )
    return f"{levels(found['levels'])}; {'; '.join(answers)}"


def test_the_worst_reader_counts() -> None:
    for case in CASES:
        if by_name()[case.rule].asks_readers:
            alone = [judged(with_readers(case.main, one)) for one in engine_names()]
            (together,) = judged(with_readers(case.main, *engine_names()))
            assert together.level == max(one.level for (one,) in alone)


def test_there_are_as_many_near_misses_as_it_takes() -> None:
    assert len(CHANGES) - len(CASES) >= 1.5 * len(CASES)


@FOLDERS
def test_a_folder_has_what_it_needs_and_nothing_else(case: RuleCase) -> None:
    names = {path.name for path in case.folder.iterdir()}
    assert {"expected.json", "near", "near.json"} <= names
    assert names & {"before.json", "after.json"}
    others = {"before.json", "after.json", "expected.json", "near", "near.json"}
    assert names - others <= {"note.txt"}
    assert case.near

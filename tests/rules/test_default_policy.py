"""The default policy, sentence by sentence: golden files may be rewritten, this may not."""

import pytest

from lumos_snap.rules.rule import Level
from tests.rules.fixtures import CASES, judged

BREAKING = {
    "a field removed": "SC001 SC018",
    "a type that a declared reader refuses": "TY004 TY005 TY022 TY028",
    "a type that a declared reader reads with changed values": "TY002 TY003 TY010 TY013 TY017",
    "nullable to required": "NU002",
    "required to nullable": "NU001",
    "a required field added without default": "SC004",
    "a key changed": "KY001 KY002 KY007",
    "a partition column changed": "PT001 PT002 PT003 PT004 PT005 PT010",
    "format changed": "ST001",
    "location moved": "ST002",
    "a dataset removed": "DS001",
    "a PII mark removed": "GV001",
    "a classification lowered": "GV003",
    "an SLA loosened": "GV021 GV022",
}
NON_BREAKING = {
    "a nullable field added": "SC003",
    "a lossless widening": "TY001 TY009 TY019",
    "partition evolution of Iceberg": "PT009",
    "documentation added or removed": "GV006",
    "tags and terms added or removed": "GV005",
    "owners added or removed": "GV004 GV011",
    "links added or removed": "GV006",
    "lineage edges added or removed": "LN001",
    "checks added or removed": "QL001 QL003",
}
INFORMATIONAL = {
    "text edited": "GV010",
    "domain": "GV009",
    "schedule": "SD001",
    "codec": "ST005",
    "only the scheme of a location": "ST003",
}
SILENT = "TY002 TY003 TY010 TY013 TY014 TY016 TY017"
"""Of the breaking ones, those whose damage no engine reports."""


def _each(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(says, rule) for says, rules in table.items() for rule in rules.split()]


def _level(rule: str) -> Level:
    case = next(case for case in CASES if case.rule == rule)
    return next(finding.level for finding in judged(case.main) if finding.rule.id == rule)


@pytest.mark.parametrize(("says", "rule"), _each(BREAKING))
def test_breaking(says: str, rule: str) -> None:
    assert _level(rule).is_breaking, says


@pytest.mark.parametrize(("says", "rule"), _each(NON_BREAKING))
def test_non_breaking(says: str, rule: str) -> None:
    assert _level(rule) is Level.NON_BREAKING, says


@pytest.mark.parametrize(("says", "rule"), _each(INFORMATIONAL))
def test_informational(says: str, rule: str) -> None:
    assert _level(rule) is Level.INFORMATIONAL, says


@pytest.mark.parametrize("rule", SILENT.split())
def test_silent(rule: str) -> None:
    assert _level(rule) is Level.SILENT

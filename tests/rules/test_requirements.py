"""What a policy asks of owners, of personal data and of what must be said: tables."""

import datetime
from typing import Any

import pytest

from lumos_snap.rules.dataset_state import CheckedDataset
from tests.rules.dataset_states import found, policy_of, told

TODAY = datetime.date(2026, 6, 1)
COLUMNS = [{"name": name, "type": "STRING", "nullable": True} for name in ("id", "mail")]


def state(**sections: Any) -> CheckedDataset:
    urn = "lumos://s3/lake/a"
    held = {"urn": urn, "name": "a", "schema": {"fields": COLUMNS}, **sections}
    return CheckedDataset(urn, held, TODAY)


def owned(*owners: dict[str, str]) -> CheckedDataset:
    return state(ownership={"owners": list(owners)})


STEWARD = {"type": "DATA_STEWARD"}
ANN, TEAM = {"user": "ann"}, {"group": "sales"}


@pytest.mark.parametrize(
    ("demand", "owners", "says"),
    [
        ({}, [], "owners: there must be one, and there is none"),
        ({}, [ANN], None),
        ({"group": True}, [ANN], "groups: there must be one, and there is none"),
        ({"group": True}, [TEAM], None),
        ({"least": 2}, [ANN], "owners: there must be at least 2, and there is 1"),
        ({"least": 2}, [ANN, TEAM], None),
        (STEWARD, [ANN], "owners of type DATA_STEWARD: there must be one, and there is none"),
        (STEWARD, [{**ANN, **STEWARD}], None),
        (
            {"group": True, **STEWARD},
            [{**ANN, **STEWARD}, TEAM],
            "groups of type DATA_STEWARD: there must be one, and there is none",
        ),
    ],
)
def test_owners_of_a_sort_are_counted(
    demand: dict[str, Any], owners: list[dict[str, str]], says: str | None
) -> None:
    found = told(policy_of({"owners": [demand]}), owned(*owners))
    assert [one["message"] for one in found] == ([says] if says else [])


PII = {"path": "mail", "pii": True}


@pytest.mark.parametrize(
    ("needs", "governance", "lacks"),
    [
        ("classification", {"fields": [PII]}, {("PO004", "mail")}),
        ("classification", {"fields": [{**PII, "classification": "internal"}]}, set()),
        ("classification", {"fields": [PII], "classification": "internal"}, set()),
        ("classification", {"pii": True}, {("PO004", "")}),
        ("classification", {"pii": True, "classification": "internal"}, set()),
        ("classification", {"pii": True, "fields": [PII]}, {("PO004", ""), ("PO004", "mail")}),
        ("classification", {"fields": [{**PII, "pii": False}]}, set()),
        ("masking", {"fields": [PII]}, {("PO006", "mail")}),
        ("masking", {"fields": [{**PII, "masking": "hash"}]}, set()),
        ("masking", {"pii": True}, set()),
        ("owner", {"fields": [PII]}, {("PO005", "mail")}),
        ("owner", {"pii": True}, {("PO005", "")}),
        ("owner", {"pii": True, "fields": [PII]}, {("PO005", "")}),
        ("owner", {}, set()),
    ],
)
def test_personal_data_must_have_what_it_needs(
    needs: str, governance: dict[str, Any], lacks: set[tuple[str, str]]
) -> None:
    policy = policy_of({"personal": [{"needs": [needs]}]})
    seen = found(policy, state(governance=governance))
    assert {(one.rule.id, one.told.path) for one in seen} == lacks


@pytest.mark.parametrize(
    ("what", "paths"),
    [
        ("documentation.fields", []),
        ("documentation.fields.description", ["mail"]),
        ("governance.fields", [""]),
        ("schema.fields", []),
        ("schema.fields.description", ["id", "mail"]),
    ],
)
def test_a_list_of_columns_is_asked_for_as_one_and_what_is_in_it_of_each(
    what: str, paths: list[str]
) -> None:
    words = {"fields": [{"path": "id", "description": "x"}]}
    seen = found(policy_of({"require": [{"what": what}]}), state(documentation=words))
    assert [one.told.path for one in seen] == paths

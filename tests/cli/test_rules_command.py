"""`lumos snap rules`, as a person calls it."""

from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from lumos_snap.commands.schema import generate_schema
from lumos_snap.rules.registry import RULES
from tests.cli.conftest import Lumos, Ran


def _valid(ran: Ran) -> Any:
    Draft202012Validator(orjson.loads(generate_schema("output/rules"))).validate(ran.json)
    return ran.json


def test_it_needs_no_tree(lumos: Lumos, empty: object) -> None:
    assert lumos("snap", "rules").code == 0


def test_every_rule_has_a_line(lumos: Lumos) -> None:
    lines = lumos("snap", "rules").out.splitlines()
    found = [line.split()[0] for line in lines if line and line[:2].isupper()]
    assert found == sorted(rule.id for rule in RULES)
    assert "SC001  field-removed" in "\n".join(lines)


def test_a_level_that_readers_may_raise_is_marked(lumos: Lumos) -> None:
    lines = {line[:5]: line for line in lumos("snap", "rules").out.splitlines()}
    assert lines["TY001"].endswith("non-breaking *")
    assert lines["SC001"].endswith("breaking")
    assert lines["SC011"].endswith("silent")


@pytest.mark.parametrize("name", ["SC001", "sc001", "field-removed", "Field-Removed"])
def test_one_is_explained_by_its_id_or_name(name: str, lumos: Lumos) -> None:
    assert (
        lumos("snap", "rules", name).out
        == """\
SC001 field-removed  [readers]
  <path> was removed

  why    Every query that names the column fails.
  fix    keep it and deprecate it in `contract.fields` with a `sunset`; \
if it was renamed, say `renamed_from`
  for    field: removed
  level  by default breaking, history informational, consumers breaking, strict breaking
  step   minor where it breaks nothing, else major
  more   docs/reference/rules/readers.md#sc001-field-removed
"""
    )


def test_a_condition_and_readers_are_named(lumos: Lumos) -> None:
    out = lumos("snap", "rules", "TY003").out
    assert "  for    field.type, element.type, key.type" in out
    assert "  where  the new type of number holds only some of the old one's" in out
    assert "the readers of the dataset say" in out


@pytest.mark.parametrize("arguments", [(), ("DS001",)])
def test_json_follows_its_schema(arguments: tuple[str, ...], lumos: Lumos) -> None:
    found = _valid(lumos("snap", "rules", *arguments, "--json"))
    assert len(found["rules"]) == (1 if arguments else len(RULES))


def test_a_name_that_nobody_has_is_a_usage_error_that_helps(lumos: Lumos) -> None:
    ran = lumos("snap", "rules", "field-remved")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean `field-removed`?" in ran.err
    assert "`lumos snap rules` lists all" in lumos("snap", "rules", "??").err


def test_where_it_is_documented_is_there(lumos: Lumos, root: Any) -> None:
    for one in lumos("snap", "rules", "--json").json["rules"]:
        path, _, anchor = one["documented"].partition("#")
        heading = f"## {one['rule']} {one['slug']}"
        assert heading in (root / path).read_text().splitlines()
        assert heading[3:].lower().replace(" ", "-") == anchor

"""The guide shows the templates as they are, and names every input and output of the action."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml


@pytest.fixture
def guide(root: Path) -> str:
    return (root / "docs/guides/github.md").read_text()


@pytest.fixture
def action(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((root / "action.yml").read_text())
    return found


def test_templates_stand_there_as_they_are(root: Path, guide: str) -> None:
    shown = re.findall(r"<!-- (ci/github/\S+) -->\n```yaml\n(.*?)```", guide, re.DOTALL)
    assert {name for name, _ in shown} >= {
        f"ci/github/{name}.yml"
        for name in ("pull-request", "monorepo", "pull-request-forks", "comment-forks")
    }
    for name, text in shown:
        assert text == (root / name).read_text()


@pytest.mark.parametrize("part", ["inputs", "outputs"])
def test_every_input_and_output_has_a_row(guide: str, action: dict[str, Any], part: str) -> None:
    section = guide.partition(f"## {part.title()}")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE) == list(action[part])


def test_every_input_reaches_the_script_and_no_other_way(
    root: Path, action: dict[str, Any]
) -> None:
    (step,) = action["runs"]["steps"]
    script = (root / "ci/github/gate.sh").read_text()
    passed = {value[len("${{ inputs.") : -len(" }}")] for value in step["env"].values()}
    assert passed == set(action["inputs"])
    assert "${{" not in step["run"]
    for variable in step["env"]:
        assert f"${variable}" in script


def test_every_output_is_one_that_the_gate_writes(action: dict[str, Any]) -> None:
    for name, row in action["outputs"].items():
        assert row["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"

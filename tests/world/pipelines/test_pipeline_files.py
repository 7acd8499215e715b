"""Templates are what their systems take: judged by published schemas and linters."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.world

WORKFLOWS = ("ci/github/release.yml", "ci/github/scheduled-scan.yml", "ci/github/sync.yml")
SCHEMAS = {
    **dict.fromkeys(WORKFLOWS, ("vendor.github-workflows",)),
    "ci/gitlab/lumos.gitlab-ci.yml": ("vendor.gitlab-ci", "--data-transform", "gitlab-ci"),
    "ci/azure/lumos-gate.yml": (
        *("vendor.azure-pipelines", "--data-transform", "azure-pipelines"),
        *("--regex-variant", "nonunicode"),
    ),
}


def judged(program: Path, *arguments: str | Path, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(program), *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def valid(linters: Path, path: Path, schema: tuple[str, ...], cwd: Path) -> bool:
    done = judged(linters / "check-jsonschema", "--builtin-schema", *schema, path, cwd=cwd)
    return done.returncode == 0


@pytest.mark.parametrize("path", SCHEMAS)
def test_a_template_answers_to_the_schema_of_its_system(
    linters: Path, root: Path, tmp_path: Path, path: str
) -> None:
    assert valid(linters, root / path, SCHEMAS[path], root)
    broken = yaml.safe_load((root / path).read_text())
    first = next(reversed(broken))
    (tmp_path / "broken.yml").write_text(yaml.safe_dump({**broken, first: 7}))
    assert not valid(linters, tmp_path / "broken.yml", SCHEMAS[path], root)


def test_the_hooks_answer_to_the_schema_of_pre_commit(root: Path, tmp_path: Path) -> None:
    program = Path(sys.executable).parent / "pre-commit"
    hooks = root / ".pre-commit-hooks.yaml"
    assert judged(program, "validate-manifest", hooks, cwd=tmp_path).returncode == 0
    ids = [hook["id"] for hook in yaml.safe_load(hooks.read_text())]
    assert ids == ["lumos-fmt", "lumos-validate", "lumos-diff"]


@pytest.mark.parametrize("path", WORKFLOWS)
def test_a_workflow_is_without_blame(linters: Path, root: Path, path: str) -> None:
    done = judged(linters / "actionlint", path, cwd=root)
    assert done.returncode == 0, done.stdout
    done = judged(linters / "zizmor", "--offline", "--no-progress", path, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", WORKFLOWS)
def test_actions_of_others_are_pinned_to_a_commit_and_rights_are_few(root: Path, path: str) -> None:
    workflow = yaml.safe_load((root / path).read_text())
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            if "uses" in step:
                assert len(step["uses"].partition("@")[2]) == 40
            assert "${{" not in step.get("run", "")

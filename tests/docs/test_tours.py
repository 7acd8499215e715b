import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lumos_snap.config import problems_of_config
from tests.docs.tour import Tour, environment

PAGES = (
    "README.md",
    "docs/guides/start.md",
    "docs/guides/import.md",
    "docs/guides/changes.md",
    "docs/guides/outputs.md",
    "docs/guides/impact.md",
    "docs/guides/sync.md",
    "docs/guides/search.md",
    pytest.param("docs/guides/scan.md", marks=pytest.mark.slow),  # starts Java
)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_commands_print(
    name: str, root: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = tmp_path / "lumos-snap"
    folder.mkdir()
    shutil.copytree(root / "examples", folder / "examples")
    shutil.rmtree(folder / "examples/shop/.lumos", ignore_errors=True)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Start"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    page = root / name
    rewritten = Tour(page).rewritten(folder, environment(tmp_path))
    if request.config.getoption("--rewrite-golden"):
        page.write_text(rewritten)
    assert page.read_text() == rewritten


def test_settings_that_a_page_shows_are_valid(root: Path) -> None:
    shown = [
        block
        for page in sorted(root.glob("docs/guides/*.md"))
        for block in re.findall(r"^```yaml\n(version: .*?)^```", page.read_text(), re.M | re.S)
    ]
    assert shown
    assert [problems_of_config(block.encode()) for block in shown] == [()] * len(shown)

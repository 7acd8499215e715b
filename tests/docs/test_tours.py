import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.tour import Tour, environment

PAGES = (
    "README.md",
    "docs/guides/start.md",
    "docs/guides/import.md",
    "docs/guides/changes.md",
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

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lumos_snap.config import problems_of_config
from tests.docs.tour import Tour, environment
from tests.gms import running

PAGES = (
    "README.md",
    "docs/guides/start.md",
    "docs/guides/import.md",
    "docs/guides/changes.md",
    "docs/guides/outputs.md",
    "docs/guides/impact.md",
    "docs/guides/sync.md",
    "docs/guides/search.md",
    "docs/guides/moving.md",
    pytest.param("docs/guides/scan.md", marks=pytest.mark.slow),  # starts Java
)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_commands_print(
    name: str, root: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page, folder = root / name, examples(root, tmp_path)
    compare(page, Tour(page).rewritten(folder, environment(tmp_path)), request)


def test_datahub_is_connected_as_its_page_shows(
    root: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A server stands in for the reader's; its address and the times of edits are the page's."""
    page, folder = root / "docs/guides/datahub.md", examples(root, tmp_path)
    people = {"secret": "urn:li:corpuser:lumos", "janes": "urn:li:corpuser:jane.smith"}
    with running(tokens=people) as gms:
        reached = {"DATAHUB_GMS_URL": gms.url, "DATAHUB_GMS_TOKEN": "secret"}
        known = {**environment(tmp_path), **reached, "JANES_TOKEN": "janes"}
        shown = Tour(page).rewritten(folder, known).replace(gms.url, "http://datahub-gms:8080")
    shown = re.sub(r"(by [a-z.]+), \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", rf"\1, {NINE}", shown)
    compare(page, shown, request)


def test_what_stands_in_the_way_of_datahub_is_told_in_these_words(root: Path) -> None:
    table = (root / "docs/guides/datahub.md").read_text().partition("| it says |")[2]
    said = re.findall(r"^\| ([a-z][^|]+) \|", table.partition("\n\n")[0], re.M)
    sources = "".join(one.read_text() for one in (root / "src/lumos_snap").rglob("*.py"))
    assert len(said) >= 8
    assert [one for one in said if one.replace("512", "{LONGEST}") not in sources] == []


NINE = "2026-11-20T09:00:00Z"


def compare(page: Path, shown: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        page.write_text(shown)
    assert page.read_text() == shown


def examples(root: Path, tmp_path: Path) -> Path:
    """The examples in a repository of their own."""
    folder = tmp_path / "lumos-snap"
    folder.mkdir()
    shutil.copytree(root / "examples", folder / "examples")
    shutil.rmtree(folder / "examples/shop/.lumos", ignore_errors=True)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Start"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def test_settings_that_a_page_shows_are_valid(root: Path) -> None:
    shown = [
        block
        for page in sorted(root.glob("docs/guides/*.md"))
        for block in re.findall(r"^```yaml\n(version: .*?)^```", page.read_text(), re.M | re.S)
    ]
    assert shown
    assert [problems_of_config(block.encode()) for block in shown] == [()] * len(shown)

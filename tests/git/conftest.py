from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git.builder import Builder, git

DATE = "2024-01-01T00:00:00+0000"
CONFIG = """
[user]
    name = Test
    email = test@example.com
[init]
    defaultBranch = main
[protocol "file"]
    allow = always
[maintenance]
    auto = false
[gc]
    auto = 0
"""


@pytest.fixture(autouse=True)
def _isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the machine's nor the user's configuration plays a part."""
    home = tmp_path_factory.mktemp("home")
    (home / "config").write_text(CONFIG)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_AUTHOR_DATE", DATE)
    monkeypatch.setenv("GIT_COMMITTER_DATE", DATE)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def new_repository(tmp_path: Path) -> Callable[..., Builder]:
    def build(name: str = "repository", *options: str) -> Builder:
        path = tmp_path / name
        path.mkdir(parents=True)
        git(path, "init", "--quiet", *options)
        return Builder(path)

    return build


@pytest.fixture
def built(new_repository: Callable[..., Builder]) -> Builder:
    """An empty repository."""
    return new_repository()


@pytest.fixture
def announced() -> list[str]:
    """What was announced: hand over its `append`."""
    return []

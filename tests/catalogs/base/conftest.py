"""Two clones of one repository, each with git of its own."""

from pathlib import Path

import pytest

from tests.git.builder import Builder, git
from tests.git.conftest import _isolated as isolated  # noqa: F401 - holds for all tests here


@pytest.fixture
def remote(tmp_path: Path) -> Builder:
    """A bare repository."""
    bare = Builder(tmp_path / "remote.git")
    git(tmp_path, "init", "--quiet", "--bare", str(bare.path))
    first = bare.clone("first")
    first.commit(README="shared\n")
    first.git("push", "--quiet", "origin", "main")
    bare.git("symbolic-ref", "HEAD", "refs/heads/main")
    return bare


@pytest.fixture
def clones(remote: Builder) -> tuple[Builder, Builder]:
    return remote.clone("one"), remote.clone("two")

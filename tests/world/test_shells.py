"""Completion in the shells themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.world

SCRIPTS = Path(sys.executable).parent


@pytest.fixture(scope="module", autouse=True)
def _shells() -> None:
    """Install what is missing, where this may be done."""
    missing = [shell for shell in ("bash", "zsh", "fish") if shutil.which(shell) is None]
    if missing:
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-qqy", *missing]):
            subprocess.run(command, check=True, capture_output=True)


def _answer(shell: str, script: str, home: Path) -> str:
    done = subprocess.run(
        [shell, "-c", script],
        env={**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bash_completes(tmp_path: Path) -> None:
    script = (
        'eval "$(lumos completion bash)"; COMP_WORDS=(lumos snap mi); COMP_CWORD=2;'
        "_lumos_completion lumos mi snap; echo ${COMPREPLY[@]}"
    )
    assert _answer("bash", script, tmp_path) == "migrate-format\n"


def test_zsh_loads_the_completion(tmp_path: Path) -> None:
    script = (
        'autoload -U compinit; compinit -u; eval "$(lumos completion zsh)";print $_comps[lumos]'
    )
    assert _answer("zsh", script, tmp_path) == "_lumos_completion\n"


def test_fish_completes(tmp_path: Path) -> None:
    script = "lumos completion fish | source; complete --do-complete 'lumos snap mi'"
    assert "migrate-format" in _answer("fish", script, tmp_path)

"""The program `lumos`: it ends at once, with everything said and done."""

import subprocess
import sys

import pytest

_PROGRAM = """
import atexit, sys
atexit.register(lambda: print("done"))
from lumos_snap.cli import program
sys.argv = ["lumos", *sys.argv[1:]]
program()
"""


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [(["--version"], 0, "lumos "), (["snap", "unheard-of"], 2, "")],
)
def test_the_program_ends_with_its_code_and_what_was_to_be_done_at_the_end(
    arguments: list[str], code: int, said: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, text=True, check=False
    )
    assert ended.returncode == code
    assert ended.stdout.startswith(said)
    assert ended.stdout.endswith("done\n")

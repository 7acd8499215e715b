"""Pages with commands in them, run: what they show is what happens."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(console|python|text)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_MARK = "<!-- tour -->"
_SHOW = 'printf "\\036%s\\n" '


@dataclass(frozen=True)
class Tour:
    """A page whose commands run one after the other in one shell."""

    page: Path

    def rewritten(self, folder: Path, environment: dict[str, str]) -> str:
        """The page as it is when each block shows what its commands print in `folder`."""
        head, mark, tour = self.page.read_text().partition(_MARK)
        blocks = list(_BLOCK.finditer(tour))
        shown = self._run(
            [b.group(2) for b in blocks if b.group(1) == "console"], folder, environment
        )
        console, printed = iter(shown), ""
        pieces, at = [head + mark], 0
        for block in blocks:
            kind, text = block.groups()
            if kind == "console":
                text = next(console)
            elif kind == "python":
                printed = self._python(text, folder, environment)
            else:
                text = printed
            pieces += [tour[at : block.start()], f"```{kind}\n{text}```\n"]
            at = block.end()
        return "".join([*pieces, tour[at:]])

    def _run(self, blocks: list[str], folder: Path, environment: dict[str, str]) -> list[str]:
        """Each block with the output of each command behind it."""
        commands = [[c for c in b.splitlines() if c.startswith("$ ")] for b in blocks]
        script = "\n".join(f"{_SHOW}''\n{c[2:]}" for block in commands for c in block)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        outputs = iter(done.stdout.split("\x1e\n")[1:])
        return ["".join(f"{c}\n{next(outputs)}" for c in block) for block in commands]

    def _python(self, text: str, folder: Path, environment: dict[str, str]) -> str:
        command = [sys.executable, "-c", text]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout


def environment(home: Path) -> dict[str, str]:
    """An environment in which `lumos` and `python3` are those of this virtual environment."""
    scripts = str(Path(sys.executable).parent)
    return {
        **{name: said for name, said in os.environ.items() if name != "LUMOS_ENGINE"},
        "HOME": str(home),
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
    }

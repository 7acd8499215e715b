"""A browser without a window, and what it saw."""

import fcntl
import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.world.servers.processes import CACHE, installed

PROGRAM = Path(__file__).parent / "look.mjs"


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a page."""

    url: str
    shot: str
    """Where the screenshot goes."""
    width: int
    scheme: str
    """`light` or `dark`, as the reader prefers."""
    open: bool = True
    """Whether everything that is folded is opened first."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was there to see."""

    contrast: tuple[float, str]
    """The least of any text, and that text."""
    wide: int
    text: str
    back: str
    size: float
    asked: list[str]
    """Every request."""
    told: list[str]
    """What the console says, refusals by a policy included, and every dialog."""


def chromium() -> str:
    """The browser, installed where it is missing and this may be done; one process does it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if shutil.which("chromium") is None:
            for command in (
                ["apt-get", "update", "-qq"],
                ["apt-get", "install", "-qqy", "chromium", "fonts-dejavu"],
            ):
                subprocess.run(command, check=True, capture_output=True, timeout=900)
    found = shutil.which("chromium")
    assert found, "chromium could not be installed"
    return found


def _driver(folder: Path) -> None:
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "playwright-core@1"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)


def look_at(looks: Sequence[Look]) -> list[Seen]:
    """Look at pages, one after the other, in one browser."""
    done = subprocess.run(
        ["node", str(PROGRAM), chromium()],
        cwd=installed("playwright-core", _driver),
        input=json.dumps([asdict(one) for one in looks]),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return [Seen(**one) for one in answers]

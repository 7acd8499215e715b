"""A copy of the repository in which one mutant after the other is tested."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutation.mutants import Mutant
from tests.mutation.packages import Package

SOURCES = "src/lumos_snap"
LEAST_LIMIT = 30.0
FEW = 3
FACTOR = 6
"""A run that takes so many times as long as without a mutant is one that does not end."""
LONGEST = 1200.0


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def files_of(root: Path) -> list[str]:
    """The files of a checkout as they lie, but for those that git ignores."""
    command = ["git", "-C", str(root), "ls-files", "-coz", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file()]


@dataclass(frozen=True)
class Known:
    """A test, and which functions of the product it calls."""

    name: str
    seconds: float
    functions: frozenset[str]

    def reaches(self, mutant: Mutant) -> bool:
        """Whether it calls the function that is changed; what runs at import, all tests do."""
        if not mutant.is_called:
            return True
        name = f"{mutant.path}::{mutant.within}"
        return any(one == name or one.startswith(f"{name}.") for one in self.functions)


class Workshop:
    """A copy, and a process that runs the tests of one package in it."""

    def __init__(self, root: Path, names: Sequence[str], at: Path, *, is_quick: bool) -> None:
        self._is_quick = is_quick
        self._copy = at / "copy"
        self._keep = at / "keep"
        self._first: Sequence[Known] = ()
        self._then: Sequence[Known] = ()
        self._process: subprocess.Popen[str] | None = None
        for name in names:
            file = self._copy / name
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, file)
        self._keep.mkdir()
        precompile = [sys.executable, "-m", "compileall", "-qq", SOURCES]
        subprocess.run(precompile, cwd=self._copy, check=True)

    def open(self, package: Package) -> None:
        """Start the process that knows the tests of a package."""
        self.stop()
        path = os.pathsep.join((str(self._copy / "src"), str(self._copy)))
        more = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "QUICK_LAWS": "1"}
        server = str(Path(__file__).with_name("server.py"))
        wanted = package.first if self._is_quick else (*package.first, *package.then)
        tests = [f"tests/{one}" for one in wanted]
        self._process = subprocess.Popen(
            [sys.executable, server, str(self._keep), *tests],
            cwd=self._copy,
            env={**os.environ, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C ends the driver, and that ends this
        )
        ready = self._answer()
        first = tuple(f"tests/{one}" for one in package.first)
        known = [Known(name, 0.0, frozenset()) for name in ready["tests"]]
        self._first = [one for one in known if one.name.startswith(first)]
        self._then = [one for one in known if not one.name.startswith(first)]

    def learn(self, package: Package) -> str:
        """Run the tests without a mutant: they must pass; which of them call what?"""
        folders = sorted({str((self._copy / SOURCES / one).parent) for one in package.files})
        taken = []
        learnt: list[list[Known]] = []
        for tests in (self._first, self._then):
            if not tests:
                learnt.append([])
                continue
            only = [one.name for one in tests]
            found = self._ask({"only": only, "limit": LONGEST, "learn": folders})
            if found["outcome"] != "survived":
                raise SystemExit(f"without a mutant, {found['outcome']}: {found['by']}")
            taken.append(f"{found['seconds']:.0f} s")
            called = json.loads((self._keep / "called.json").read_text(encoding="utf-8"))
            learnt.append(
                [
                    Known(name, seconds, frozenset(self._short(one) for one in functions))
                    for name, (seconds, functions) in called.items()
                ]
            )
        self._first, self._then = learnt
        return " and ".join(taken)

    def knows(self, other: "Workshop") -> None:
        """Take over what another has learnt."""
        self._first, self._then = other._first, other._then

    def _short(self, function: str) -> str:
        return function.removeprefix(f"{self._copy / SOURCES}/")

    def tried(self, mutant: Mutant) -> Mapping[str, Any]:
        """How a mutant fares: the fast tests first, and commands where those do not notice.

        What is computed once in a process is called by no test, or by one, and serves all others:
        such a mutant, and what runs at import, is met by a process that begins anew.
        """
        fast = [one for one in self._first if one.reaches(mutant)]
        slow = [one for one in self._then if one.reaches(mutant)]
        if self._is_quick:
            slow = []
        found: Mapping[str, Any] = {"outcome": "anew"}
        seconds = 0.0
        if mutant.is_called and mutant.operator != "RemoveDecorator":
            for tests in (fast, slow):
                found = self._run(tests, mutant) if tests else {"outcome": "survived"}
                seconds += found.get("seconds", 0.0)
                if found["outcome"] != "survived":
                    break
        is_unsure = found["outcome"] == "survived" and len(fast) <= FEW
        if found["outcome"] == "anew" or is_unsure or not (self._is_quick or _is_killed(found)):
            found = self._anew(mutant, slow)
            seconds += found["seconds"]
        outcome = found["outcome"]
        if self._is_quick and outcome == "survived":
            outcome = "suspect"
        return {"by": "", **found, "outcome": outcome, "seconds": round(seconds, 2)}

    def _run(self, tests: Sequence[Known], mutant: Mutant) -> Mapping[str, Any]:
        ordered = sorted(tests, key=lambda one: one.seconds)
        limit = LEAST_LIMIT + FACTOR * sum(one.seconds for one in ordered)
        module = f"lumos_snap.{mutant.path.removesuffix('.py').replace('/', '.')}"
        changed = {"module": module, "within": mutant.within, "source": mutant.code}
        only = [one.name for one in ordered]
        return self._ask({"only": only, "limit": min(limit, LONGEST), "mutant": changed})

    def _anew(self, mutant: Mutant, slow: Sequence[Known]) -> Mapping[str, Any]:
        """Test the changed file in processes that import it."""
        file = self._copy / SOURCES / mutant.path
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink()  # two changes within a second may look alike to Python
        file.write_text(mutant.code or "", encoding="utf-8")
        seconds = 0.0
        found: Mapping[str, Any] = {"outcome": "survived"}
        try:
            for tests in (self._first, slow):
                only = [one.name for one in tests]
                limit = 2 * LEAST_LIMIT + FACTOR * sum(one.seconds for one in tests)
                if only:
                    found = self._ask({"only": only, "limit": min(limit, LONGEST), "anew": True})
                    seconds += found["seconds"]
                if _is_killed(found):
                    break
        finally:
            file.write_text(mutant.source, encoding="utf-8")
        return {**found, "seconds": seconds}

    def stop(self) -> None:
        """End the process: whoever waits for its answer is told so."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            output = self._keep / "output.txt"
            text = output.read_text(errors="replace")[-3000:] if output.exists() else ""
            raise SystemExit(f"the process that runs tests has ended\n{text}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _is_killed(found: Mapping[str, Any]) -> bool:
    return found["outcome"] in ("killed", "timeout")

"""Runs tests against an older version too: there each must fail with the wrong result it names.

    python -m tests.hostile.compare COMMIT [PYTEST OPTION]...

The tests are those of this version; only the package comes from COMMIT, out of a worktree that is
removed afterwards. What is proven: every cell of the hostile table that names a wrong result in
`before`, and every test that `regressions.txt` lists with one.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.hostile.table import TRICKS

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("regressions.txt")
CELLS = "tests/hostile/test_tricks.py::test_no_command_is_deceived"


def main(commit: str, options: Sequence[str]) -> int:
    expected = {**_cells(), **_listed()}
    with tempfile.TemporaryDirectory(prefix="lumos-before-") as folder:
        before = Path(folder) / "before"
        _git("worktree", "add", "--quiet", "--detach", str(before), commit)
        try:
            old = _run(expected, before / "src", options, Path(folder) / "before.xml")
        finally:
            _git("worktree", "remove", "--force", str(before))
        new = _run(expected, ROOT / "src", options, Path(folder) / "after.xml")
    if options:  # they may pick tests
        expected = {name: one for name, one in expected.items() if name in new}
    wrong = [line for name in expected for line in _problems(name, expected[name], old, new)]
    print(f"{len(expected)} tests, {len(expected) - len(wrong)} as stated")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def _cells() -> dict[str, str]:
    return {
        f"{CELLS}[{trick.id}-{command}]": wrong
        for trick in TRICKS
        for command, wrong in trick.before.items()
    }


def _listed() -> dict[str, str]:
    """Lines of `TEST ID => WRONG RESULT`."""
    if not LISTED.exists():
        return {}
    lines = [line for line in LISTED.read_text().splitlines() if line and line[0] != "#"]
    return {test.strip(): wrong.strip() for test, _, wrong in (li.partition("=>") for li in lines)}


def _run(
    expected: Mapping[str, str], source: Path, options: Sequence[str], report: Path
) -> Mapping[str, str | None]:
    """The failure of each test, None where it passed."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2"]
    subprocess.run(
        [*command, f"--junitxml={report}", "-o", "junit_family=xunit1", *options, *expected],
        cwd=ROOT,
        env=environment,
        check=False,
        stdout=subprocess.DEVNULL,
    )
    found: dict[str, str | None] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it
        failure = next((part for part in case if part.tag in ("failure", "error")), None)
        found[_name(case)] = (
            None if failure is None else f"{failure.get('message')}\n{failure.text}"
        )
    return found


def _name(case: ET.Element) -> str:
    """The id of a test, with the class that it may be in."""
    file = case.get("file", "")
    module = file.removesuffix(".py").replace("/", ".")
    inner = case.get("classname", "").removeprefix(module).strip(".")
    return "::".join((file, *filter(None, inner.split(".")), case.get("name", "")))


def _problems(
    name: str, wrong: str, old: Mapping[str, str | None], new: Mapping[str, str | None]
) -> list[str]:
    lines = []
    failure = old.get(name, "not run")
    if failure is None:
        lines.append(f"{name}: passes on the older version")
    elif wrong not in failure or "ImportError" in failure:
        lines.append(f"{name}: fails on the older version, but not with {wrong!r}")
    if new.get(name, "not run") is not None:
        lines.append(f"{name}: fails on this version")
    return lines


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

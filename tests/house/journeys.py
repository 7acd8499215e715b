"""The modules that a scan, a diff and a sync pass, in this tree and in an older commit.

    python -m tests.house.journeys [COMMIT]

A module is passed if one of its functions runs; loading it is not enough. A change of package is a
pair of packages, one of which calls the other.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
_TRACE = """
import json, os, sys, threading
top = os.path.join(sys.argv[1], "lumos_snap") + os.sep
modules, pairs = set(), set()

def module_of(frame):
    path = frame.f_code.co_filename
    is_function = frame.f_code.co_flags & 1 and not frame.f_code.co_name.startswith("<")
    return path[len(top):-3] if is_function and path.startswith(top) else None

def is_importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(top):
            return True
        frame = frame.f_back
    return False

def watch(frame, event, _):
    if event == "call" and (here := module_of(frame)) and not is_importing(frame):
        modules.add(here)
        caller = frame.f_back
        while caller is not None and not module_of(caller):
            caller = caller.f_back
        if caller is not None:
            one, other = (name.split("/")[0] for name in (module_of(caller), here))
            if one != other:
                pairs.add((one, other))

def write():
    sys.setprofile(None)
    with open(sys.argv[2], "w") as out:
        json.dump({"modules": sorted(modules), "packages": sorted(pairs)}, out)

sys.path.insert(0, sys.argv[1])
result, sys.argv = sys.argv[2], ["lumos", *sys.argv[3:]]
sys.argv, words = [sys.argv[0], *sys.argv[1:]], sys.argv[1:]
from lumos_snap.cli import program
end = os._exit
def exit_(code):
    sys.argv = ["", "", result]
    write()
    end(code)
os._exit = exit_
threading.setprofile(watch)
sys.setprofile(watch)
try:
    sys.argv = ["lumos", *words]
    program()
except SystemExit:
    sys.argv = ["", "", result]
    write()
"""
_JOURNEYS = {
    "scan": ("snap", "scan", "{lake}", "-C", "{tree}", "--engine", "local"),
    "diff": ("snap", "diff", "-C", "{tree}", "--base", "HEAD"),
    "sync": ("snap", "sync", "-C", "{tree}", "--apply", "--yes"),
}


def trace(sources: Path) -> dict[str, tuple[int, int]]:
    """Modules and changes of package, by journey."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        lake, tree = Path(folder) / "lake", Path(folder) / "tree"
        _run(sys.executable, ROOT / "examples/lake.py", lake)
        shutil.copytree(ROOT / "examples/shop", tree)
        with (tree / "lumos.yaml").open("a") as settings:
            settings.write("catalogs: [{name: copy, type: files, path: ../copy}]\n")
        _run("git", "init", "-q", tree)
        _run("git", "-C", tree, "add", "-A")
        _run("git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
        for name, words in _JOURNEYS.items():
            result = Path(folder) / f"{name}.json"
            given = [one.format(lake=lake, tree=tree) for one in words]
            command = [sys.executable, "-c", _TRACE, str(sources), str(result), *given]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if not result.exists():
                raise SystemExit(f"{name}: {done.stdout}{done.stderr}")
            seen = json.loads(result.read_text())
            found[name] = len(seen["modules"]), len(seen["packages"])
            if os.environ.get("LUMOS_SHOW_MODULES"):
                print(name, done.returncode, *seen["modules"], sep="\n  ")
    return found


def main(commits: Sequence[str]) -> int:
    """Print a table with a column for each commit, and one for the work tree."""
    columns = {}
    for commit in commits:
        with tempfile.TemporaryDirectory() as folder:
            archive = ["git", "-C", str(ROOT), "archive", commit, "src", "snapshot-schema"]
            packed = subprocess.run(archive, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
            columns[commit] = trace(Path(folder) / "src")
    columns["now"] = trace(ROOT / "src")
    print(f"| modules passed / changes of package | {' | '.join(columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for name in _JOURNEYS:
        print(
            f"| {name} | {' | '.join('{} / {}'.format(*one[name]) for one in columns.values())} |"
        )
    return 0


def _run(*words: str | Path) -> None:
    subprocess.run([str(one) for one in words], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Installs the tool for a job, once for each version and machine, and prints the Python to run.

It needs the standard library only, and leaves the job's own Python as it is. Other jobs of the
same machine may do the same at the same time.
"""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
OPTIONS = ("--quiet", "--no-compile", "--no-input", "--disable-pip-version-check")


def main(version: str) -> int:
    package = f"lumos-snap=={version}" if version else str(TOP)
    home = _cache() / _key(package if version else "")
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=home.parent))
        failed = _install(made, package)
        if failed:
            shutil.rmtree(made, ignore_errors=True)
            print(f"::error title=Lumos Snapshots::{failed}", file=sys.stderr)
            return 3
        try:
            made.rename(home)
        except OSError:  # another job was faster
            shutil.rmtree(made, ignore_errors=True)
    print(home / "bin/python")
    return 0


def _cache() -> Path:
    """Where a machine keeps tools; a job's own folder where it lets nobody write."""
    named = (os.environ.get(name) for name in ("RUNNER_TOOL_CACHE", "RUNNER_TEMP"))
    for folder in (Path(name) / "lumos-snap" for name in named if name):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path.home() / ".cache/lumos-snap"


def _key(package: str) -> str:
    """What is installed, and for which Python: other contents are another folder."""
    digest = hashlib.sha256(f"{sys.version} {sys.prefix} {package}".encode())
    if not package:
        kept = [
            TOP / "pyproject.toml",
            *(TOP / "src").rglob("*"),
            *(TOP / "snapshot-schema").rglob("*"),
        ]
        for path in sorted(one for one in kept if one.is_file() and one.suffix != ".pyc"):
            digest.update(f"{path.relative_to(TOP)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:20]


def _install(folder: Path, package: str) -> str:
    """Fill a folder; returns what went wrong, if anything did."""
    python = folder / "bin/python"
    is_new = _has_new_pip()
    try:
        # Making a pip of its own would take longer than all the rest.
        venv.create(folder, with_pip=not is_new, clear=True)
    except subprocess.CalledProcessError:
        return "this Python has no pip: add actions/setup-python before this step"
    pip = [sys.executable, "-I", "-m", "pip", "--python", str(python)]
    command = pip if is_new else [str(python), "-I", "-m", "pip"]
    done = subprocess.run([*command, "install", *OPTIONS, package], stdout=sys.stderr, check=False)
    return "" if done.returncode == 0 else "lumos-snap cannot be installed: see what pip says above"


def _has_new_pip() -> bool:
    """Whether pip is there, and installs into other environments."""
    try:
        major, minor = importlib.metadata.version("pip").split(".")[:2]
    except importlib.metadata.PackageNotFoundError:
        return False
    return (int(major), int(minor)) >= (22, 3)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))

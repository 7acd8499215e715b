"""What git knows of the working tree: its commit, and what changed since another."""

import subprocess
from collections.abc import Sequence
from pathlib import Path


def commit(root: Path) -> str:
    """The commit that is checked out."""
    return _git(root, "rev-parse", "HEAD") or ""


def changed(root: Path, since: str) -> tuple[str, ...] | None:
    """Files that differ from a commit, new ones included; None where the commit is not here."""
    if _git(root, "cat-file", "-e", f"{since}^{{commit}}") is None:
        return None
    differ = _git(root, "diff", "--name-only", "--no-renames", since)
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    return None if differ is None or new is None else (*differ.split("\n"), *new.split("\n"))


def uncommitted(root: Path, paths: Sequence[str]) -> tuple[str, ...]:
    """Files at some paths that are not what the commit has."""
    listed = _git(root, "status", "--porcelain", "--untracked-files=all", "--", *paths) or ""
    return tuple(line[3:] for line in listed.splitlines())


def _git(root: Path, *words: str) -> str | None:
    """What git prints; None where it refuses."""
    options = ("-c", "core.quotePath=false")
    done = subprocess.run(
        ["git", *options, *words], cwd=root, capture_output=True, text=True, check=False
    )
    return None if done.returncode else done.stdout.rstrip("\n")

"""What one row of the hostile table says, and the pull request that it is planted in."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COMMANDS: Mapping[str, Sequence[str]] = {
    "diff": ("diff", "--base", "main", "-C", "metadata"),
    "gate": ("gate", "--base", "main", "metadata"),
    "check": ("check", "-C", "metadata"),
    "validate": ("validate", "-C", "metadata"),
    "comment": ("comment", "--base", "main", "--dry-run", "-C", "metadata"),
    "bump": ("bump", "--dry-run", "--since", "main", "-C", "metadata"),
    "scan --check": ("scan", "--check", "-C", "metadata"),
    "sync": ("sync", "--apply", "--yes", "-C", "metadata"),
}
"""Every command of the table, as a job at the top of the repository runs it."""

CUSTOMERS = "metadata/snapshots/postgres/shop/public/customers.json"
ORDERS = "metadata/snapshots/file/lake/orders.json"
SETTINGS = "metadata/lumos.yaml"


@dataclass(frozen=True)
class PullRequest:
    """A checked-out branch `pr` of a repository, into which a trick is planted."""

    room: Path
    """A folder of its own: `repo/`, its `lake/`, the catalog `copy/`, and `outside/`."""

    @property
    def repo(self) -> Path:
        """The top of the repository; the tree lies in `metadata/`."""
        return self.room / "repo"

    @property
    def outside(self) -> Path:
        """A folder outside of the repository, which no command may change."""
        return self.room / "outside"

    @property
    def ran(self) -> Path:
        """The file that a planted program writes: it must not exist afterwards."""
        return self.room / "a-planted-program-ran"

    def program(self) -> str:
        """A shell command that leaves a trace when anything runs it."""
        return f"echo ran >> '{self.ran}'"

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file below the top of the repository."""
        file = self.repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a piece of text that must be there."""
        text = (self.repo / path).read_text()
        assert old in text, f"{old!r} is not in {path}"
        (self.repo / path).write_text(text.replace(old, new, 1))

    def link(self, path: str, target: Path | str) -> None:
        """Put a symbolic link below the top of the repository, in place of what is there."""
        link = self.repo / path
        if link.is_dir() and not link.is_symlink():
            shutil.rmtree(link)
        link.unlink(missing_ok=True)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)

    def settings(self, more: str) -> None:
        """Add lines to `lumos.yaml`."""
        file = self.repo / SETTINGS
        file.write_text(file.read_text() + more)

    def document(self, path: str = CUSTOMERS) -> Any:
        """A parsed document."""
        return json.loads((self.repo / path).read_bytes())

    def drop_column(self) -> None:
        """Drop `marketing_consent` from `customers`: what most tricks try to hide."""
        lines = (self.repo / CUSTOMERS).read_text().splitlines(keepends=True)
        kept = [line for line in lines if '"name": "marketing_consent"' not in line]
        assert len(kept) == len(lines) - 1
        (self.repo / CUSTOMERS).write_text("".join(kept))

    def git(self, *arguments: str) -> str:
        """Run git in the repository, as the author of the pull request does."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.repo, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def force(self, path: str) -> None:
        """Stage what `.gitignore` would keep out."""
        self.git("add", "--force", path)

    def commit(self) -> None:
        """Commit everything."""
        self.git("add", "--all", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", "Change")


@dataclass(frozen=True)
class Answer:
    """What a command must answer: one of some exit codes, and a text in its output."""

    codes: tuple[int, ...]
    text: str = ""
    """A regular expression; it is searched in standard output and standard error."""


@dataclass(frozen=True)
class Trick:
    """One way to get a green gate, or unbounded work, from the content of a pull request."""

    name: str
    place: str
    """Where it is planted: a file or folder of the repository."""
    what: str
    """One sentence for the reader of the table."""
    plant: Callable[[PullRequest], object]
    """Changes files of the checked-out branch; they are committed afterwards."""
    answers: Mapping[str, Answer]
    """By command. Exit code 0 is allowed for `comment` alone, with the text that it must hold."""
    unaffected: Mapping[str, str] = field(default_factory=dict)
    """By command: why its exit code says nothing of this trick. It still runs, and must be safe."""
    before: Mapping[str, str] = field(default_factory=dict)
    """By command: the wrong result of a version without the protection, such as `exit 0`."""
    commands: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Other arguments than those of `COMMANDS`, where the trick needs them."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of the job, where the trick needs them."""
    machine: Callable[[PullRequest], object] = lambda _: None
    """How the machine of the job is set up, where the trick needs that: after the commit."""

    @property
    def id(self) -> str:
        """What the row is called in test ids."""
        return f"{self.name}@{self.place}"


def everywhere(answer: Answer, *, but: Mapping[str, Answer] | None = None) -> dict[str, Answer]:
    """The same answer of every command, with exceptions."""
    return {**dict.fromkeys(COMMANDS, answer), **(but or {})}

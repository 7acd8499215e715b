"""Builds real repositories with real git, the same ones every time."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


def git(folder: Path, *arguments: str, stdin: bytes = b"", check: bool = True) -> str:
    done = subprocess.run(
        ("git", *arguments), cwd=folder, input=stdin, capture_output=True, check=False
    )
    assert not (check and done.returncode), done.stderr.decode(errors="replace")
    return os.fsdecode(done.stdout).strip()


@dataclass(frozen=True)
class Builder:
    path: Path

    def git(self, *arguments: str, stdin: bytes = b"", check: bool = True) -> str:
        return git(self.path, *arguments, stdin=stdin, check=check)

    def write(self, path: str, content: str | bytes = "content\n") -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def commit(self, **files: str | bytes) -> str:
        """Commit the files (and whatever else lies around), and return the id."""
        return self.commit_files(files)

    def commit_files(self, files: dict[str, str | bytes]) -> str:
        for path, content in files.items():
            self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "commit")
        return self.git("rev-parse", "HEAD")

    def history(self, count: int, *, name: str = "log") -> str:
        """Many commits at once."""
        tip = self.git("rev-parse", "HEAD")
        branch = self.git("symbolic-ref", "HEAD")
        lines = []
        for number in range(count):
            content = f"{name} {number}\n"
            lines += [
                f"commit {branch}",
                f"committer T <t@example.com> {1_600_000_000 + number} +0000",
                "data 4\nnext",
                *([f"from {tip}"] if number == 0 else []),
                f"M 100644 inline {name}\ndata {len(content)}\n{content}",
            ]
        self.git("fast-import", "--quiet", "--force", stdin="\n".join(lines).encode() + b"\n")
        self.git("reset", "--quiet", "--hard")
        return self.git("rev-parse", "HEAD")

    def clone(self, name: str, *options: str) -> "Builder":
        """A clone through the file protocol, which behaves like one over the network."""
        target = self.path.parent / name
        git(self.path.parent, "clone", "--quiet", *options, f"file://{self.path}", str(target))
        return Builder(target)

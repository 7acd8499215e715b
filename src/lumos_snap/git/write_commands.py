"""Git commands that write.

They use GitPython's command interface, which supports every object format. Signing, identity and
the hooks of commit and push apply as if the user had run the commands.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from lumos_snap.git import process
from lumos_snap.git.repository import Repository, refuse_foreign_configuration

_KEPT = (*process.KEPT_VARIABLES, "GIT_PYTHON_")
_FORCED = {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_GRAFT_FILE": os.devnull}
_OPTIONS = (
    *process.ISOLATION,
    # Background maintenance would race with the next step, and outlive the command.
    *("-c", "maintenance.auto=false"),
)
# Users expect the hooks of a commit and of a push. All other hooks would only run as a side
# effect of the implementation.
_WITH_HOOKS = frozenset(("commit", "push"))


class WriteCommandResult(NamedTuple):
    """Result of a git command."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """Git's error message; that of the remote where there is one."""
        remote = [
            line.removeprefix("remote:").strip()
            for line in self.err.splitlines()
            if line.startswith("remote:")
        ]
        said = "; ".join(line for line in remote if line)
        return said[:300] or process.complaint(self.err.encode("utf-8", "surrogateescape"))


def run(
    repository: Repository, *arguments: str, stdin: BinaryIO | None = None
) -> WriteCommandResult:
    """Run a git command that writes, in a clean environment and never in a shell."""
    from git.cmd import Git  # noqa: PLC0415 - slow to load, and only what writes needs it

    refuse_foreign_configuration(repository)
    hooks = () if arguments[0] in _WITH_HOOKS else process.NO_HOOKS
    outer = os.environ  # noqa: TID251 - what a hook or a caller set for another repository is dropped
    foreign = [name for name in outer if name.startswith("GIT_") and not name.startswith(_KEPT)]
    # GitPython passes its whole environment on; only `env` in between can remove variables.
    without = ("env", *(part for name in foreign for part in ("-u", name))) if foreign else ()
    ended = Git(repository.folder).execute(
        [*without, "git", *_OPTIONS, *hooks, *repository.directories, *arguments],
        with_extended_output=True,
        with_exceptions=False,
        shell=False,
        istream=stdin,
        env=_FORCED,
    )
    assert isinstance(ended, tuple)  # noqa: S101 - what extended output is
    code, out, err = ended
    return WriteCommandResult(code, str(out), err)


def run_checked(repository: Repository, *arguments: str) -> str:
    """Run a git command that must succeed; its output."""
    ended = run(repository, *arguments)
    if ended.code:
        raise process.failure(arguments[0], ended.complaint)
    return ended.out.strip()


@contextmanager
def write_pathspec_file(repository: Repository, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options for paths below the folder, in any number."""
    named = "".join(f"{repository.top_path(one)}\0" for one in paths)
    with _file(named.encode("utf-8", "surrogateescape")) as file:
        yield f"--pathspec-from-file={file}", "--pathspec-file-nul"


@contextmanager
def write_message_file(message: str) -> Iterator[str]:
    """The option for a message with any content."""
    with _file(message.encode("utf-8", "backslashreplace")) as file:
        yield f"--file={file}"


@contextmanager
def _file(content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lumos-") as folder:
        path = Path(folder) / "content"
        path.write_bytes(content)
        yield path

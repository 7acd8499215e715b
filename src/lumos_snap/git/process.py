"""Running of git: a clean environment, bytes in and out, one-line errors."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from lumos_snap.errors import OutsideError

# Every call names its repository (`GitPlace.directories`). In addition, git itself refuses bare
# repositories, whose files a pull request can commit like any others.
ISOLATION = (
    "--no-pager",
    "--literal-pathspecs",
    "--no-replace-objects",  # replace refs are local: a commit has the same files everywhere
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "core.fsmonitor=false"),  # it may name a program
    *("-c", "color.ui=false"),
)
# `core.hooksPath` may lead into the work tree.
NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
_OPTIONS = (
    *ISOLATION,
    *NO_HOOKS,
    *("-c", "advice.graftFileDeprecated=false"),
)

# A hook runs with variables that point git at another repository, index or object store. Only
# variables for configuration, tracing, access to remotes and identity are kept.
KEPT_VARIABLES = (
    *("GIT_CONFIG_", "GIT_TRACE", "GIT_TEST_", "GIT_EXEC_PATH"),
    *("GIT_SSH", "GIT_ASKPASS", "GIT_HTTP_", "GIT_SSL_", "GIT_PROXY_", "GIT_ALLOW_PROTOCOL"),
    *("GIT_AUTHOR_", "GIT_COMMITTER_"),  # identity, as set by a CI
)
_FORCED_VARIABLES: Mapping[str, str] = {
    "LC_ALL": "C",  # errors are recognized by their English text
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_GRAFT_FILE": os.devnull,  # grafts are local, like replace refs
}

# Compiled only after a failure.
_ESCAPE = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)"
_SEVERITY = r"^(?:fatal|error): "
_LONGEST_COMPLAINT = 300


class GitAnswer(NamedTuple):
    """Result of a git command: its exit code, its output, and its error as one line."""

    code: int
    out: bytes
    complaint: str


Process = subprocess.Popen[bytes]


class GitPlace(Protocol):
    """The folder and the repository of a git command."""

    @property
    def folder(self) -> Path:
        """The working directory of git."""

    @property
    def directories(self) -> tuple[str, ...]:
        """The options that name the git directory and the work tree."""


class RepositoryCandidate(NamedTuple):
    """A folder with a `.git` that git has not confirmed yet; git searches no other folder."""

    folder: Path

    @property
    def directories(self) -> tuple[str, ...]:
        """Empty: git checks the owner of a repository only where it finds the repository itself."""
        return ()


class DetachedFolder(NamedTuple):
    """A folder without regard to any repository."""

    folder: Path

    @property
    def directories(self) -> tuple[str, ...]:
        """A git directory that does not exist."""
        return (f"--git-dir={os.devnull}/none",)


def run(place: GitPlace, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run a git command that must succeed; its output."""
    return output(ask(place, *arguments, stdin=stdin), arguments)


def ask(place: GitPlace, *arguments: str, stdin: bytes = b"") -> GitAnswer:
    """Run a git command that may fail; its result."""
    with start_git(place, *arguments) as process:
        return answer(process, stdin=stdin)


def output(given: GitAnswer, arguments: tuple[str, ...]) -> bytes:
    """The output of a command; raises where it failed."""
    if given.code:
        while arguments[0] == "-c":
            arguments = arguments[2:]
        raise failure(arguments[0], given.complaint)
    return given.out


def answer(process: Process, *, stdin: bytes = b"") -> GitAnswer:
    """Wait for a started command."""
    out, stderr = process.communicate(stdin)
    return GitAnswer(process.returncode, out, complaint(stderr))


def failure(command: str, line: str) -> OutsideError:
    """The error for a failed git command, with git's own message."""
    return OutsideError(f"git {command} failed: {line or 'git gave no reason'}")


@contextmanager
def start_git(place: GitPlace, *arguments: str) -> Iterator[Process]:
    """Start a git command that ends with the block at the latest; two can run in parallel."""
    process = _start(place, arguments)
    try:
        yield process
    finally:
        _end(process)


def _start(place: GitPlace, arguments: tuple[str, ...]) -> Process:
    try:
        return subprocess.Popen(
            ("git", *_OPTIONS, *place.directories, *arguments),
            cwd=place.folder,
            env=_environment(os.environ, place.folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=1 << 16,
        )
    except OSError as exc:
        raise _start_error(exc, place.folder) from exc


def _end(process: Process) -> None:
    """Leave no zombie and no open pipe, also where output was not read."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):  # pending input is not needed any more
                pipe.close()


def _start_error(exc: OSError, folder: Path) -> OutsideError:
    if exc.filename != "git":
        return OutsideError(f"{folder}: git cannot run in this folder: {exc.strerror}")
    if isinstance(exc, FileNotFoundError):
        return OutsideError("git is not installed", hint="install git, or put it on PATH")
    return OutsideError(f"git cannot be run: {exc.strerror}", hint="check the git on PATH")


def _environment(outer: Mapping[str, str], folder: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in outer.items()
        if not name.startswith("GIT_") or name.startswith(KEPT_VARIABLES)
    }
    return {**kept, **_FORCED_VARIABLES, "GIT_CEILING_DIRECTORIES": f":{folder.parent}"}


def read_git_directory() -> Path | None:
    """The git directory in the environment: the only way to name a bare repository."""
    named = os.environ.get("GIT_DIR")
    return Path(named).absolute() if named else None


def logical_folder() -> Path:
    """The current folder by the shell's name for it, links included."""
    named = Path(os.path.normpath(os.environ.get("PWD", "")))
    with suppress(OSError):
        if named.is_absolute() and named.samefile(os.curdir):
            return named
    return Path.cwd()


def complaint(stderr: bytes) -> str:
    """The line of git's standard error with the reason, without colour and credentials."""
    if not stderr:
        return ""
    plain = re.sub(_ESCAPE, "", stderr.decode("utf-8", "replace"))
    lines = [_printable(line) for line in plain.replace("\r", "\n").split("\n")]
    said = [line for line in lines if line and not line.startswith("hint:")]
    chosen = next((line for line in said if re.match(_SEVERITY, line)), said[-1] if said else "")
    from lumos_snap.text import redact_addresses  # noqa: PLC0415 - only for a complaint

    return redact_addresses(re.sub(_SEVERITY, "", chosen))[:_LONGEST_COMPLAINT]


def _printable(line: str) -> str:
    return "".join(char if char.isprintable() else " " for char in line).strip()

"""A process that has imported the product and its tests once, and tests mutants in children.

    python server.py FOLDER TESTS …

It reads one request for each line, as JSON, and answers with one line. A child takes over the code
of one function from the changed file, and runs the tests that are named:

    {"only": ["tests/rules/…"], "limit": 60, "mutant": {"module": …, "within": …, "source": …}}
    →  {"outcome": "killed", "by": "tests/rules/…", "seconds": 1}

What runs at import (tables, decorators, defaults) cannot be changed so: the outcome is "anew", and
`"anew": true` asks for a process that imports everything from the changed folder.
"""

import contextlib
import functools
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import hypothesis
import pytest

MEMORY = 6 << 30
LONGEST_FILE = 1 << 30
PATIENCE = 5
"""A limit is one of seconds of a processor; a machine that does other things takes longer."""
KILLED, SURVIVED, ANEW = 1, 0, 7
_OUTCOMES = {SURVIVED: "survived", ANEW: "anew"}
COMPARES_TIMES = (
    "tests/cli/test_check.py::"
    "test_twenty_thousand_datasets_are_checked_in_the_time_that_validating_them_takes"
)
"""It compares times, and would notice what else the machine does."""
OPTIONS = (
    *("-W", "ignore::pytest.PytestAssertRewriteWarning", "-W", "ignore::Warning:hypothesis"),
    *("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not world"),
    "--tb=short",
    f"--deselect={COMPARES_TIMES}",
)


class Recorder:
    """Steady examples, and the first test that fails."""

    def __init__(self) -> None:
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Draw the same examples in every run, and do not look for smaller ones."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutants", hypothesis.settings(), derandomize=True, database=None, phases=phases
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or f"{report.nodeid} (import)"


class Tracer:
    """Writes down which functions of some folders each test calls, and how long it takes."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = tuple(folders)
        self.called: dict[str, tuple[float, list[str]]] = {}
        self._now: set[str] = set()

    @contextlib.contextmanager
    def around(self, name: str) -> Iterator[None]:
        """Trace one test."""
        self._now = set()
        began = time.monotonic()
        threading.settrace(self._trace)
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)
            self.called[name] = (time.monotonic() - began, sorted(self._now))

    def _trace(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.folders):
            self._now.add(f"{code.co_filename}::{code.co_qualname.replace('.<locals>', '')}")


class Service(Recorder):
    """Collects the tests, and answers requests instead of running them."""

    def __init__(self, folder: Path, asked: int, answers: int) -> None:
        super().__init__()
        self.folder = folder
        self.asked = os.fdopen(asked, encoding="utf-8")
        self.answers = os.fdopen(answers, "w", encoding="utf-8")
        self.child = 0
        signal.signal(signal.SIGTERM, self._end)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._answer({"outcome": "ready", "tests": [item.nodeid for item in session.items]})
        for line in self.asked:
            request = json.loads(line)
            self._answer(self._outcome(session, request))
        os._exit(0)

    def _answer(self, answer: Mapping[str, Any]) -> None:
        self.answers.write(json.dumps(answer) + "\n")
        self.answers.flush()

    def _outcome(self, session: pytest.Session, request: Mapping[str, Any]) -> Mapping[str, Any]:
        noted = self.folder / "failed.txt"
        noted.unlink(missing_ok=True)
        began = time.monotonic()
        self.child = os.fork()
        if not self.child:
            self._run(session, request, noted)
        code = _waited(self.child, PATIENCE * request["limit"])
        _kill(self.child)  # whatever it has started
        self.child = 0
        outcome = "timeout" if code is None else _OUTCOMES.get(code, "killed")
        by = noted.read_text(encoding="utf-8") if noted.exists() else ""
        return {"outcome": outcome, "by": by, "seconds": round(time.monotonic() - began, 2)}

    def _run(self, session: pytest.Session, request: Mapping[str, Any], noted: Path) -> None:
        """Run tests in a child, and end it."""
        code = KILLED
        try:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            seconds = int(request["limit"])
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (LONGEST_FILE, LONGEST_FILE))
            if request.get("anew"):
                tests = dict.fromkeys(one.partition("::")[0] for one in request["only"])
                code = subprocess.call([sys.executable, __file__, str(self.folder), "--", *tests])
            elif "mutant" in request and not _changed(**request["mutant"]):
                code = ANEW
            else:
                code = self._tested(session, request)
                noted.write_text(self.failed, encoding="utf-8")
        finally:
            os._exit(code)

    def _tested(self, session: pytest.Session, request: Mapping[str, Any]) -> int:
        order = {name: at for at, name in enumerate(request["only"])}
        items = sorted(
            (item for item in session.items if item.nodeid in order),
            key=lambda one: order[one.nodeid],
        )
        tracer = Tracer(request["learn"]) if "learn" in request else None
        for item, following in zip(items, [*items[1:], None], strict=True):
            with tracer.around(item.nodeid) if tracer else contextlib.nullcontext():
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return KILLED
        if tracer:
            called = json.dumps(tracer.called)
            (self.folder / "called.json").write_text(called, encoding="utf-8")
        return SURVIVED

    def _end(self, number: int, frame: FrameType | None) -> None:
        """End at once, with the tests that run."""
        if self.child:
            _kill(self.child)
        os._exit(0)


def _kill(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)


def _waited(child: int, limit: float) -> int | None:
    """The exit code of a child; None where it takes too long."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
                return None
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else KILLED
        time.sleep(0.005)
    _kill(child)
    os.waitpid(child, 0)
    return None


def _changed(module: str, within: str, source: str) -> bool:
    """Give a function that is imported already the code that it has in a changed file."""
    found: Any = importlib.import_module(module)
    for name in within.split("."):
        found = vars(found).get(name)
        if not isinstance(found, type):
            break
    function = _plain(found)
    old = getattr(function, "__code__", None)
    if old is None:
        return False
    new = _code(compile(source, old.co_filename, "exec"), old.co_qualname)
    if new is None or new == old or new.co_freevars != old.co_freevars:
        return False
    function.__code__ = new
    for cached in (found, function):
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
    return True


def _plain(found: Any) -> Any:
    """The function that a decorator has wrapped."""
    if isinstance(found, property):
        return found.fget
    if isinstance(found, functools.cached_property):
        return found.func
    found = getattr(found, "__func__", found)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found


def _code(held: CodeType, name: str) -> CodeType | None:
    """The code of a function in that of a module."""
    for one in held.co_consts:
        if isinstance(one, CodeType):
            found = one if one.co_qualname == name else _code(one, name)
            if found is not None:
                return found
    return None


def main() -> int:
    """Serve; or, for a child that starts anew, run some tests once."""
    folder, *tests = sys.argv[1:]
    basetemp = f"--basetemp={Path(folder) / 'temp'}"
    if tests[0] == "--":
        recorder = Recorder()
        code = int(pytest.main([*OPTIONS, basetemp, *tests[1:]], plugins=[recorder]))
        (Path(folder) / "failed.txt").write_text(recorder.failed, encoding="utf-8")
        return SURVIVED if not code else KILLED
    service = Service(Path(folder), os.dup(0), os.dup(1))
    out = os.open(Path(folder) / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    return int(pytest.main([*OPTIONS, basetemp, *tests], plugins=[service]))


if __name__ == "__main__":
    sys.exit(main())

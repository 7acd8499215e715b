"""What is mutated, and which tests can notice: the fast ones of a package, then commands."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Package:
    """A part of the product, and the tests that speak of it."""

    name: str
    files: tuple[str, ...]
    """Below `src/lumos_snap`."""
    sample: int | None
    """How many mutants are tried; None for all."""
    first: tuple[str, ...]
    """Fast tests, below `tests`."""
    then: tuple[str, ...]
    """The tests that only those mutants meet that survive the fast ones."""

    def paths(self, top: Path) -> Iterator[Path]:
        """Its files, but for those of a package that is tried completely."""
        for pattern in self.files:
            for path in sorted(top.glob(pattern)):
                if self.sample is None or path.relative_to(top).as_posix() not in COMPLETE:
                    yield path


COMPLETE = ("rules/judge.py", "rules/finding.py", "versioning/versions.py")

_DIFF = ("cli/test_diff.py", "cli/test_check.py", "cli/test_bump.py", "ci/test_gate.py")
_SYNC = ("cli/test_sync.py", "cli/test_sync_parts.py", "cli/test_sync_concurrency.py")

_PURE = (
    *("authors", "column_renames", "decide", "decision", "delete_guard", "drift", "join", "plan"),
    *("policy", "preserve", "write_order"),
)
_TESTED = ("authors", "column_renames", "decide", "decide_properties", "drift", "plan", "preserve")

PACKAGES = (
    Package(
        "judging, waivers, bump",
        COMPLETE,
        None,
        ("versioning", "rules", "cli/test_waivers.py", "cli/test_new_waivers.py"),
        _DIFF,
    ),
    Package("rules", ("rules/*.py",), 150, ("rules",), _DIFF),
    Package(
        "versioning",
        ("versioning/*.py",),
        150,
        ("versioning",),
        ("cli/test_bump.py", "cli/test_bump_push.py"),
    ),
    Package("merging", ("merging/*.py",), 150, ("merging",), ("cli/test_merge_driver.py",)),
    Package(
        "planning",
        tuple(f"catalogs/sync/{name}.py" for name in _PURE),
        150,
        tuple(f"catalogs/sync/test_{name}.py" for name in _TESTED),
        (
            *("catalogs/sync/test_execute.py", "catalogs/sync/test_journal.py"),
            *("catalogs/sync/test_client_pace.py", "commands/sync/test_observations.py"),
            *_SYNC,
        ),
    ),
    Package("ci", ("ci/*.py",), 150, ("ci",), ("cli/test_notify.py", "cli/test_env_output.py")),
)

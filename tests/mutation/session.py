"""What is known of mutants so far: lines in a file, so that a run may be killed at any time."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from tests.mutation.mutants import Mutant

SURVIVED, SUSPECT = "survived", "suspect"


@dataclass(frozen=True)
class Result:
    """How one mutant fared."""

    key: str
    file: str
    """The digest of the file that was mutated."""
    state: str
    """The digest of all code and tests."""
    outcome: str
    by: str
    """The test that failed first."""
    seconds: float

    @property
    def survived(self) -> bool:
        """Whether no test has noticed."""
        return self.outcome in (SURVIVED, SUSPECT)


class Session:
    """The results so far.

    A mutant that was killed stays killed as long as its file does not change. One that has survived
    is tried again when any code or test has changed.
    """

    def __init__(self, path: Path, state: str) -> None:
        self._path = path
        self._state = state
        self._known: dict[tuple[str, str], Result] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                one = Result(**json.loads(line))
            except (ValueError, TypeError):
                continue  # cut off by a kill
            self._known[one.key, one.file] = one

    def result(self, mutant: Mutant, *, is_quick: bool = True) -> Result | None:
        """What is known of a mutant, if that still holds."""
        known = self._known.get((mutant.key, digest(mutant.source)))
        if known is None or not known.survived:
            return known
        is_enough = is_quick or known.outcome == SURVIVED
        return known if known.state == self._state and is_enough else None

    def add(self, mutant: Mutant, answer: Mapping[str, object]) -> Result:
        """Keep a result."""
        common = {"key": mutant.key, "file": digest(mutant.source), "state": self._state}
        one = Result(**common, **answer)  # type: ignore[arg-type] # from JSON
        self._known[one.key, one.file] = one
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(one)) + "\n")
        return one


def digest(text: str) -> str:
    """Sixteen digits that stand for a text."""
    return sha256(text.encode()).hexdigest()[:16]


def state_of(root: Path, names: Iterable[str]) -> str:
    """The digest of all code and tests."""
    found = sha256()
    for name in sorted(names):
        if name.startswith(("src/", "tests/")) and not name.startswith("tests/mutation/"):
            found.update(f"{name}\0".encode() + (root / name).read_bytes() + b"\0")
    return found.hexdigest()[:16]


@dataclass(frozen=True)
class Explained:
    """A mutant that no test can notice, and why."""

    path: str
    within: str
    before: str
    after: str
    why: str

    def fits(self, mutant: Mutant) -> bool:
        """Whether it speaks of a mutant."""
        return (self.path, self.within, self.before, self.after) == (
            mutant.path,
            mutant.within,
            mutant.before,
            mutant.after,
        )


def explanations(path: Path) -> tuple[Explained, ...]:
    """The mutants that are explained."""
    found = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return tuple(Explained(**one) for one in found.get("mutant", ()))

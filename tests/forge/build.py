"""Build Gitea and its runner once, into a cache outside the repository, for `make test-forge`.

Go downloads both as modules and verifies them by its checksum database; the sums below are compared
too. A build that was cut off is started again, and what was compiled is not compiled twice.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lumos-forge"
NOT_RUN = 4
"""The exit code where nothing can be built here."""


class Program(NamedTuple):
    """A program that is built from a module of Go."""

    name: str
    module: str
    version: str
    checksum: str
    options: tuple[str, ...]

    @property
    def binary(self) -> Path:
        return CACHE / self.name

    @property
    def source(self) -> Path:
        return CACHE / f"{self.name}-src"

    @property
    def is_built(self) -> bool:
        return self.binary.exists() and self._marker.exists()

    @property
    def _marker(self) -> Path:
        return CACHE / f"{self.name}-{self.version}"

    def build(self) -> None:
        """Download, verify and compile; the marker is written last."""
        downloaded = _go("mod", "download", "-json", f"{self.module}@{self.version}")
        if downloaded is None:
            raise NotPossibleError(f"{self.module} {self.version} cannot be downloaded")
        found = json.loads(downloaded)
        if found["Sum"] != self.checksum:
            raise NotPossibleError(f"{self.module} {self.version} has another checksum")
        shutil.rmtree(self.source, ignore_errors=True)
        shutil.copytree(found["Dir"], self.source)
        for path in (self.source, *self.source.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)  # the module cache is read-only
        new = CACHE / f"{self.name}.new"
        print(f"building {self.name} {self.version}: minutes, once", flush=True)
        built = _go("build", "-p", "2", *self.options, "-o", str(new), ".", cwd=self.source)
        assert built is not None, f"{self.name} cannot be compiled: see above"
        new.replace(self.binary)
        self._marker.touch()


class NotPossibleError(Exception):
    """Why nothing can be built on this machine."""


GITEA = Program(
    name="gitea",
    module="code.gitea.io/gitea",
    version="v1.26.0",
    checksum="h1:fJP9dqLbzKrKWUVnCVTfVersZdVDuyJQLEDzCAOmKKA=",
    options=("-tags", "sqlite sqlite_unlock_notify", "-ldflags", "-s -w"),
)
RUNNER = Program(
    name="runner",
    module="gitea.com/gitea/runner",
    version="v1.0.8",
    checksum="h1:zKfC4+zyyGIDagqhII3WVw52P+A9iAa63It0lniN4SI=",
    options=("-ldflags", "-s -w"),
)


def missing() -> list[str]:
    """What is not built yet."""
    return [one.name for one in (GITEA, RUNNER) if not one.is_built]


def _go(*arguments: str, cwd: Path | None = None) -> str | None:
    """What Go prints; None where it fails."""
    nice = ("nice", "-n", "10") if shutil.which("nice") else ()
    done = subprocess.run(
        [*nice, "go", *arguments], cwd=cwd, stdout=subprocess.PIPE, text=True, check=False
    )
    return None if done.returncode else done.stdout


def main() -> int:
    """Build what is missing; says why where it is not possible."""
    for program in ("go", "gcc", "git"):
        if missing() and not shutil.which(program):
            print(f"not run: {program} is not installed, and Gitea is built with it")
            return NOT_RUN
    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        for one in (GITEA, RUNNER):
            if not one.is_built:
                one.build()
    except NotPossibleError as exc:
        print(f"not run: {exc}: is there a proxy for Go modules (`go env GOPROXY`)?")
        return NOT_RUN
    return 0


if __name__ == "__main__":
    sys.exit(main())

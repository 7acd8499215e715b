"""Rewrite the fixtures of engine tables: `python -m tests.components.lakehouse [ENGINE …]`.

By itself it runs every engine. Where a table cannot be made, it says why and rewrites nothing.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.components.build import NotPossibleError
from tests.components.lakehouse import fixtures
from tests.components.lakehouse.engines import ENGINES, Engine, failures


def main(words: Sequence[str]) -> int:
    """Run engines; 1 where one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.components.lakehouse")
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=", ".join(ENGINES))
    named = parser.parse_args(words).engines
    if unknown := sorted({*named} - {*ENGINES}):
        parser.error(f"no such engine: {', '.join(unknown)}")
    results = [rewritten(ENGINES[name]) for name in named or ENGINES]
    return int(not all(results))


def rewritten(engine: Engine) -> bool:
    """Whether the fixtures of an engine were made anew."""
    began = time.monotonic()
    with TemporaryDirectory(prefix="lumos-lakehouse-") as name:
        folder = Path(name)
        try:
            done = engine.write(folder)
        except NotPossibleError as exc:
            _say(f"{engine.name}: not run: {exc}")
            return False
        if done.returncode:
            _say(f"{engine.name}: {failures(folder) or done.stderr[-2000:]}")
            return False
        count = fixtures.write(folder, engine.name, engine.title)
    _say(f"{engine.title}: {count} tables in {time.monotonic() - began:.0f} s")
    return True


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

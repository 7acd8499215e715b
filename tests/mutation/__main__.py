"""Mutation tests: change the code in small ways, one after the other; a test should notice each.

    python -m tests.mutation [--jobs N] [--fresh] [PACKAGE …]

It works in copies in the folder for temporary files, and can be killed and started again: what is
known stays in `.mutants/session.jsonl`. It ends with 1 where a mutant has survived that
`explained.toml` does not explain, or where an explanation fits no mutant that survived.
"""

import argparse
import os
import queue
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.mutants import Mutant, sample
from tests.mutation.packages import PACKAGES, Package
from tests.mutation.progress import Progress
from tests.mutation.session import Explained, Result, Session, explanations, state_of
from tests.mutation.workshop import Workshop, files_of, say

HERE = Path(__file__).parent
TOP = "src/lumos_snap"
Task = tuple[Package, Mutant]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants of some packages, or of all."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    root = options.root.resolve()
    names = files_of(root)
    store = options.session or root / ".mutants" / "session.jsonl"
    if options.fresh:
        store.unlink(missing_ok=True)
    session = Session(store, state_of(root, names))
    wanted = [one for one in PACKAGES if not options.packages or one.name in options.packages]
    say("finding mutants …")
    tasks = [
        (package, mutant)
        for package in wanted
        for mutant in sample(
            list(package.paths(root / TOP)), root / TOP, _size(package, options.sample)
        )
    ]
    left = [task for task in tasks if not session.result(task[1], is_quick=options.quick)]
    say(f"{len(tasks)} mutants, {len(tasks) - len(left)} of them known from earlier runs")
    if left:
        base = Path(tempfile.mkdtemp(prefix="lumos-mutants-"))
        jobs = min(options.jobs, len(left))
        shops = [
            Workshop(root, names, base / str(number), is_quick=options.quick)
            for number in range(jobs)
        ]
        try:
            _try(left, session, shops)
        finally:
            for shop in shops:
                shop.stop()
            shutil.rmtree(base, ignore_errors=True)
    return _report(
        tasks,
        session,
        explanations(root / HERE.relative_to(HERE.parents[1]) / "explained.toml"),
        is_whole=len(wanted) == len(PACKAGES),
    )


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="default: all of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="default: all cores")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs have found")
    parser.add_argument("--quick", action="store_true", help="only the fast tests")
    parser.add_argument("--sample", type=int, help="how many mutants of a package at most")
    parser.add_argument("--root", type=Path, default=HERE.parents[1], help="another checkout")
    parser.add_argument("--session", type=Path, help="where results are kept")
    options = parser.parse_args(arguments)
    unknown = set(options.packages) - {one.name for one in PACKAGES}
    if unknown:
        parser.error(
            f"no such package: {', '.join(sorted(unknown))}; there are "
            + ", ".join(repr(one.name) for one in PACKAGES)
        )
    return options


def _size(package: Package, most: int | None) -> int | None:
    sizes = [one for one in (package.sample, most) if one is not None]
    return min(sizes) if sizes else None


def _try(left: Sequence[Task], session: Session, shops: Sequence[Workshop]) -> None:
    """Run the tests against every mutant that is left, in several copies at once."""
    progress = Progress(len(left))
    lock = threading.Lock()

    def one(task: Task) -> None:
        package, mutant = task
        shop = free.get()
        answer = shop.tried(mutant)
        free.put(shop)
        with lock:
            progress.step(package, mutant, session.add(mutant, answer))

    free: queue.SimpleQueue[Workshop] = queue.SimpleQueue()
    for shop in shops:
        free.put(shop)
    for package in dict.fromkeys(package for package, _ in left):
        say(f"{package.name}: tests without a mutant …")
        for shop in shops:
            shop.open(package)
        say(f"{package.name}: {shops[0].learn(package)}, all pass")
        for shop in shops[1:]:
            shop.knows(shops[0])
        pool = ThreadPoolExecutor(len(shops))
        try:
            list(pool.map(one, [task for task in left if task[0] is package]))
        except BaseException:
            for shop in shops:
                shop.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _report(
    tasks: Sequence[Task], session: Session, known: Sequence[Explained], *, is_whole: bool
) -> int:
    """The score of each package, then what is not explained."""
    results = [(package, mutant, session.result(mutant)) for package, mutant in tasks]
    say(f"\n{'package':24}{'mutants':>9}{'killed':>8}{'explained':>11}{'survived':>10}{'score':>8}")
    open_: list[tuple[Mutant, Result]] = []
    used: set[Explained] = set()
    for package in dict.fromkeys(package for package, _ in tasks):
        own = [(mutant, one) for at, mutant, one in results if at is package and one]
        alive = [(mutant, one) for mutant, one in own if one.survived]
        fitting = {mutant.key: [one for one in known if one.fits(mutant)] for mutant, _ in alive}
        used.update(one for found in fitting.values() for one in found)
        left = [one for one in alive if not fitting[one[0].key]]
        open_ += left
        killed, explained = len(own) - len(alive), len(alive) - len(left)
        score = 100 * killed / max(1, len(own) - explained)
        say(f"{package.name:24}{len(own):9}{killed:8}{explained:11}{len(left):10}{score:7.1f}%")
    for mutant, _ in open_:
        say(f"\nsurvived: {TOP}/{mutant.path}:{mutant.line} {mutant.within} ({mutant.operator})")
        say(f"  - {mutant.before}\n  + {mutant.after}")
    stale = [one for one in known if one not in used] if is_whole else []
    for one in stale:
        say(f"\nexplained, but no mutant of this run that survived: {one.path} {one.within}")
        say(f"  - {one.before}\n  + {one.after}\n  → delete it from tests/mutation/explained.toml")
    return int(bool(open_ or stale))


if __name__ == "__main__":
    sys.exit(main())

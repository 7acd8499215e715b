"""Run groups of component tests: `python -m tests.components [GROUP …] [--changed]`.

By itself it runs every group, or those that are named, and rewrites docs/verified.md. With
`--changed` it runs those whose paths changed since they were verified and one more, within five
minutes, and rewrites nothing.
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.components import page, plan, repository, result
from tests.components.build import NotPossibleError
from tests.components.groups import FOLDER, GROUPS, Group
from tests.components.result import Result

ROOT = FOLDER.parents[1]
LIMIT = 300
"""Seconds for all groups together, where a change is tested."""
_LEAST = 60
"""Seconds: with less time left, no group is started."""
_ENDING = 60
"""Seconds that a group gets to end its servers."""


def main(words: Sequence[str]) -> int:
    """Run groups; 1 where a test failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.components", description=__doc__)
    names = [one.name for one in GROUPS]
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(names))
    parser.add_argument(
        "--changed", action="store_true", help="those that a change may have broken"
    )
    options = parser.parse_args(words)
    if unknown := sorted(set(options.groups) - set(names)):
        parser.error(f"no such group: {', '.join(unknown)} (there are: {', '.join(names)})")
    named = [one for one in GROUPS if not options.groups or one.name in options.groups]
    return of_change(named) if options.changed else all_of(named)


def all_of(groups: Sequence[Group]) -> int:
    """Every group, for as long as it takes; those that pass are written to the page."""
    failed = False
    for group in groups:
        if why := group.missing() or _not_built(group):
            _say(f"{group.name}: not run: {why}")
            continue
        tested = repository.commit(ROOT)
        ran = _ran(group, None)
        _say(f"{group.name}: {ran}")
        failed = failed or not ran.is_verified
        if ran.is_verified:
            _record(group, tested, ran)
    return int(failed)


def of_change(groups: Sequence[Group]) -> int:
    """What a change may have broken and one group in rotation, as far as five minutes reach."""
    until = time.monotonic() + LIMIT
    verified = page.rows((ROOT / page.PAGE).read_text())
    changed = {name: repository.changed(ROOT, row.commit) for name, row in verified.items()}
    chosen = plan.selected(groups, changed, datetime.now(UTC).date())
    failed = False
    for group in chosen:
        left = until - time.monotonic()
        if why := group.missing() or _too_long(group, left) or _not_built(group):
            _say(f"{group.name}: not run: {why}")
            continue
        ran = _ran(group, max(until - time.monotonic(), _LEAST))
        _say(f"{group.name}: {ran}")
        failed = failed or bool(ran.failed)
    if others := [one.name for one in groups if one not in chosen]:
        _say(f"left out, because nothing that they cover changed: {', '.join(others)}")
    return int(failed)


def _too_long(group: Group, left: float) -> str | None:
    build = 0 if group.build.is_made() else group.build.seconds
    if build > plan.LONGEST_BUILD:
        return f"its build takes about {build} s: `make test-components OPTIONS={group.name}`"
    return f"no time left of {LIMIT} s" if left - build < _LEAST else None


def _not_built(group: Group) -> str | None:
    try:
        group.build.make()
    except NotPossibleError as exc:
        return str(exc)
    return None


def _ran(group: Group, limit: float | None) -> Result:
    """Run pytest on the folder of a group; after the limit it is interrupted, as by Ctrl-C."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lumos-components-") as folder:
        report = Path(folder) / "report.xml"
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "pytest", f"{FOLDER}/{group.name}"),
                *("-m", "components", "-rs", f"--junit-xml={report}"),
            ],
            cwd=ROOT,
        )
        is_cut_off = False
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            is_cut_off = True
            _interrupted(process)
        return result.read(report, seconds=time.monotonic() - began, is_cut_off=is_cut_off)


def _interrupted(process: "subprocess.Popen[bytes]") -> None:
    """End it as Ctrl-C does, so that it ends its servers and writes its report."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _record(group: Group, tested: str, ran: Result) -> None:
    loose = repository.uncommitted(ROOT, group.paths)
    if loose or repository.commit(ROOT) != tested:
        what = f"{loose[0]} is not committed" if loose else "another commit is checked out now"
        _say(f"{group.name}: not recorded in {page.PAGE}: {what}")
        return
    path = ROOT / page.PAGE
    today = datetime.now(UTC).date().isoformat()
    row = page.Row(group.name, tested[:12], today, f"{group.title}: {ran}")
    rows = {**page.rows(path.read_text()), group.name: row}
    path.write_text(page.written(rows, [one.name for one in GROUPS]))


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

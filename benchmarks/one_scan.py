"""One scan in this process: how long it took, and the most that Python held, as JSON.

    python -m benchmarks.one_scan TREE LAKE ENGINE

It imports nothing that the command would not: imports are held as well.
"""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from lumos_snap import open_tree
from lumos_snap.commands.scan.command import scan
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.config.settings import EngineName


def scanned(tree: str, lake: str, engine: str) -> tuple[float, float]:
    """Scan a lake; seconds, and MiB."""
    asked = ScanOptions(sources=(lake,), engine=cast("EngineName", engine))
    began = time.perf_counter()
    scan(open_tree(Path(tree)), asked, now=datetime.now(UTC))
    return time.perf_counter() - began, _peak()


def _peak() -> float:
    """Of this process alone: what `getrusage` returns includes the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    print(json.dumps(scanned(*sys.argv[1:])))

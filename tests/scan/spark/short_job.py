"""Starts a session as a scan does, runs a small job, and says as JSON what it met.

python short_job.py MASTER NAME=SETTING...
"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

from lumos_snap.scan.spark.session import spark_session


def main() -> None:
    settings = dict(word.split("=", 1) for word in sys.argv[2:])
    notes: list[str] = []
    told = logging.getLogger("lumos_snap")
    told.addHandler(_Noting(notes))
    with spark_session(
        None, master=sys.argv[1], settings=settings, why_not=lambda: None
    ) as running:
        gateway: Any = running.spark.sparkContext._gateway
        java = gateway.proc.pid
        maps = Path(f"/proc/{java}/maps").read_text()
        rows = running.spark.range(10).count()
    met = {"used": ".jsa\n" in _ours(maps), "rows": rows, "notes": notes, "pid": java}
    sys.stdout.write(json.dumps(met))


def _ours(maps: str) -> str:
    """What Java has mapped of the user's cache, not the archive that comes with Java."""
    return "".join(f"{line}\n" for line in maps.splitlines() if "lumos-snap" in line)


class _Noting(logging.Handler):
    def __init__(self, notes: list[str]) -> None:
        super().__init__()
        self.notes = notes

    def emit(self, record: logging.LogRecord) -> None:
        self.notes.append(record.getMessage())


if __name__ == "__main__":
    main()

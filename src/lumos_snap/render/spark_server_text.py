"""The Spark server as plain text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lumos_snap.report.spark_server import SparkServer

_WORDS = {"started": "started", None: "running"}


def spark_server(report: "SparkServer") -> Iterator[str]:
    """Whether it is running, where, and until when."""
    if not report.running:
        yield "stopped" if report.change else "not running: `lumos spark start`"
        return
    yield f"{_WORDS[report.change]}  Spark {report.spark} at {report.url}, process {report.pid}"
    unused = f"unused for {_duration(report.unused_seconds or 0)}"
    use = "in use" if report.in_use else unused
    idle = _duration(report.idle_seconds or 0)
    yield f"{report.memory} of memory; stops after {idle} without a scan; {use}"
    if report.not_used_because is not None:
        yield f"scans from here do not use it: {report.not_used_because}"
        yield "  → `lumos spark stop`, then `lumos spark start` here"


def _duration(seconds: int) -> str:
    """Seconds below a minute, minutes below two hours, else hours."""
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < 2 * _HOUR:
        return f"{seconds // _MINUTE} min"
    return f"{seconds // _HOUR} h"


_MINUTE, _HOUR = 60, 3600

"""`lumos spark`."""

import re
from typing import TYPE_CHECKING

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.config.settings import DURATION, seconds_of
from lumos_snap.errors import Exit

if TYPE_CHECKING:
    from lumos_snap.report.scan import SparkServer


def _seconds(_context: click.Context, _option: click.Parameter, given: str) -> int:
    """Parse a duration such as `90s`, `30m` or `2h` to seconds."""
    if not re.fullmatch(DURATION, given):
        raise click.BadParameter(f"invalid duration {given!r}: write 90s, 30m or 2h")
    return seconds_of(given)


def _size(_context: click.Context, _option: click.Parameter, given: str) -> str:
    """Validate a size in Java's notation."""
    if not re.fullmatch(r"[1-9]\d{0,5}[mg]", given):
        raise click.BadParameter(f"invalid size {given!r}: write 512m or 2g")
    return given


@command("lumos spark start", "lumos spark start --memory 2g --idle 2h")
@click.option(
    "--memory",
    metavar="SIZE",
    callback=_size,
    default="1g",
    show_default=True,
    help="Memory of the server's JVM.",
)
@click.option(
    "--idle",
    metavar="TIME",
    callback=_seconds,
    default="30m",
    show_default=True,
    help="Stop after this long without a scan.",
)
@options.as_json
def start(*, memory: str, idle: int, as_json: bool) -> int:
    """Start a Spark server that all scans of this user share.

    The server listens on this machine only and requires a token that only this user can read. It
    keeps running when the terminal closes. Scans use it automatically, unless another Spark is
    configured, or the server runs another PySpark or Python, or was started with other variables
    for credentials and proxies. Does nothing if a server is running.
    """
    from lumos_snap.commands import spark  # noqa: PLC0415 - only where asked for

    options.announce("Spark starts ...")
    return _emit(spark.start(memory=memory, idle=idle), as_json=as_json)


@command("lumos spark stop")
@options.as_json
def stop(*, as_json: bool) -> int:
    """Stop the Spark server of this user. A scan that uses it fails."""
    from lumos_snap.commands import spark  # noqa: PLC0415 - only where asked for

    return _emit(spark.stop(), as_json=as_json)


@command("lumos spark status", "lumos spark status --json")
@options.as_json
def status(*, as_json: bool) -> int:
    """Show the Spark server of this user. Exit 0 if it is running, 1 otherwise."""
    from lumos_snap.commands import spark  # noqa: PLC0415 - only where asked for

    report = spark.status()
    _emit(report, as_json=as_json)
    return Exit.CLEAN if report.running else Exit.FINDINGS


def _emit(report: "SparkServer", *, as_json: bool) -> int:
    from lumos_snap.render.scan_text import spark_server  # noqa: PLC0415 - likewise

    options.emit(report, spark_server(report), as_json=as_json)
    return Exit.CLEAN

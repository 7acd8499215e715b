"""`lumos doctor`."""

import datetime
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.doctor.checks import diagnose
from lumos_snap.render import plain_text
from lumos_snap.report.command_reports import Health

if TYPE_CHECKING:
    from lumos_snap.report.command_reports import JvmArchive


@command(
    "lumos doctor",
    "lumos doctor --json",
    "lumos doctor --warm",
    "lumos doctor --catalog datahub",
)
@click.option(
    "--warm", is_flag=True, help="Keep what Java loads for a scan, so that scans start sooner."
)
@click.option(
    "--catalog", metavar="NAME", help="Look at a catalog of lumos.yaml, too: can it be synced with?"
)
@options.folder
@options.as_json
def doctor(*, warm: bool, catalog: str | None, folder: Path, as_json: bool) -> int:
    """Look at Python, git, Java, extras, repository and settings: what is missing, and the fix.

    --warm starts Spark once, scans a few small files and writes what Java has loaded into the
    user's cache folder: some 160 MB. Scans on this machine then start seconds sooner, until Java or
    PySpark is another one. If there is one that fits, nothing is done.

    --catalog asks a catalog who it is, who asks it, what may be read and written, and whether it
    refuses to write over somebody's edit: it is asked to write what it must refuse.

    Exit 0 if nothing stands in the way, 1 otherwise.
    """
    warmed = _warm_up() if warm else None
    report = diagnose(folder, warmed, catalog, os.environ)
    options.emit(report, plain_text.diagnosis(report), as_json=as_json)
    return options.verdict(failed=any(c.health is Health.PROBLEM for c in report.checks))


def _warm_up() -> "JvmArchive | None":
    """Create the archive; None where a valid one exists."""
    from lumos_snap.commands.doctor.warm import warm  # noqa: PLC0415 - only where asked for
    from lumos_snap.scan.spark import class_data_archive  # noqa: PLC0415 - likewise

    if class_data_archive.find_archive() is not None:
        return None
    options.announce("Spark scans a few small files, and Java writes down what it has loaded ...")
    return warm(datetime.datetime.now(datetime.UTC))

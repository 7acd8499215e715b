"""`lumos snap scan`."""

import datetime
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.scan.options import ScanOptions
from lumos_snap.config.settings import EngineName
from lumos_snap.errors import Exit, LumosError

if TYPE_CHECKING:
    from lumos_snap.report.scan import ScanReport

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("sources", nargs=-1, metavar="[FOLDER|SOURCE]..."),
    click.option(
        "--only", multiple=True, metavar="GLOB", help="Only these datasets; lists no others."
    ),
    click.option("--dry-run", is_flag=True, help="Write nothing; say what would be written."),
    click.option("--prune", is_flag=True, help="Remove snapshots of datasets that are gone."),
    click.option(
        "--prune-max",
        type=click.IntRange(min=0),
        metavar="N",
        help="Remove at most this many; 20, or 10 % if that is more, where this is left out.",
    ),
    click.option("--reinfer", is_flag=True, help="Let guessed types narrow; else they only widen."),
    click.option("--commit", is_flag=True, help="Commit what scans wrote, and nothing else."),
    click.option("-m", "--message", metavar="TEXT", help="The commit's message; implies --commit."),
    click.option("--branch", metavar="NAME", help="Commit on this branch; implies --commit."),
    click.option(
        "--engine",
        type=click.Choice(get_args(EngineName)),
        envvar="LUMOS_ENGINE",
        show_envvar=True,
        help="Engine that reads files: spark, or local, which needs no Java. Default: scan.engine"
        " in lumos.yaml, else spark.",
    ),
    click.option("--master", metavar="URL", help="Where Spark runs; local[*] is here."),
    click.option(
        "--connect", metavar="URL", help="A server of Spark Connect that runs it: sc://host:port."
    ),
    click.option(
        "--conf",
        multiple=True,
        metavar="NAME=VALUE",
        help="A setting of Spark; more than one may be given.",
    ),
)


def scan_options(function: F) -> F:
    """Decorator that adds the options of a scan; the command receives them as `asked`."""

    @functools.wraps(function)
    def with_asked(*arguments: Any, dry_run: bool, commit: bool, **rest: Any) -> object:
        given = {name: rest.pop(name) for name in _AS_THEY_ARE}
        given["master"] = _where(rest.pop("master"), rest.pop("connect"))
        given["engine"] = _engine(rest.pop("engine"), given)
        implied = given["message"] is not None or given["branch"] is not None
        asked = ScanOptions(write=not dry_run, commit=commit or implied, **given)
        return function(*arguments, asked=asked, **rest)

    for option in reversed(_OPTIONS):
        with_asked = option(with_asked)
    return cast("F", with_asked)


_AS_THEY_ARE = (*("sources", "only", "prune", "prune_max", "reinfer", "message", "branch", "conf"),)


_OF_SPARK = {"master": "--master or --connect", "conf": "--conf"}


def _engine(name: EngineName | None, given: Mapping[str, object]) -> EngineName | None:
    """The engine of the command; Spark options take precedence over the environment variable."""
    options_of_spark = [said for option, said in _OF_SPARK.items() if given[option]]
    if name != "local" or not options_of_spark:
        return name
    source = click.get_current_context().get_parameter_source("engine")
    if source is not click.core.ParameterSource.COMMANDLINE:
        return "spark"
    raise LumosError(
        f"--engine local runs without Spark, and {options_of_spark[0]} is for Spark",
        hint="leave one of them out",
    )


def _where(master: str | None, connect: str | None) -> str | None:
    """The Spark master or Connect server; only one may be given."""
    if connect is None:
        return master
    if master is not None:
        raise LumosError(
            "--master and --connect both say where Spark runs", hint="leave one of them out"
        )
    if not connect.startswith("sc://"):
        raise LumosError(
            f"--connect {connect} is no address of Spark Connect",
            hint="it is written `sc://host:port`; other places are `--master`",
        )
    return connect


@command(
    "lumos snap scan ./lake",
    "lumos snap scan --only 'file/lake/raw/*' --dry-run",
    "lumos snap scan --check --strict",
    "lumos snap scan --prune --commit -m 'Nightly scan' --branch lumos/nightly",
    "lumos snap scan --engine local",
    "lumos snap scan --connect sc://spark.example:15002",
    "lumos snap scan --explain ./lake/raw/2026/01/15/part-0.parquet",
)
@scan_options
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the tree would change.")
@click.option("--strict", is_flag=True, help="Exit 1 if any file could not be read.")
@click.option(
    "--explain", metavar="PATH", help="Say why a file belongs to its dataset; read nothing."
)
@options.folder
@options.limit
@options.as_json
def scan(
    *,
    asked: ScanOptions,
    check: bool,
    strict: bool,
    explain: str | None,
    folder: Path,
    limit: int,
    as_json: bool,
) -> int:
    """Read storage, and bring the tree's snapshots in line with what lies there.

    A SOURCE is one that `lumos.yaml` lists; a FOLDER may be in none of them. Without either, all
    sources are read. Spark reads the files: on this machine, unless --master, --connect or Spark's
    own configuration says otherwise. --engine local reads them without Spark and Java. Schemas,
    partitions and places are written; what people say is left alone, and datasets that did not
    change are not written.

    Files that cannot be read are named, and the rest goes on; so do other sources where one cannot
    be reached. What is known of a file that did not change is not read again. Exit 0, 1 for --check
    and --strict and where a stored snapshot is broken, 2 for usage, 3 where storage or Spark cannot
    be reached.
    """
    if explain is not None:
        return _run_explain(explain, asked.sources, folder, as_json=as_json)
    report = _run_scan(replace(asked, write=asked.write and not check), folder)
    _emit(report, limit, as_json=as_json)
    _suggest_archive(report)
    if _is_out_of_reach(report):
        return Exit.OUTSIDE
    return options.verdict(failed=_fails(report, check=check, strict=strict))


def _run_scan(asked: ScanOptions, folder: Path) -> "ScanReport":
    # Lazy imports: help and usage errors are faster without them.
    from lumos_snap.cli.progress import scan_progress  # noqa: PLC0415
    from lumos_snap.commands.scan.command import scan as scan_storage  # noqa: PLC0415

    if asked.message is not None and not asked.message.strip():
        raise LumosError("the message is empty", hint="write one, or leave `-m` out")
    with scan_progress() as progress:
        now = datetime.datetime.now(datetime.UTC)
        return scan_storage(options.tree(folder), asked, now=now, progress=progress)


_SLOW_MS = 3_000


def _suggest_archive(report: "ScanReport") -> None:
    """After a slow start of Spark on a terminal, suggest the archive, once per user."""
    used = report.engine
    if used is None or used.place is None or used.start_ms is None or not sys.stderr.isatty():
        return
    from lumos_snap.scan.spark import class_data_archive  # noqa: PLC0415 - only where Spark has run

    is_slow_here = used.start_ms >= _SLOW_MS and used.place.startswith("local")
    if is_slow_here and class_data_archive.suggest():
        seconds = f"Spark took {used.start_ms / 1000:.0f} s to start"
        options.announce(f"{seconds}: `lumos doctor --warm` makes it faster")


def _emit(report: "ScanReport", limit: int, *, as_json: bool) -> None:
    from lumos_snap.render import scan_text  # noqa: PLC0415 - only where there is something to say

    options.emit(report, scan_text.scan_lines(report, limit=limit), as_json=as_json)


def _fails(report: "ScanReport", *, check: bool, strict: bool) -> bool:
    from lumos_snap.commands.scan.command import has_changes, is_incomplete  # noqa: PLC0415 - likewise

    if report.broken or report.left:
        return True
    return (check and has_changes(report)) or (strict and is_incomplete(report))


def _is_out_of_reach(report: "ScanReport") -> bool:
    from lumos_snap.commands.scan.command import is_out_of_reach  # noqa: PLC0415 - likewise

    return is_out_of_reach(report)


def _run_explain(path: str, sources: Sequence[str], folder: Path, *, as_json: bool) -> int:
    from lumos_snap.commands.scan.explain import explain  # noqa: PLC0415 - likewise
    from lumos_snap.render import scan_text  # noqa: PLC0415 - likewise

    report = explain(options.tree(folder), path, sources)
    options.emit(report, scan_text.placement(report), as_json=as_json)
    return options.verdict(failed=False)

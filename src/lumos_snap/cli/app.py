"""The entry point, which converts all errors to exit codes."""

import os
import sys
from collections.abc import Sequence

import click

from lumos_snap._version import FORMAT_VERSION, __version__
from lumos_snap.cli.lazy import CommandRow, LazyGroup
from lumos_snap.cli.output import complain, forget_output, prepare_output, redact
from lumos_snap.errors import Exit, LumosError

_SNAP = "lumos_snap.cli.snap"

snap = LazyGroup(
    name="snap",
    help="Snapshots: one canonical JSON file per dataset, in git.",
    sections={
        "Start": {
            "init": CommandRow(f"{_SNAP}.init:init", "Make a folder a tree of snapshots."),
            "scan": CommandRow(f"{_SNAP}.scan:scan", "Read storage into the tree."),
            "import": CommandRow(f"{_SNAP}.transfer:import_", "Bring in a document or a catalog."),
        },
        "Look": {
            "ls": CommandRow(f"{_SNAP}.look:ls", "List datasets."),
            "show": CommandRow(f"{_SNAP}.look:show", "Show one dataset as a page."),
            "search": CommandRow(f"{_SNAP}.search:search", "Find datasets by words."),
        },
        "Change": {
            "diff": CommandRow(f"{_SNAP}.diff:diff", "Say what changed, and what it breaks."),
            "impact": CommandRow(
                f"{_SNAP}.impact:impact", "Say who reads a dataset, and who feels it."
            ),
            "explain": CommandRow(
                f"{_SNAP}.explain:explain", "Say how a finding came to its verdict."
            ),
            "waive": CommandRow(
                f"{_SNAP}.explain:waive", "Accept a finding, with a reason and an end."
            ),
            "predict": CommandRow(f"{_SNAP}.predict:predict", "Judge a proposed schema."),
            "rules": CommandRow(f"{_SNAP}.explain:rules", "List the rules, or explain one."),
            "notify": CommandRow(f"{_SNAP}.comment:notify", "Tell owners what breaks."),
        },
        "History": {
            "log": CommandRow(f"{_SNAP}.history:log", "Say what each commit changed."),
            "blame": CommandRow(
                f"{_SNAP}.history:blame", "Say since when each column is what it is."
            ),
        },
        "Release": {
            "bump": CommandRow(f"{_SNAP}.bump:bump", "Give new versions to what changed."),
            "version": CommandRow(f"{_SNAP}.bump:version", "Say a dataset's version."),
        },
        "In pull requests": {
            "gate": CommandRow(
                f"{_SNAP}.gate:gate", "Judge every tree of a repository, as CI does."
            ),
            "comment": CommandRow(
                f"{_SNAP}.comment:comment", "Keep one comment on a pull request."
            ),
            "respond": CommandRow(
                f"{_SNAP}.comment:respond", "Run the `/lumos waive` of a comment."
            ),
        },
        "Keep in order": {
            "fmt": CommandRow(
                f"{_SNAP}.validate:fmt", "Bring documents into their canonical form."
            ),
            "check": CommandRow(
                f"{_SNAP}.check:check", "Find what the policy asks for, and is not there."
            ),
            "validate": CommandRow(f"{_SNAP}.validate:validate", "Find everything that is wrong."),
            "migrate-format": CommandRow(
                f"{_SNAP}.migrate:migrate", "Upgrade documents in older shapes."
            ),
        },
        "Carry": {
            "sync": CommandRow(f"{_SNAP}.sync:sync", "Bring the tree and a catalog in line."),
            "export": CommandRow(
                f"{_SNAP}.transfer:export", "Write a tree or a catalog to a file."
            ),
            "verify": CommandRow(
                f"{_SNAP}.transfer:verify", "Say whether two sides hold the same."
            ),
            "doctor": CommandRow(
                "lumos_snap.cli.doctor:doctor", "Look at what is needed, and missing."
            ),
        },
        "Called by git": {
            "merge-driver": CommandRow(
                f"{_SNAP}.merge_driver:merge_driver", "Merge two branches' edits."
            ),
            "textconv": CommandRow(f"{_SNAP}.textconv:textconv", "Print a document as flat text."),
        },
    },
    examples=(
        "lumos snap init",
        "lumos snap scan ./lake",
        "lumos snap ls --tag tier-1",
        "lumos snap validate",
        "lumos snap diff --base main",
        "lumos snap bump --tag",
    ),
)

_SPARK = "lumos_snap.cli.spark"
spark = LazyGroup(
    name="spark",
    help="A Spark server on this machine that keeps running, so that scans start sooner.",
    sections={
        "Commands": {
            "start": CommandRow(f"{_SPARK}:start", "Start the server."),
            "stop": CommandRow(f"{_SPARK}:stop", "Stop the server."),
            "status": CommandRow(f"{_SPARK}:status", "Show its status."),
        },
    },
    examples=("lumos spark start", "lumos spark status", "lumos spark stop"),
)

lumos = LazyGroup(
    name="lumos",
    help="Lumos Snapshots: metadata as code for data platforms.",
    sections={
        "Commands": {
            "snap": CommandRow("lumos_snap.cli.app:snap", "Work with snapshots."),
            "spark": CommandRow(
                "lumos_snap.cli.app:spark", "Keep a Spark server running for scans."
            ),
            "doctor": CommandRow(
                "lumos_snap.cli.doctor:doctor", "Say what is missing, and the fix."
            ),
            "schema": CommandRow("lumos_snap.cli.schema:schema", "Print a published JSON Schema."),
            "completion": CommandRow(
                "lumos_snap.cli.completion:completion", "Print shell completion to install."
            ),
        },
    },
    examples=("lumos doctor", "lumos snap --help", "lumos snap ls"),
)
lumos.params.append(
    click.Option(
        ["--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        help="Show the versions of the tool and of the snapshot format.",
        callback=lambda ctx, _, wanted: _version(ctx) if wanted else None,
    )
)


def _version(ctx: click.Context) -> None:
    click.echo(f"lumos {__version__} (snapshot format {FORMAT_VERSION})")
    ctx.exit()


def run(arguments: Sequence[str] | None) -> int:
    """Run a command; any error ends with one line and an exit code."""
    prepare_output()
    try:
        code = lumos.main(arguments, prog_name="lumos", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else Exit.CLEAN
    except click.ClickException as exc:
        _explain(exc)
        return Exit.USAGE
    except LumosError as exc:
        complain(exc.message, exc.hint)
        return exc.exit_code
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted: nothing is half-written")
        return Exit.INTERRUPTED
    except SystemExit:  # click's reaction to a closed pipe while it prints help
        forget_output()
        return Exit.CLEAN
    except Exception as exc:  # noqa: BLE001 - the one boundary: a bug becomes one line
        return _report_bug(exc)


def _explain(exc: click.ClickException) -> None:
    if isinstance(exc, click.exceptions.NoArgsIsHelpError):
        click.echo(exc.format_message())
        return
    context = getattr(exc, "ctx", None)
    complain(exc.format_message(), f"{context.command_path} --help" if context else "")


def _report_bug(exc: Exception) -> int:
    if "LUMOS_DEBUG" in os.environ:
        import traceback  # noqa: PLC0415 - only for a bug

        click.echo(redact("".join(traceback.format_exception(exc))), err=True, nl=False)
    if isinstance(exc, OSError):
        forget_output()  # its failure may be the cause
        complain(f"the system refuses: {exc}", "check free space and permissions")
        return Exit.OUTSIDE
    if isinstance(exc, MemoryError):
        complain("there is not enough memory for this", "give the process more, or less to read")
        return Exit.OUTSIDE
    hint = "please report it; LUMOS_DEBUG=1 shows where it happened"
    complain(f"internal error: {type(exc).__name__}: {exc}", hint)
    return Exit.BUG

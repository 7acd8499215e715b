"""The program: groups that load a command when it is called, output, and exit codes of errors."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

import click

from lumos_snap._version import FORMAT_VERSION, __version__
from lumos_snap.errors import Exit, LumosError

# Command groups that import a command only when it is called; listing imports none.


@dataclass(frozen=True, slots=True)
class CommandRow:
    """One command: its location, and its line in the help."""

    home: str
    brief: str


Sections = Mapping[str, Mapping[str, CommandRow]]


class LazyGroup(click.Group):
    """A group whose commands are rows of a table, in sections."""

    def __init__(
        self, *, sections: Sections, examples: Sequence[str] = (), **settings: str
    ) -> None:
        super().__init__(name=settings["name"], help=settings["help"], no_args_is_help=True)
        self.sections = sections
        self.rows = {name: row for rows in sections.values() for name, row in rows.items()}
        self.examples = examples

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in order."""
        del ctx
        return list(self.rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        del ctx
        if cmd_name not in self.rows:
            return None
        module, _, attribute = self.rows[cmd_name].home.partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)  # noqa: S101 - a wrong row is a bug
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; suggest a similar one where it is unknown."""
        if args and args[0] not in self.rows and not args[0].startswith("-"):
            import difflib  # noqa: PLC0415 - only when something went wrong

            below = [f"{name} {args[0]}" for name in self.rows if self._holds(ctx, name, args[0])]
            close = below or difflib.get_close_matches(args[0], self.rows, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def _holds(self, ctx: click.Context, name: str, inner: str) -> bool:
        """Whether a group in this one contains a command."""
        group = self.get_command(ctx, name)
        return isinstance(group, LazyGroup) and inner in group.rows

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section, without importing them."""
        del ctx
        for title, rows in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, row.brief) for name, row in rows.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Append examples."""
        del ctx
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write examples unwrapped."""
    if not examples:
        return
    with formatter.section("Examples"):
        for example in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


class Command(click.Command):
    """A command whose help ends with examples."""

    examples: Sequence[str] = ()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Append examples."""
        del ctx
        write_examples(formatter, self.examples)


def command(*examples: str, name: str | None = None) -> Callable[[Callable[..., int]], Command]:
    """Decorator that creates a command; `examples` end its help."""

    def decorate(function: Callable[..., int]) -> Command:
        made = click.command(name, cls=Command)(function)
        made.examples = examples
        return made

    return decorate


# Output streams that may be closed or full, or whose reader may end early.


def prepare_output() -> None:
    """Prepare output streams that are closed or have a limited encoding."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - lives as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def forget_output() -> None:
    """Redirect stdout to null, so that Python does not fail when it flushes at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def ignore_closed_pipe() -> Iterator[None]:
    """Ignore a closed pipe, which does not affect the result of a command."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()


def complain(message: str, hint: str = "") -> None:
    """Print an error with its fix; a failure to print keeps the exit code."""
    from lumos_snap.text import sanitize_text  # noqa: PLC0415 - only when something went wrong

    fix = f"\n  → {sanitize_text(redact(hint))}" if hint else ""
    with contextlib.suppress(OSError):
        click.echo(f"lumos: {sanitize_text(redact(message))}{fix}", err=True)


def redact(text: str) -> str:
    """Remove secrets from a text: an error may contain requests or responses."""
    return build_redactor()(text)


def build_redactor() -> Callable[[str], str]:
    """Build a function that removes secrets, for many texts."""
    from lumos_snap.text import (  # noqa: PLC0415 - not needed to show help
        redact_addresses,
        redact_secrets,
        secrets_in,
    )

    secrets = secrets_in(os.environ)
    return lambda text: redact_secrets(redact_addresses(text), secrets)


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

"""Command groups that import a command only when it is called; listing imports none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

import click


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

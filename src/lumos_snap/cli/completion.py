"""`lumos completion`."""

import click
from click.shell_completion import get_completion_class

from lumos_snap.cli.app import command

_SHELLS = ("bash", "zsh", "fish")


@command(
    'eval "$(lumos completion bash)"      # in ~/.bashrc',
    'eval "$(lumos completion zsh)"       # in ~/.zshrc',
    "lumos completion fish > ~/.config/fish/completions/lumos.fish",
)
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> int:
    """Print what SHELL needs to complete commands, options and values."""
    from lumos_snap.cli.app import lumos  # noqa: PLC0415 - it imports this module

    complete = get_completion_class(shell)
    assert complete is not None  # noqa: S101 - the choice above
    click.echo(complete(lumos, {}, "lumos", "_LUMOS_COMPLETE").source())
    return 0

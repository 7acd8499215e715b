"""Output streams that may be closed or full, or whose reader may end early."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator

import click


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

"""Where output goes: it may be closed, full, or read by somebody who leaves early."""

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator

import click


def prepare_output() -> None:
    """Make printing possible wherever it goes: closed, or in an encoding that lacks a character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - lives as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def forget_output() -> None:
    """Python flushes when it ends, and must not complain about an output that is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def ignore_closed_pipe() -> Iterator[None]:
    """The reader of a pipe may leave: that changes nothing of what a command has found."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        forget_output()


def complain(message: str, hint: str = "") -> None:
    """Print an error with its fix; it keeps the exit code where nothing can be printed."""
    from lumos_snap.text import sanitize_text  # noqa: PLC0415 - only when something went wrong

    fix = f"\n  → {sanitize_text(redact(hint))}" if hint else ""
    with contextlib.suppress(OSError):
        click.echo(f"lumos: {sanitize_text(redact(message))}{fix}", err=True)


def redact(text: str) -> str:
    """A text without secrets: an error may repeat what was asked, or what a server answered."""
    return build_redactor()(text)


def build_redactor() -> Callable[[str], str]:
    """The same for many texts."""
    from lumos_snap.net.redact import (  # noqa: PLC0415 - not needed to show help
        redact_addresses,
        redact_secrets,
        secrets_in,
    )

    secrets = secrets_in(os.environ)
    return lambda text: redact_secrets(redact_addresses(text), secrets)

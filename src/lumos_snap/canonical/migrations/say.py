"""How a part of an upgrade says what it assumed: source, target, message."""

from typing import LiteralString, Protocol


class Say(Protocol):
    """Makes a note about the dataset at hand."""

    def __call__(self, source: str, target: str, message: LiteralString) -> None:
        """Note a source, a target and what happened on the way."""

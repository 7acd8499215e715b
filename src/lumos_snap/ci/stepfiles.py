"""What a step tells its runner: outputs, and commands among what it prints."""

from collections.abc import Mapping


def outputs(values: Mapping[str, str]) -> str:
    """Lines for the file of a step's outputs; no value may begin another one."""
    return "".join(f"{name}={_one_line(value)}\n" for name, value in values.items())


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")


def command(name: str, message: str, *, title: str = "Lumos Snapshots") -> str:
    """A line that the runner obeys: `error`, `warning` or `notice`."""
    return f"::{name} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def quoted(text: str, mark: str) -> str:
    """A text in which the runner obeys nothing; `mark` is something that the text cannot know."""
    return f"::stop-commands::{mark}\n{text}\n::{mark}::\n"

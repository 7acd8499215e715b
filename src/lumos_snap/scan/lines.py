"""A file of a listing as a line of text, so that millions of them lie on disk and not in memory.

Lines of different files sort as their paths do: what stands between fields is below every character
of a path.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

from lumos_snap.scan.probe.store import Entry

BETWEEN = "\0"


def line_of(entry: Entry) -> str:
    """A file as a line, without its end."""
    path, size, modified, tag = entry
    return f"{escaped(path)}\0{size}\0{modified}\0{escaped(tag)}"


def entry_of(line: str) -> Entry:
    """The file that a line stands for."""
    path, size, modified, tag = line.split(BETWEEN)
    return Entry(unescaped(path), int(size), int(modified), unescaped(tag))


def escaped(text: str) -> str:
    """A text that is safe within a line: names may hold ends of lines."""
    if "\n" not in text and "\x01" not in text:
        return text
    return text.replace("\x01", "\x01e").replace("\n", "\x01n")


def unescaped(text: str) -> str:
    """The text that was made safe."""
    if "\x01" not in text:
        return text
    return text.replace("\x01n", "\n").replace("\x01e", "\x01")


def opened(path: Path, mode: str) -> TextIO:
    """A file of lines; names that are no text keep their bytes."""
    file = path.open(mode, encoding="utf-8", errors="surrogateescape", newline="\n")
    return cast("TextIO", file)


def lines_in(file: TextIO) -> Iterator[str]:
    """The lines of a file, without their ends."""
    return (line[:-1] for line in file)

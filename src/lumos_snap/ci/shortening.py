"""Markdown that must not be longer than its place: cut between lines, and closed again."""

from collections.abc import Sequence

_RESERVE = 100
"""For what closes the last line's sections."""


def shortened(text: str, most: int, more: str) -> str:
    """The text, or as many of its lines as fit with a last line that says there are more."""
    if len(text) <= most:
        return text
    lines = text.split("\n")
    room = most - len(more) - _RESERVE
    kept, opened, fence = 0, 0, False
    for line in lines:
        # Each open section costs its closing tag.
        room -= len(line) + 1 + line.count("<details") * len("\n</details>\n")
        if room < 0:
            break
        kept += 1
        opened += line.count("<details") - line.count("</details>")
        fence ^= line.lstrip().startswith("```")
    ends = [*(["```"] if fence else []), *(["", "</details>"] * opened)]
    return "\n".join([*lines[:kept], *ends, "", more, ""])


def shares(lengths: Sequence[int], room: int) -> tuple[int, ...]:
    """How much of a room each text gets: short ones all they need, long ones what is left."""
    found = [0] * len(lengths)
    left = room
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    for done, index in enumerate(by_length):
        found[index] = min(lengths[index], left // (len(lengths) - done))
        left -= found[index]
    return tuple(found)

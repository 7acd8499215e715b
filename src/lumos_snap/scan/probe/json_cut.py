"""A JSON value that the end of the head cuts: where it is cut, and what it says up to there."""

import re
from json import JSONDecodeError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*\\?(?:"|\Z)|[\[\]{},]', re.DOTALL)
_CLOSERS = {"[": "]", "{": "}"}
_UNFINISHED = re.compile(
    r"\s*(?:t(?:r(?:u)?)?|f(?:a(?:l(?:s)?)?)?|n(?:u(?:l)?)?|N(?:a)?|-?I[nfity]{0,6}|[-+.0-9eE]*"
    r"|\\?u?[0-9a-fA-F]{0,4})\Z"
)


def is_cut(text: str, error: JSONDecodeError) -> bool:
    """Whether what a decoder objects to is only that the text ends."""
    if error.msg.startswith("Unterminated string"):
        return True
    return _UNFINISHED.match(text, error.pos) is not None


def closed(text: str, start: int) -> str:
    """The value that begins there, up to its last complete part, with every bracket closed."""
    open_brackets: list[str] = []
    end = start
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == ",":
            end = token.start()
        elif mark in _CLOSERS:
            open_brackets.append(_CLOSERS[mark])
            end = token.end()
        elif open_brackets and mark == open_brackets[-1]:
            open_brackets.pop()
            end = token.end()
    return text[start:end] + "".join(reversed(open_brackets))

"""Reading the type notation from left to right: its words and signs, and what is wrong where."""

import re

PLAIN_NAME = re.compile(r"[^\s.`\[\]{}<>#\"'(),:\x00-\x1f\x7f]+")
PLAIN_WORD = re.compile(r"[A-Za-z0-9_+/:.-]+")

_BACKTICKED = re.compile(r"`((?:[^`]|``)*)`")
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NUMBER = re.compile(r"[+-]?[0-9]{1,16}(?![0-9])")
_SPACE = re.compile(r"\s*")


class Scanner:
    """A text, and how far it has been read. White space before anything is skipped."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._start = 0

    def expected(self, what: str, *, again: bool = False) -> ValueError:
        """What is wrong here, or with what was read last, for a person."""
        at = self._start if again else _end_of_space(self._text, self._at)
        rest = self._text[at:]
        found = f"`{rest[:12]}{'…' if rest[12:] else ''}`" if rest else "the end"
        return ValueError(f"not a type: column {at + 1}: expected {what}, found {found}")

    def has(self, sign: str) -> bool:
        """Read a sign if it stands here."""
        return self._take(re.compile(re.escape(sign))) is not None

    def stands(self, sign: str) -> bool:
        """Whether a sign stands here."""
        return self._text.startswith(sign, _end_of_space(self._text, self._at))

    def need(self, sign: str, what: str = "") -> None:
        """Read a sign that must stand here."""
        if not self.has(sign):
            raise self.expected(what or f"`{sign}`")

    def says(self, *words: str) -> bool:
        """Read these words, in any case, if they stand here."""
        pattern = re.compile(r"\s+".join(words) + r"\b", re.IGNORECASE)
        return self._take(pattern) is not None

    def ends(self) -> bool:
        """Whether nothing is left."""
        return _end_of_space(self._text, self._at) == len(self._text)

    def identifier(self) -> str:
        """Read letters and digits; empty if there are none."""
        found = self._take(_IDENTIFIER)
        return found.group() if found else ""

    def name(self) -> str | None:
        """Read a name, plain or in backticks, if one stands here."""
        found = self._plain(PLAIN_NAME)
        return self._unwrapped(_BACKTICKED, "`") if found is None else found

    def label(self) -> str | None:
        """Read a name and the colon after it, if both stand here."""
        before = _end_of_space(self._text, self._at)
        name = self.name()
        if name is not None and self.has(":"):
            self._start = before
            return name
        self._at = before
        return None

    def word(self) -> str | None:
        """Read a word without quotes, if one stands here."""
        return self._plain(PLAIN_WORD)

    def quoted(self) -> str | None:
        """Read what stands in quotes, if they begin here."""
        return self._unwrapped(_QUOTED, "'")

    def number(self, what: str, *, least: int, most: int) -> int:
        """Read a whole number between two bounds."""
        found = self._take(_NUMBER)
        if found is None:
            raise self.expected(what)
        if not least <= int(found.group()) <= most:
            raise self.expected(f"{what} from {least} to {most}", again=True)
        return int(found.group())

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        start = _end_of_space(self._text, self._at)
        found = pattern.match(self._text, start)
        if found:
            self._start, self._at = start, found.end()
        return found

    def _plain(self, pattern: re.Pattern[str]) -> str | None:
        found = self._take(pattern)
        return found.group() if found else None

    def _unwrapped(self, pattern: re.Pattern[str], sign: str) -> str | None:
        found = self._take(pattern)
        return found.group(1).replace(sign * 2, sign) if found else None


def _end_of_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at

"""Who owns a path, as GitHub reads CODEOWNERS: the last line that matches decides."""

from collections.abc import Iterator, Sequence

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks for the file, the first one found counts."""
LARGEST = 3_000_000
"""Bytes: GitHub does not load a larger file."""
_ANY = "**"


def owners_of(text: str, path: str) -> tuple[str, ...]:
    """The owners of a path, as written: `@user`, `@org/team`, an e-mail address; or none."""
    found: tuple[str, ...] = ()
    for pattern, owners in _lines(text):
        if matches(pattern, path):
            found = owners
    return found


def _lines(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in text.splitlines():
        pattern, *owners = _words(line) or [""]
        # GitHub knows neither negation nor ranges, and skips such a line.
        if pattern and not pattern.startswith("!") and "[" not in pattern:
            yield pattern, tuple(owners)


def _words(line: str) -> list[str]:
    """The words of a line without its comment; a backslash keeps a space in a pattern."""
    words: list[str] = []
    word, is_escaped = "", False
    for char in line:
        if is_escaped:
            word, is_escaped = word + char, False
        elif char == "\\":
            is_escaped = True
        elif char == "#" and not word:
            break
        elif char.isspace():
            words += [word] if word else []
            word = ""
        else:
            word += char
    return [*words, word] if word else words


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern covers a path from the top of the repository.

    As in `.gitignore`: a slash that is not the last character ties it to the top, a folder covers
    what is below it, `**` crosses folders. Unlike there, `folder/*` covers only files right in it.
    """
    is_tied = "/" in pattern.rstrip("/")
    steps = pattern.strip("/").split("/")
    is_whole = is_tied and steps[-1] == "*" and not pattern.endswith("/")
    if not is_tied:
        steps = [_ANY, *steps]
    if pattern.endswith("/"):
        steps.append(_ANY)
    if steps[-1] == _ANY:
        steps[-1] = "*"  # what is below a folder, and not the folder itself
    return _leads(steps, path.split("/"), is_whole=is_whole)


def _leads(steps: Sequence[str], names: Sequence[str], *, is_whole: bool) -> bool:
    """Whether the steps lead to the path, or to a folder above it unless it is meant as a whole."""
    reached = {0}
    for name in names:
        if not is_whole and len(steps) in reached:
            return True
        following: set[int] = set()
        for at in _skipped(steps, reached):
            if at < len(steps) and steps[at] == _ANY:
                following.add(at)
            elif at < len(steps) and _fits(steps[at], name):
                following.add(at + 1)
        reached = following
    return len(steps) in reached


def _skipped(steps: Sequence[str], reached: set[int]) -> set[int]:
    """The same places, and those behind a `**` that stands for no folder."""
    found = set(reached)
    for at in range(len(steps)):
        if at in found and steps[at] == _ANY:
            found.add(at + 1)
    return found


def _fits(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern with `*` and `?`, in time that grows with both lengths."""
    at = position = 0
    star: tuple[int, int] | None = None
    """Behind the last `*` in the pattern, and behind what that stands for in the name."""
    while position < len(name):
        if at < len(pattern) and pattern[at] == "*":
            at += 1
            star = (at, position)
        elif at < len(pattern) and pattern[at] in ("?", name[position]):
            at, position = at + 1, position + 1
        elif star is not None:
            at, position = star = (star[0], star[1] + 1)
        else:
            return False
    return not pattern[at:].strip("*")

"""Templates: layouts that a source declares, such as `/raw/{domain}/{dataset}/`.

Parts in braces are named; `{dataset}` ends the dataset's names. A part with a date format is never
a name, and parts behind `{dataset}` are partition columns. A template that ends in a slash speaks
of folders, and everything below belongs to the dataset; another one speaks of files.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from lumos_snap.documents.patterns import Match, wildcards
from lumos_snap.errors import LumosError
from lumos_snap.scan.grouping.dates import writing

DATASET = "dataset"

_HINT = "write it as in /raw/{domain}/{dataset}/ or /in/{dataset}_{day:yyyyMMdd}.csv"
_MOST_OPEN = 4
_PIECE = re.compile(r"\{([^{}]*)\}|([^{}]+)", re.DOTALL)
_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::(.+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a template: text, in which `*` means anything, or a named part."""

    text: str = ""
    name: str = ""
    format: str | None = None

    @property
    def pattern(self) -> str:
        """Its regular expression."""
        if not self.name:
            return "[^/]*".join(map(re.escape, self.text.split("*")))
        return f"(?P<p_{self.name}>{writing(self.format).pattern if self.format else '[^/]+'})"


@dataclass(frozen=True, slots=True)
class Template:
    """One layout, parsed; equal to any other of the same text."""

    text: str
    segments: tuple[tuple[Part, ...], ...] = field(compare=False)
    is_of_folders: bool = field(compare=False)
    regex: re.Pattern[str] = field(compare=False)

    @property
    def dataset_at(self) -> int:
        """Which segment has `{dataset}`."""
        names = [{part.name for part in segment} for segment in self.segments]
        return next(at for at, parts in enumerate(names) if DATASET in parts)

    def read(self, path: str) -> re.Match[str] | None:
        """The parts of a path, where it matches.

        Whether it does is asked in linear time: `re` may try to divide a name in very many ways.
        """
        return self.regex.fullmatch(path) if _linear(self.regex)(path) else None


@lru_cache(maxsize=256)
def _linear(regex: re.Pattern[str]) -> Match:
    return wildcards(regex.pattern, regex.pattern.count("[^/]"))


def parse_template(text: str) -> Template:
    """A template as it is written in the settings of a source."""
    whole = text.removeprefix("/")
    segments = _segments(text, whole.removesuffix("/"))
    _check(text, segments)
    patterns = [f"(?P<s{at}>{_pattern(segment)})" for at, segment in enumerate(segments)]
    end = "(?:/(?P<rest>.*))?" if whole.endswith("/") else ""
    regex = re.compile("/".join(patterns) + end, re.DOTALL)
    return Template(text, segments, whole.endswith("/"), regex)


def _segments(text: str, whole: str) -> tuple[tuple[Part, ...], ...]:
    segments: list[list[Part]] = [[]]
    at = 0
    for found in _PIECE.finditer(whole):
        if found.start() != at:
            break
        at = found.end()
        inside, outside = found.groups()
        if outside is None:
            segments[-1].append(_named(text, inside))
            continue
        first, *others = outside.split("/")
        segments[-1] += [Part(first)] if first else []
        segments += [[Part(other)] if other else [] for other in others]
    if at != len(whole):
        raise LumosError(f"template {text!r}: a brace has no partner", hint=_HINT)
    return tuple(tuple(segment) for segment in segments)


def _named(text: str, inside: str) -> Part:
    found = _NAMED.fullmatch(inside)
    if found is None:
        raise LumosError(f"template {text!r}: {{{inside}}} has no valid name", hint=_HINT)
    name, form = found.groups()
    if form is not None:
        try:
            writing(form)
        except LumosError as wrong:
            raise LumosError(f"template {text!r}: {wrong.message}", hint=wrong.hint) from wrong
    return Part(name=name, format=form)


def _check(text: str, segments: Sequence[Sequence[Part]]) -> None:
    parts = [part for segment in segments for part in segment]
    names = [part.name for part in parts if part.name]
    wrong = ""
    if DATASET not in names:
        wrong = "{dataset} is missing"
    elif len(set(names)) < len(names):
        wrong = "two parts have one name"
    elif any(part.name == DATASET and part.format for part in parts):
        wrong = "{dataset} is a name and has no date format"
    elif not all(segments):
        wrong = "nothing stands between two slashes"
    elif any(_open(segment) > _MOST_OPEN for segment in segments):
        wrong = f"the name of a file or folder has over {_MOST_OPEN} parts without a date format"
    elif any("**" in part.text for part in parts):
        wrong = "`**` is not known; `*` stands for one folder"
    if wrong:
        raise LumosError(f"template {text!r}: {wrong}", hint=_HINT)


def _open(segment: Sequence[Part]) -> int:
    """How many parts of a name may be of any length: each multiplies the ways to divide it."""
    named = sum(1 for part in segment if part.name and not part.format)
    return named + sum(part.text.count("*") for part in segment)


def _pattern(segment: Sequence[Part]) -> str:
    if len(segment) == 1 and segment[0].text == "*":
        return "[^/]+"
    return "".join(part.pattern for part in segment)

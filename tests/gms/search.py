"""What a search finds in the copies: filters, words and pages."""

import base64
import binascii
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.gms import urns
from tests.gms.refusals import Refusal, Why
from tests.gms.rows import Row

Json = Any
Aspects = Mapping[str, Row]
PATH = "\u241f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for; `clauses` are rules that all hold, and one clause is enough."""

    entities: frozenset[str] | None = None
    words: str = "*"
    clauses: Sequence[Sequence[Json]] = ()
    shows_removed: bool = False
    part: tuple[int, int] | None = None
    is_descending: bool = False

    def finds(self, urn: str, aspects: Aspects) -> bool:
        """Whether an entity is among what is looked for."""
        if self.entities is not None and urns.entity_of(urn) not in self.entities:
            return False
        if self.part and zlib.crc32(urn.encode()) % self.part[1] != self.part[0]:
            return False
        if not self.shows_removed and values_of("removed", urn, aspects) == ["true"]:
            return False
        if not _has_words(self.words, urn, aspects):
            return False
        clauses = self.clauses
        return not clauses or any(
            all(_holds(rule, urn, aspects) for rule in clause) for clause in clauses
        )


def found(entities: Mapping[str, Aspects], query: Query) -> list[str]:
    """The urns that a query finds, in order."""
    there = [urn for urn, aspects in entities.items() if query.finds(urn, aspects)]
    return there[::-1] if query.is_descending else there


def page(there: Sequence[str], scroll: str | None, count: int) -> tuple[Sequence[str], str | None]:
    """A page of urns, and the name of the next one, if there is one."""
    start = _start(there, scroll)
    shown = there[start : start + count]
    is_last = start + count >= len(there)
    return shown, None if is_last or not shown else _sealed(shown[-1])


def _start(there: Sequence[str], scroll: str | None) -> int:
    if not scroll:
        return 0
    try:
        last = base64.urlsafe_b64decode(scroll).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise Refusal(Why.INVALID, f"Invalid scroll id: {scroll}") from None
    is_descending = len(there) > 1 and there[0] > there[-1]
    after = ((one < last) if is_descending else (one > last) for one in there)
    return next((at for at, is_after in enumerate(after) if is_after), len(there))


def _sealed(urn: str) -> str:
    return base64.urlsafe_b64encode(urn.encode()).decode()


def _has_words(words: str, urn: str, aspects: Aspects) -> bool:
    if words in ("*", ""):
        return True
    text = " ".join((urn, *values_of("name", urn, aspects))).casefold()
    return all(word in text for word in words.casefold().replace("*", " ").split())


def _holds(rule: Json, urn: str, aspects: Aspects) -> bool:
    there = values_of(str(rule["field"]), urn, aspects)
    wanted = rule.get("values") or ([rule["value"]] if "value" in rule else [])
    condition = _CONDITIONS.get(rule.get("condition") or "EQUAL")
    if condition is None:
        raise Refusal(Why.INVALID, f"Unsupported condition {rule['condition']}")
    does = any(condition(one, str(want)) for one in there for want in wanted or [""])
    return does is not bool(rule.get("negated"))


_CONDITIONS: Mapping[str, Callable[[str, str], bool]] = {
    "EQUAL": lambda one, want: one == want,
    "IN": lambda one, want: one == want,
    "IEQUAL": lambda one, want: one.casefold() == want.casefold(),
    "CONTAIN": lambda one, want: want in one,
    "START_WITH": lambda one, want: one.startswith(want),
    "END_WITH": lambda one, want: one.endswith(want),
    "EXISTS": lambda _one, _want: True,
}


def values_of(field: str, urn: str, aspects: Aspects) -> list[str]:
    """What a searchable field of an entity holds; a field that nobody knows holds nothing."""
    name = field.removesuffix(".keyword")
    if name in ("urn", "_entityType"):
        return [urn if name == "urn" else urns.entity_of(urn)]
    if name in _FIELDS:
        aspect, pick = _FIELDS[name]
        there = list(pick(aspects[aspect].json())) if aspect in aspects else []
    elif name == "customProperties":
        there = list(_properties(aspects))
    else:
        there = []
    if there:
        return there
    key = urns.key(urn)
    return [key[name]] if name in key else []


def _properties(aspects: Aspects) -> Iterable[str]:
    for name, row in aspects.items():
        if name.endswith(("Properties", "Info")):
            custom = row.json().get("customProperties", {})
            yield from (f"{key}={value}" for key, value in custom.items())


def _one(name: str) -> Callable[[Json], Iterable[str]]:
    return lambda value: [value[name]] if name in value else []


_FIELDS: Mapping[str, tuple[str, Callable[[Json], Iterable[str]]]] = {
    "removed": ("status", lambda value: [str(value.get("removed", False)).lower()]),
    "platform": ("dataPlatformInstance", _one("platform")),
    "platformInstance": ("dataPlatformInstance", _one("instance")),
    "container": ("container", _one("container")),
    "name": ("datasetProperties", _one("name")),
    "description": ("datasetProperties", _one("description")),
    "lowercasedUrn": ("aliases", _one("lowercasedUrn")),
    "typeNames": ("subTypes", lambda value: value["typeNames"]),
    "domains": ("domains", lambda value: value["domains"]),
    "tags": ("globalTags", lambda value: [one["tag"] for one in value["tags"]]),
    "glossaryTerms": ("glossaryTerms", lambda value: [one["urn"] for one in value["terms"]]),
    "owners": ("ownership", lambda value: [one["owner"] for one in value["owners"]]),
    "browsePathV2": (
        "browsePathsV2",
        lambda value: [PATH.join(one["id"] for one in value.get("path", ()))],
    ),
}

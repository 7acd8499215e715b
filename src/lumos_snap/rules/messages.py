"""Messages of findings: what changed, in one line with both values."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from lumos_snap.diff import Action, Fact
from lumos_snap.engines import EngineAnswer, ReadOutcome
from lumos_snap.json_object import JsonObject
from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType
from lumos_snap.schema import value_of

LONGEST = 80
"""Longer texts are truncated: the file has them in full."""

_READS = {
    ReadOutcome.EXACT: "reads every value as it was",
    ReadOutcome.REFUSED: "refuses it",
    ReadOutcome.CHANGED: "reads other values and says nothing",
}


def message(template: str, fact: Fact) -> str:
    """Fill a rule's template from a fact."""
    return " ".join(template.format_map(_Words(fact)).split())


def outcome_words(answer: EngineAnswer) -> str:
    """An engine's answer for a pair of types, as text."""
    reader = f" ({answer.reader})" if answer.reader else ""
    shows = f": {answer.shows}" if answer.shows else ""
    return f"{answer.engine}{reader} {_READS[answer.outcome]}{shows}"


def value_words(held: Any) -> str:
    """Format a value for reading: types in notation, texts as they are, the rest as JSON."""
    if held is None:
        return "nothing"
    if isinstance(held, str):
        return _cut(held)
    if isinstance(held, Mapping):
        return _cut(_mapping_words(held))
    if _are_releases(held):
        return f"{len(held)} release{'' if len(held) == 1 else 's'}"
    if isinstance(held, list) and all(isinstance(one, str | Mapping) for one in held):
        return _cut(", ".join(map(value_words, held)))
    return _cut(_json(held))


def _are_releases(held: object) -> bool:
    """Whether it is a version history, which is summarized by its length."""
    return isinstance(held, list) and any(
        isinstance(one, Mapping) and "cloud_version" in one for one in held
    )


def _mapping_words(held: JsonObject) -> str:
    if "urn" in held and "platform" in held:
        return str(held["urn"])
    if isinstance(held.get("type"), str) and (
        "nullable" in held or "name" in held or _is_type(held)
    ):
        required = "" if held.get("nullable", True) else " NOT NULL"
        return type_words(held) + required
    if next(iter(held), None) == "field":  # a sort column
        return " ".join(map(str, held.values()))
    told = {name: one for name, one in held.items() if name not in ("path", "id")}
    return ", ".join(f"{name} {value_words(one)}" for name, one in told.items())


def _is_type(held: JsonObject) -> bool:
    return held["type"].isupper() and "urn" not in held


def type_words(held: JsonObject) -> str:
    """Format a type in notation; just its kind if it has no nested types."""
    return _type_words(_json(held))


@functools.lru_cache(maxsize=4096)
def _type_words(stored: str) -> str:
    """The same for a type as JSON, cached: a change often affects the same types many times."""
    held = orjson.loads(stored)
    try:
        return format_type(value_of(held, DataType))
    except (KeyError, TypeError, ValueError):
        length = f"({held['length']})" if "length" in held else ""
        return f"{held['type']}{length}"


def _json(held: object) -> str:
    return orjson.dumps(held).decode()


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


class _Words(dict[str, str]):
    """The template variables of a fact, computed on access."""

    def __init__(self, fact: Fact) -> None:
        super().__init__()
        self._fact = fact

    def __missing__(self, name: str) -> str:
        return WORDS[name](self._fact)


def _like(fact: Fact) -> str:
    if fact.like is None:
        return ""
    verb = "it may be" if fact.action is Action.REMOVED else "it may have been"
    return f" ({verb} {fact.like.path}: {fact.like.score}% alike)"


def _where(fact: Fact) -> str:
    return fact.path or (fact.item if fact.subject in _OF_ITEMS else "") or "the dataset"


_OF_ITEMS = ("lineage.upstream.description", "quality.checks.description")


def _within(fact: Fact) -> str:
    return f" of {fact.path}" if fact.path else ""


def _part(fact: Fact) -> str:
    """The noun for a fact's subject: its last name."""
    last = fact.subject.rpartition(".")[2]
    return _PARTS.get(fact.subject, last.replace("_", " "))


_PARTS = {
    "governance.tags": "tag",
    "governance.terms": "term",
    "governance.compliance": "regulation",
    "governance.fields.tags": "tag",
    "governance.fields.terms": "term",
    "storage.options": "option",
    "storage.features": "feature",
    "storage.file_format": "format of files",
    "documentation.links": "link",
    "field.description": "the source's description",
    "element.description": "the source's description",
    "value.description": "the source's description",
    "storage.description": "the source's description",
    "schema.description": "the source's description",
    "schema.inferred": "whether types are guessed",
    "schema.foreign_keys.to": "the target",
    "contract.deprecated": "the deprecation",
    "contract.fields.deprecated": "the deprecation",
    "contract.sunset": "the sunset",
    "contract.fields.sunset": "the sunset",
    "contract.renamed_from": "the former name",
    "contract.fields.renamed_from": "the former name",
    "contract.replaced_by": "the successor",
    "contract.fields": "the promise",
}


def _piece(fact: Fact) -> str:
    """The changed part of an item; empty for the item itself."""
    return "" if _is_item(fact) else f"{_part(fact)} of "


def _is_item(fact: Fact) -> bool:
    return bool(fact.at) and isinstance(fact.at[-1], tuple)


def _change(fact: Fact) -> str:
    """The values of a change, unless they are an item with a name."""
    if fact.action is Action.CHANGED:
        return f": {_side(fact, fact.old)} → {_side(fact, fact.new)}"
    held = fact.old if fact.new is None else fact.new
    return "" if isinstance(held, Mapping) and "name" in held else f": {value_words(held)}"


def _side(fact: Fact, held: object) -> str:
    """Format the value of one side; a missing flag is false."""
    return "false" if held is None and fact.subject.endswith(".inferred") else value_words(held)


WORDS: Mapping[str, Callable[[Fact], str]] = {
    "path": lambda fact: fact.path or "the dataset",
    "where": _where,
    "within": _within,
    "was": lambda fact: fact.was,
    "item": lambda fact: fact.item,
    "part": _part,
    "action": lambda fact: fact.action.value,
    "before": lambda fact: fact.before,
    "like": _like,
    "piece": _piece,
    "change": _change,
    "old": lambda fact: _side(fact, fact.old),
    "new": lambda fact: _side(fact, fact.new),
    "value": lambda fact: value_words(fact.old if fact.new is None else fact.new),
}

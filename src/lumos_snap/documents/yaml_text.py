"""Parsing of untrusted YAML: plain JSON-like values with positions, limited in size.

The loader is PyYAML's safe one with JSON's scalars: `no` and `2024-01-15` stay texts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from lumos_snap.documents.limits import DOCUMENT, MIB, MOST_LEVELS, TooLarge
from lumos_snap.documents.position import DocumentRefusedError, Pointer, Position, Problem

UNREADABLE = "unreadable"

_SPLIT = "split the document"
_TAG = "tag:yaml.org,2002:"
_RESOLVERS = (
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
)
_BASE: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BASE):  # type: ignore[misc] # PyYAML decides at run time which loader is there
    """The safe loader with the scalars of YAML 1.2's core schema."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own protocol


for _name, _pattern, _first in _RESOLVERS:
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(f"^(?:{_pattern})$"), list(_first))
_Loader.yaml_implicit_resolvers.setdefault("", []).append((_TAG + "null", re.compile("^$")))


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A parsed text: its value, and the position of each part."""

    value: Any
    places: dict[Pointer, Position] = field(default_factory=dict)

    def place(self, pointer: Pointer) -> Position:
        """The position of a value; if missing, of its nearest existing container."""
        for end in range(len(pointer), -1, -1):
            if pointer[:end] in self.places:
                return self.places[pointer[:end]]
        return Position()


def parse(raw: bytes) -> YamlDocument:
    """Parse YAML; raises `DocumentRefusedError` with the position of the problem.

    Integers become `int`; other numbers stay texts.
    """
    if isinstance(raw, TooLarge) or len(raw) > DOCUMENT.bytes:
        raise _refuse(f"is larger than {DOCUMENT.bytes // MIB} MiB", Position(), _SPLIT)
    try:
        _require_bounded(raw)
        node = yaml.compose(raw, Loader=_Loader)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        place = Position(mark.line + 1, mark.column + 1) if mark else Position()
        raise _refuse(f"is not valid YAML: {exc.problem or exc.context}", place) from exc
    except (yaml.YAMLError, UnicodeDecodeError) as exc:
        raise _refuse(f"is not valid YAML: {' '.join(str(exc).split())}", Position()) from exc
    places: dict[Pointer, Position] = {}
    value = None if node is None else _value(node, (), places)
    return YamlDocument(value, places)


def _require_bounded(raw: bytes) -> None:
    """Reject texts that are too deep or too large to compose: libyaml composes by recursion in C.

    Its parser keeps only the current event, so counting events is safe.
    """
    level = 0
    for count, event in enumerate(yaml.parse(raw, Loader=_Loader)):
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
        if level > MOST_LEVELS:
            raise _too_deep(_start(event))
        if count > DOCUMENT.values:
            raise _too_many(_start(event))


def _start(one: Any) -> Position:
    return Position(one.start_mark.line + 1, one.start_mark.column + 1)


def _too_deep(place: Position) -> DocumentRefusedError:
    return _refuse(f"is nested over {MOST_LEVELS} levels deep", place, "reduce the nesting")


def _too_many(place: Position) -> DocumentRefusedError:
    return _refuse(f"holds more than {DOCUMENT.values:,} values", place, _SPLIT)


def _refuse(message: str, place: Position, hint: str = "") -> DocumentRefusedError:
    return DocumentRefusedError(Problem(place, UNREADABLE, message, hint))


def _value(node: Any, pointer: Pointer, places: dict[Pointer, Position]) -> Any:
    place = _start(node)
    places.setdefault(pointer, place)
    if len(pointer) > MOST_LEVELS:  # aliases repeat their content: few events, many values
        raise _too_deep(place)
    if len(places) > DOCUMENT.values:
        raise _too_many(place)
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, place)
    if node.tag not in (_TAG + "seq", _TAG + "map"):
        raise _refuse_tag(node.tag, place)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*pointer, n), places) for n, item in enumerate(node.value)]
    return dict(_pairs(node, pointer, places))


def _pairs(
    node: Any, pointer: Pointer, places: dict[Pointer, Position]
) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for key, held in node.value:
        place = _start(key)
        if not isinstance(key, yaml.ScalarNode):
            raise _refuse("has a key that is not a word", place)
        if key.value in seen:
            raise _refuse(f"has the key `{key.value}` twice", place)
        seen.add(key.value)
        places[(*pointer, key.value)] = place
        yield key.value, _value(held, (*pointer, key.value), places)


def _scalar(node: Any, place: Position) -> Any:
    kind, text = node.tag.removeprefix(_TAG), node.value
    if kind in {"str", "float"}:
        return text
    if kind == "int":
        return int(text) if len(text) < 400 else text  # noqa: PLR2004 - beyond it int() is slow
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    raise _refuse_tag(node.tag, place)


def _refuse_tag(tag: str, place: Position) -> DocumentRefusedError:
    return _refuse(f"has the tag {tag}, which is not supported", place)

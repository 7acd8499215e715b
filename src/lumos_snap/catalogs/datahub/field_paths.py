"""Field paths: our notation, and DataHub's versions 1 and 2.

Version 1 is `a.b.c`. It has no sign for elements, keys, values and branches, so our notation is
used for them. Version 2 includes types: `[version=2.0].[type=struct].[type=array].[type=struct].a`.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path, parse_path
from lumos_snap.model.types import Kind

Column = JsonObject

VERSION_2 = "[version=2.0]"
KEY = "[key=True]"
ROOT = f"{VERSION_2}.[type=struct]"
ROOT_OF_KEY = f"{VERSION_2}.{KEY}.[type=struct]"
_AVRO: Mapping[str, str] = {
    Kind.INT32: "int", Kind.INT64: "long", Kind.FLOAT32: "float", Kind.FLOAT64: "double",
    Kind.BINARY: "bytes",
}  # fmt: skip
_KINDS = {name: str(kind) for kind, name in _AVRO.items()} | {
    kind.value.lower(): kind.value for kind in Kind
}
_TOKEN = re.compile(r"\[(?P<key>version|key|type)=(?P<word>[^\]]*)\]|`(?:[^`]|``)*`(?:#\d+)?|[^.]+")
_NESTING = frozenset({"ARRAY", "MAP", "STRUCT", "UNION"})
_MAP_KEY = "map key"
_TO_STEP = {
    "array": Part(Step.ELEMENT), "map": Part(Step.VALUE), _MAP_KEY: Part(Step.KEY),
}  # fmt: skip


@functools.lru_cache(maxsize=65536)
def to_v1(path: FieldPath) -> str:
    """Format a path in version 1: bare names if they parse back, our own notation otherwise."""
    if all(part.step is Step.MEMBER and part.number == 1 for part in path):
        bare = ".".join(part.name for part in path)
        if of_v1(bare) == path:
            return bare
    return format_path(path)


def of_v1(text: str) -> FieldPath:
    """Parse a path of version 1; every text is valid."""
    try:
        return parse_path(text)
    except ValueError:
        pass
    names = text.split(".")
    if not all(names) or text.startswith("["):
        names = [text]
    return tuple(Part(Step.MEMBER, name) for name in names)


@functools.lru_cache(maxsize=65536)
def read(text: str) -> FieldPath:
    """Parse a path of either version."""
    return of_v2(text) if is_v2(text) else of_v1(text)


def members(
    columns: Sequence[Column], written: str = ROOT, at: FieldPath = ()
) -> Iterator[tuple[FieldPath, str, Column]]:
    """Every column and member with its path, in our notation and in version 2, parents first."""
    seen: Counter[str] = Counter()
    for one in columns:
        seen[one["name"]] += 1
        yield from of_column(one, seen[one["name"]], written, at)


def of_column(
    one: Column, number: int, written: str = ROOT, at: FieldPath = ()
) -> Iterator[tuple[FieldPath, str, Column]]:
    """A column and its members; `number` counts columns of the same name."""
    part = Part(Step.MEMBER, one["name"], number)
    path = (*at, part)
    name = _token(part)
    yield path, f"{written}{_types(one)}.{name}", one
    if one["type"] in _NESTING:
        for steps, types, nested in _inside(one):
            yield from members(nested, f"{written}{types}.{name}", (*path, *steps))


@functools.lru_cache(maxsize=65536)
def _token(part: Part) -> str:
    return format_path((part,))


def _types(one: Column) -> str:
    """The types of a column, down to the first that is no list and no map."""
    found = f".[type={_word(one)}]"
    inner = one.get("element") or one.get("value")
    return found + _types(inner) if inner else found


def _inside(one: Column) -> Iterator[tuple[FieldPath, str, Sequence[Column]]]:
    """The lists of members below a column, with the steps and the types that lead to each."""
    here = f".[type={_word(one)}]"
    if one.get("fields"):
        yield (), here, one["fields"]
    for name, step in (("element", Step.ELEMENT), ("key", Step.KEY), ("value", Step.VALUE)):
        if name in one:
            sign = f".{KEY}" if step is Step.KEY else ""
            for steps, types, nested in _inside(one[name]):
                yield (Part(step), *steps), here + sign + types, nested
    seen: Counter[str] = Counter()
    for branch in one.get("branches", ()):
        label = branch.get("name") or branch["type"]
        seen[label] += 1
        for steps, types, nested in _inside(branch):
            part = Part(Step.BRANCH, label, seen[label])
            word = format_path((Part(Step.MEMBER, label, seen[label]),)).replace("]", "%5D")
            yield (part, *steps), f"{here}.[type={word}]{types}", nested


def _word(one: Column) -> str:
    kind: str = one["type"]
    return _AVRO.get(kind) or kind.lower()


def of_v2(text: str) -> FieldPath:
    """Parse a path of version 2, of any author."""
    parts: list[Part] = []
    waiting: list[str] = []  # the types of the previous name, which lead to its members
    types: list[str] = []
    for match in _TOKEN.finditer(text):
        if match["key"] == "type":
            types.append(match["word"])
        elif match["key"] == "key" and types[-1:] == ["map"]:
            types[-1] = _MAP_KEY
        elif match["key"] is None:
            parts += _steps(waiting) if parts else ()
            parts.append(_parse_member(match.group()))
            waiting, types = types, []
    return tuple(parts) or (Part(Step.MEMBER, text),)


def _steps(types: Sequence[str]) -> Iterator[Part]:
    """The steps from a column of these types to its members."""
    words = iter(types)
    for word in words:
        if word in _TO_STEP:
            yield _TO_STEP[word]
        elif word == "union" and (label := next(words, "")):
            yield Part(Step.BRANCH, _KINDS.get(label, label))


def _parse_member(token: str) -> Part:
    try:
        (part,) = parse_path(token)
    except ValueError:
        return Part(Step.MEMBER, token)
    return part if part.step is Step.MEMBER else Part(Step.MEMBER, token)


def is_key(text: str) -> bool:
    """Whether a path names a column of a message's key."""
    return text.startswith(f"{VERSION_2}.{KEY}")


def is_v2(text: str) -> bool:
    """Whether a path is written in version 2."""
    return text.startswith(VERSION_2)

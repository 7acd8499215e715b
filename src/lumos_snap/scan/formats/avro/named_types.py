"""Named types of an Avro schema, and which of them must be shared definitions.

Recursive types have no end. Others may occur so often that copies in place would take too much
space, as in ten records that each contain the next one ten times.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject

Stored = JsonObject
Graph = Mapping[str, list[str]]

PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
RECORDS = frozenset(("record", "error"))
NAMED = RECORDS | {"enum", "fixed"}

MOST_TEXT = 4_000_000
"""Maximum size of a schema with copies of named types: beyond it, they are shared definitions."""

_ROOT = ""
_HOLD_TYPES = frozenset(("type", "fields", "items", "values"))


class NamedType(NamedTuple):
    """A named type, and the namespace of the names inside it."""

    stored: Stored
    namespace: str


class NamedTypes(NamedTuple):
    """The named types of a schema; those in `shared` are defined once and referred to."""

    known: Mapping[str, NamedType]
    shared: frozenset[str]


def full_name(stored: Stored, namespace: str) -> str:
    """Return the full name of a definition, with its own or the enclosing namespace."""
    name: str = stored["name"]
    if "." in name:
        return name.removeprefix(".") or name
    own = stored.get("namespace")
    space = own if isinstance(own, str) else namespace
    return f"{space}.{name}" if space else name


def resolve_name(name: str, namespace: str, known: Mapping[str, NamedType]) -> str:
    """Resolve a reference to a full name."""
    near = f"{namespace}.{name}" if namespace and "." not in name else name
    return near if near in known or name not in known else name


def survey_types(schema: object) -> NamedTypes:
    """Find all named types of a schema."""
    survey = _Survey(schema)
    graph = {
        owner: [
            name
            for written, space in held
            if (name := resolve_name(written, space, survey.known)) in survey.known
        ]
        for owner, held in survey.held.items()
    }
    recursive = _find_recursive(graph)
    if _text_size(graph, recursive, survey.sizes) <= MOST_TEXT:
        return NamedTypes(survey.known, recursive)
    uses = Counter(name for held in graph.values() for name in held)
    return NamedTypes(survey.known, recursive | {name for name, times in uses.items() if times > 1})


class _Survey:
    """A traversal of a schema: definitions, the references in each, and their sizes."""

    def __init__(self, schema: Any) -> None:
        self.known: dict[str, NamedType] = {}
        self.held: dict[str, list[tuple[str, str]]] = {_ROOT: []}
        self.sizes: Counter[str] = Counter()
        left = [(schema, "", _ROOT)]
        while left:
            one, space, owner = left.pop()
            self.sizes[owner] += 1
            inside = self._inside(one, space, owner)
            left += reversed(list(inside))  # in text order: the first definition wins

    def _inside(self, one: Any, space: str, owner: str) -> Iterator[tuple[Any, str, str]]:
        if isinstance(one, str):
            if one not in PRIMITIVES:
                self.held[owner].append((one, space))
            return
        if isinstance(one, list):
            yield from ((branch, space, owner) for branch in one)
            return
        if _is_definition(one):
            name = full_name(one, space)
            self.held[owner].append((name, ""))
            if name in self.known:
                return
            space, owner = name.rpartition(".")[0], name
            self.known[name] = NamedType(one, space)
            self.held[name] = []
        self.sizes[owner] += _length(one)
        for held in _types_in(one):
            yield held, space, owner
        if _is_definition(one) and one["type"] in RECORDS:
            self.sizes[owner] += sum(map(_length, one["fields"]))


def _is_definition(one: Stored) -> bool:
    return isinstance(one["type"], str) and one["type"] in NAMED


def _types_in(one: Stored) -> Iterable[object]:
    kind = one["type"]
    if not isinstance(kind, str):
        return [kind]
    if kind in RECORDS:
        return [field["type"] for field in one["fields"]]
    if kind in {"array", "map"}:
        return [one["items" if kind == "array" else "values"]]
    return [] if kind in NAMED else [kind]


def _length(one: Stored) -> int:
    return sum(len(key) + len(str(held)) for key, held in one.items() if key not in _HOLD_TYPES)


def _find_recursive(graph: Graph) -> frozenset[str]:
    """Find the types on cycles, and those between two cycles."""
    ahead = set(graph) - set(_leaves_first(graph))
    left = {name: [one for one in graph[name] if one in ahead] for name in ahead}
    back: dict[str, list[str]] = {name: [] for name in left}
    for name, held in left.items():
        for one in held:
            back[one].append(name)
    return frozenset(ahead.difference(_leaves_first(back)))


def _leaves_first(graph: Graph) -> list[str]:
    """Sort topologically, leaves first; types on cycles are left out."""
    waiting = {name: len(held) for name, held in graph.items()}
    holders: dict[str, list[str]] = defaultdict(list)
    for name, held in graph.items():
        for one in held:
            holders[one].append(name)
    found = [name for name, number in waiting.items() if not number]
    for name in found:  # grows during the iteration
        for holder in holders[name]:
            waiting[holder] -= 1
            if not waiting[holder]:
                found.append(holder)
    return found


def _text_size(graph: Graph, recursive: frozenset[str], sizes: Mapping[str, int]) -> int:
    """Estimate the size of a schema with copies of all types that are not recursive."""
    written = {name: [one for one in held if one not in recursive] for name, held in graph.items()}
    text: dict[str, int] = {}
    for name in _leaves_first(written):
        whole = sizes[name] + sum(text[one] for one in written[name])
        text[name] = min(whole, MOST_TEXT + 1)
    return text[_ROOT] + sum(text[name] for name in recursive)

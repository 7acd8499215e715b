"""What parquet-avro says beside a Parquet schema: descriptions, and the symbols of enumerations."""

import json
from collections.abc import Mapping
from typing import Any

from lumos_snap.scan.probe.parquet_tree import Budget, Tree, UnreadableError, members, node, text

MOST_SYMBOLS = 10_000
_NAMED = ("record", "error", "enum", "fixed")


def tree(words: bytes) -> Tree:
    """An Avro schema, reduced to what adds to a Parquet schema."""
    return _Schema().type(json.loads(words), None, 0)


class _Schema:
    """One schema: a type that has a name may be meant again by the name alone."""

    def __init__(self) -> None:
        self.budget = Budget()
        self.named: dict[str, Mapping[str, Any]] = {}

    def type(self, given: Any, about: object, level: int) -> Tree:
        self.budget.spend(level)
        if isinstance(given, list):
            real = [one for one in given if one != "null"]
            # Several alternatives become a group of members that no name of Avro's leads to.
            return self.type(real[0], about, level + 1) if len(real) == 1 else node(about)
        if isinstance(given, str):
            known = self.named.get(given)
            return node(about) if known is None else self.type(known, about, level + 1)
        if not isinstance(given, dict):
            raise UnreadableError
        return self._complex(given, about, level)

    def _complex(self, given: dict[str, Any], about: object, level: int) -> Tree:
        kind = given.get("type")
        if kind in _NAMED:
            self._name(given)
        if kind in ("record", "error"):
            return node(about, "", self._fields(given.get("fields"), level))
        if kind == "array":
            return node(about, "", {"element": self.type(given.get("items"), None, level + 1)})
        if kind == "map":
            return node(about, "", {"value": self.type(given.get("values"), None, level + 1)})
        if kind == "enum":
            return {**node(about), "symbols": _symbols(given.get("symbols"))}
        return self.type(kind, about, level + 1) if isinstance(kind, dict | list) else node(about)

    def _name(self, given: dict[str, Any]) -> None:
        name, space = str(given.get("name")), given.get("namespace")
        self.named[name] = given
        self.named[name.rpartition(".")[2]] = given
        if isinstance(space, str) and space:
            self.named[f"{space}.{name}"] = given

    def _fields(self, fields: object, level: int) -> dict[str, Tree]:
        if not isinstance(fields, list) or not all(isinstance(one, dict) for one in fields):
            raise UnreadableError
        listed = [
            (str(one.get("name")), self.type(one.get("type"), one.get("doc"), level + 1))
            for one in fields
        ]
        return members(listed)


def _symbols(given: object) -> list[str]:
    if not isinstance(given, list) or len(given) > MOST_SYMBOLS:
        raise UnreadableError
    return [text(one) for one in given if isinstance(one, str)]

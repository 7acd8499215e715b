"""What Spark and Iceberg say beside a Parquet schema, each in a JSON schema of its own."""

import json
import re
from collections.abc import Mapping
from typing import Any

from lumos_snap.scan.probe.parquet_tree import (
    Budget,
    Tree,
    UnreadableError,
    an_object,
    members,
    node,
    objects,
    text,
)

_TYPES = re.compile(r"interval .*|timestamp|variant", re.DOTALL)
_TEXTS = re.compile(r"(var)?char\(\d{1,9}\)")


def tree(words: bytes) -> Tree:
    """Spark's schema, reduced to what adds to a Parquet schema."""
    return _type(an_object(json.loads(words)), None, Budget(), 0)


def _type(given: Any, about: object, budget: Budget, level: int) -> Tree:
    budget.spend(level)
    if isinstance(given, str):
        return node(about, given if _TYPES.fullmatch(given) else "")
    match an_object(given):
        case {"type": "struct", "fields": fields}:
            listed = [(str(f.get("name")), _field(f, budget, level)) for f in objects(fields)]
            return node(about, "", members(listed))
        case {"type": "array", "elementType": element}:
            return node(about, "", {"element": _type(element, None, budget, level + 1)})
        case {"type": "map", "keyType": key, "valueType": held}:
            inside = {"key": key, "value": held}
            found = {n: _type(one, None, budget, level + 1) for n, one in inside.items()}
            return node(about, "", found)
        case {"type": "udt", "sqlType": stored} as udt:
            inner = _type(stored, about, budget, level + 1)
            known = udt.get("class") or udt.get("pyClass")
            return {**inner, "type": text(f"udt {known}")} if known else inner
        case _:
            raise UnreadableError


def _field(field: Mapping[str, Any], budget: Budget, level: int) -> Tree:
    metadata = an_object(field.get("metadata") or {})
    found = _type(field.get("type"), metadata.get("comment"), budget, level + 1)
    bounded = metadata.get("__CHAR_VARCHAR_TYPE_STRING")
    if isinstance(bounded, str) and _TEXTS.fullmatch(bounded):
        found["type"] = bounded
    collations = metadata.get("__COLLATIONS")
    collation = collations.get(field.get("name")) if isinstance(collations, dict) else None
    if isinstance(collation, str) and collation:
        found["collation"] = text(collation)
    return found


def iceberg_tree(words: bytes) -> Tree:
    """Iceberg's schema, reduced to its descriptions: the rest stands in the Parquet schema."""
    return _iceberg(an_object(json.loads(words)), None, Budget(), 0)


def _iceberg(given: Any, about: object, budget: Budget, level: int) -> Tree:
    budget.spend(level)
    if isinstance(given, str):
        return node(about)
    match an_object(given):
        case {"type": "struct", "fields": fields}:
            listed = [
                (str(f.get("name")), _iceberg(f.get("type"), f.get("doc"), budget, level + 1))
                for f in objects(fields)
            ]
            return node(about, "", members(listed))
        case {"type": "list", "element": element}:
            return node(about, "", {"element": _iceberg(element, None, budget, level + 1)})
        case {"type": "map", "key": key, "value": held}:
            inside = {"key": key, "value": held}
            found = {n: _iceberg(one, None, budget, level + 1) for n, one in inside.items()}
            return node(about, "", found)
        case _:
            raise UnreadableError

"""The columns of an older dataset: what machines said of them apart from what people said.

An older document does not tell a source's own description from a person's. It is taken for a
person's: the next scan rewrites `schema`, and would lose it there.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import LiteralString

from lumos_snap.canonical.migrations.leftovers import Left
from lumos_snap.canonical.migrations.result import Document, Say
from lumos_snap.canonical.migrations.types import MAX_LEVELS, portable, unknown
from lumos_snap.canonical.migrations.values import filled, flag, natural, string, text, words

NULLABLE = "nullability is not said: taken as nullable"
UNTYPED = "no type is said: recorded as unknown"
INSIDE = "nullability inside the type is not said: taken as nullable"

_BESIDE = {
    **dict.fromkeys(("decimal", "numeric"), ("precision", "scale")),
    **dict.fromkeys(("char", "varchar", "fixed"), ("length",)),
}
_PLAIN = re.compile(r"[^\s.`\[\]{}<>#\"'\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns while they are read: what people say of them is gathered on the way."""

    platform: str
    say: Say
    documentation: list[Document] = field(default_factory=list)
    governance: list[Document] = field(default_factory=list)

    def read(self, items: tuple[Left, ...], at: str = "", level: int = 1) -> list[Document]:
        """The fields that some items stand for; what stands for none stays where it is."""
        seen: Counter[str] = Counter()
        found = []
        for item in items:
            name = item.take("name", as_=string)
            if name is None:
                continue
            seen[name] += 1
            item.label = _part(name, seen[name])
            path = f"{at}.{item.label}" if at else item.label
            found.append({"name": name, **self._type(item, path, level)})
            self._words(item, path)
        return found

    def _type(self, item: Left, path: str, level: int) -> Document:
        written = item.take("type", as_=text)
        members = item.at("fields").items() if level < MAX_LEVELS else ()
        if written is not None:
            spelled = _spelled(item, written)
            found = portable(spelled, platform=self.platform, level=level)
        else:
            found = {"type": "STRUCT"} if members else unknown("unknown")
            self._assume(path, "type", UNTYPED)
        if found["type"] == "STRUCT" and not found.get("fields"):
            found["fields"] = self.read(members, path, level + 1)
        elif found["type"] in ("ARRAY", "MAP", "STRUCT"):
            self._assume(path, "type", INSIDE)
        native = found.get("native") or item.take("native_type", as_=text)
        default = item.take("default", as_=text)
        own = {"native": native, "nullable": self._nullable(item, path), "default": default}
        return filled({**found, **own})

    def _nullable(self, item: Left, path: str) -> bool:
        said = item.take("nullable", as_=flag)
        if said is None:
            self._assume(path, "nullable", NULLABLE)
        return said is not False

    def _assume(self, path: str, key: str, message: LiteralString) -> None:
        place = f"schema.fields: {path}: {key}"
        self.say(place, place, message)

    def _words(self, item: Left, path: str) -> None:
        described = filled({"description": item.take("description", as_=text)})
        treated = filled(
            {
                "pii": item.take("pii", as_=flag),
                "classification": item.take("classification", as_=text),
                "tags": words(item.at("tags")),
                "terms": words(item.at("terms"), item.at("glossary_terms")),
            }
        )
        if described:
            self.documentation.append({"path": path, **described})
        if treated:
            self.governance.append({"path": path, **treated})


def _spelled(item: Left, written: str) -> str:
    """A type with the numbers that stand beside it, in one text."""
    keys = _BESIDE.get(written.lower(), ())
    numbers = [natural(item.at(key).value) for key in keys]
    if not keys or None in numbers:
        return written
    return f"{written}({','.join(str(item.take(key, as_=natural)) for key in keys)})"


def _part(name: str, number: int) -> str:
    """One step of a field path."""
    plain = name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"
    return plain if number == 1 else f"{plain}#{number}"

"""Edges between older datasets. Today each stands with the dataset that it leads to."""

from collections.abc import Iterator

from lumos_snap.canonical.migrations.leftovers import Left
from lumos_snap.canonical.migrations.result import Document
from lumos_snap.canonical.migrations.urns import named
from lumos_snap.canonical.migrations.values import amount, filled, text

_EDGE_TYPES = frozenset({"TRANSFORMED", "COPIED", "VIEW"})


def upstream(left: Left, urn: str, environment: str | None) -> list[Document]:
    """The datasets that this one is made from, each once."""
    found: dict[str, Document] = {}
    for item in left.at("lineage", "upstream").items():
        other = _other(item)
        if other is None or other == urn or other in found:
            continue
        _take_urn(item, environment)
        item.label = other
        found[other] = filled(
            {
                "urn": other,
                "type": item.take("type", as_=_edge_type),
                "via": item.take("via", as_=text),
                "confidence": item.take("confidence", as_=amount),
                "description": item.take("description", as_=text),
            }
        )
    return list(found.values())


def downstream(
    left: Left, urn: str, environment: str | None, known: frozenset[str]
) -> Iterator[str]:
    """The datasets of the same document that are made from this one; others stay named here."""
    seen = set()
    for item in left.at("lineage", "downstream").items():
        other = _other(item)
        if other is None or other == urn or other not in known or other in seen:
            continue
        _take_urn(item, environment)
        item.label = other
        seen.add(other)
        yield other


def _other(item: Left) -> str | None:
    other = named(item.at("urn").value if item.is_object else item.value)
    return other.urn if other else None


def _take_urn(item: Left, environment: str | None) -> None:
    """Take a urn, unless it holds more than today's does."""

    def exact(value: object) -> str | None:
        other = named(value)
        if other is None or not other.is_exact:
            return None
        return other.urn if other.environment in (None, environment) else None

    item.take(*(("urn",) if item.is_object else ()), as_=exact)


def _edge_type(value: object) -> str | None:
    said = value.upper() if isinstance(value, str) else None
    return said if said in _EDGE_TYPES else None

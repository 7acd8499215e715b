"""Upgrade the users, groups, terms, domains and jobs of an older document."""

from collections.abc import Callable, Iterator, Mapping

from lumos_snap.canonical.migrations.leftovers import Leftover, format_path, nest_values, words
from lumos_snap.canonical.migrations.result import (
    FORMAT,
    IMPORTED,
    KEPT,
    Document,
    MigrationNote,
    MigrationProblem,
    Pointer,
)
from lumos_snap.canonical.migrations.urns import parse_legacy_urn
from lumos_snap.canonical.migrations.values import drop_empty, flag, reference, text

NAMELESS = "has no id and no name"
TWICE = "is listed before under the same id"

_Read = Callable[[Leftover], Document]


def entities(
    document: Leftover, at: Pointer
) -> tuple[
    dict[str, tuple[Document, ...]], tuple[MigrationNote, ...], tuple[MigrationProblem, ...]
]:
    """The entities of a document, by kind."""
    found: dict[str, tuple[Document, ...]] = {}
    notes: list[MigrationNote] = []
    problems: list[MigrationProblem] = []
    for kind, read in _KINDS.items():
        listed = document.take(kind, as_=lambda value: value if isinstance(value, list) else None)
        known: dict[str, Document] = {}
        for index, item in enumerate(listed or ()):
            left = Leftover(item)
            identity = _identity(left)
            if identity is None or identity in known:
                problem = NAMELESS if identity is None else TWICE
                problems.append(MigrationProblem((*at, kind, index), problem))
                continue
            own = {"lumos_version": FORMAT, "id": identity, **read(left)}
            notes += [MigrationNote(f"{kind}/{identity}", *where, KEPT) for where in _places(left)]
            kept = nest_values((piece.target, piece.value) for piece in left.kept())
            known[identity] = drop_empty({**own, "properties": drop_empty({IMPORTED: kept})})
        found[kind] = tuple(known[identity] for identity in sorted(known))
    return found, tuple(notes), tuple(problems)


def _places(left: Leftover) -> Iterator[tuple[str, str]]:
    for piece in left.kept():
        yield format_path(piece.source), format_path(("properties", IMPORTED, *piece.target))


def _identity(item: Leftover) -> str | None:
    if not item.is_object:
        return item.take(as_=reference)
    keys = ("id", "urn", "username", "term", "name")
    for key in keys:
        found = item.take(key, as_=reference)
        if found is not None:
            return found
    return None


def _take_description(item: Leftover) -> Document:
    return {
        "name": item.take("name", as_=text) or item.take("display_name", as_=text),
        "description": item.take("description", as_=text) or item.take("definition", as_=text),
    }


def _user(item: Leftover) -> Document:
    return {
        **_take_description(item),
        "email": item.take("email", as_=text),
        "title": item.take("title", as_=text),
        "active": item.take("active", as_=flag),
        "groups": words(item.at("groups")),
    }


def _group(item: Leftover) -> Document:
    email = item.take("email", as_=text)
    return {**_take_description(item), "email": email, "members": words(item.at("members"))}


def _term(item: Leftover) -> Document:
    return {
        **_take_description(item),
        "parent": item.take("parent", as_=reference),
        "domain": item.take("domain", as_=reference),
        "source": item.take("source", as_=text),
        "related": words(item.at("related")),
    }


def _domain(item: Leftover) -> Document:
    return {**_take_description(item), "parent": item.take("parent", as_=reference)}


def _job(item: Leftover) -> Document:
    texts = {key: item.take(key, as_=text) for key in ("platform", "type", "schedule", "code")}
    ends = {key: _datasets(item.at(key)) for key in ("inputs", "outputs")}
    return {**_take_description(item), **texts, **ends}


def _datasets(node: Leftover) -> list[str]:
    found = set()
    for item in node.items():
        other = parse_legacy_urn(item.value)
        if other is not None and other.is_exact and other.environment is None:
            item.take(as_=text)
            found.add(other.urn)
    return sorted(found)


_KINDS: Mapping[str, _Read] = {
    "users": _user,
    "groups": _group,
    "glossary": _term,
    "domains": _domain,
    "jobs": _job,
}

"""Upgrade the ownership, governance, documentation, lineage and measurements of older datasets.

Users, groups, terms, domains and jobs have a document of their own.
"""

from collections.abc import Callable, Iterator, Mapping

from lumos_snap.canonical.migrations.result import (
    FORMAT,
    IMPORTED,
    KEPT,
    Document,
    MigrationNote,
    MigrationProblem,
    Pointer,
)
from lumos_snap.canonical.migrations.values import (
    Leftover,
    amount,
    drop_empty,
    flag,
    format_path,
    moment,
    natural,
    nest_values,
    parse_legacy_urn,
    reference,
    text,
    words,
)

_USER, _GROUP = "urn:li:corpuser:", "urn:li:corpGroup:"


def ownership(left: Leftover) -> Document:
    """The owners, each once."""
    found: dict[tuple[object, ...], Document] = {}
    for item in left.at("ownership", "owners").items():
        kind, who = _who(item)
        identity = (kind, who, text(item.at("type").value))
        if who is None or identity in found:
            continue
        _take_owner(item, kind)
        more = {"type": item.take("type", as_=text), "description": _take_description(item)}
        found[identity] = drop_empty({kind: who, **more})
    return drop_empty({"owners": list(found.values())})


def _who(item: Leftover) -> tuple[str, str | None]:
    """Whether an owner is a user or a group, and its id."""
    for kind in ("user", "group"):
        if (who := reference(item.at(kind).value)) is not None:
            return kind, who
    urn = text(item.at("urn").value if item.is_object else item.value) or ""
    for kind, prefix in (("user", _USER), ("group", _GROUP)):
        if urn.startswith(prefix) and urn != prefix:
            return kind, urn.removeprefix(prefix)
    return "user", None


def _take_owner(item: Leftover, kind: str) -> None:
    if not item.is_object:
        item.take(as_=text)
    elif item.take(kind, as_=reference) is None:
        item.take("urn", as_=text)


def _take_description(item: Leftover) -> str | None:
    return item.take("description", as_=text)


def governance(left: Leftover, fields: list[Document]) -> Document:
    """Tags, terms and rules, from all places of the older shape."""
    inner = left.at("governance")
    texts = ("classification", "license", "retention", "access")
    return drop_empty(
        {
            "domain": inner.take("domain", as_=reference) or left.take("domain", as_=reference),
            **{key: inner.take(key, as_=text) for key in texts},
            "pii": inner.take("pii", as_=flag),
            "tags": words(left.at("tags"), inner.at("tags")),
            "terms": words(
                left.at("glossary_terms"), inner.at("glossary_terms"), inner.at("terms")
            ),
            "compliance": words(left.at("compliance"), inner.at("compliance")),
            "fields": fields,
        }
    )


def documentation(left: Leftover, name: str, fields: list[Document]) -> Document:
    """The documentation; a name that differs from the urn becomes the title."""
    inner = left.at("documentation")
    left.take("name", as_=lambda said: said if said == name else None)
    return drop_empty(
        {
            "title": inner.take("title", as_=text) or left.take("name", as_=text),
            "description": inner.take("description", as_=text)
            or left.take("properties", "description", as_=text)
            or left.take("description", as_=text),
            "business_context": inner.take("business_context", as_=text)
            or left.take("business_context", as_=text),
            "links": _links(inner.at("links")),
            "fields": fields,
        }
    )


def _links(node: Leftover) -> list[Document]:
    found: dict[str, Document] = {}
    for item in node.items():
        url = text(item.at("url").value if item.is_object else item.value)
        if url is None or url in found:
            continue
        item.take(*(("url",) if item.is_object else ()), as_=text)
        found[url] = drop_empty({"url": url, "label": item.take("label", as_=text)})
    return list(found.values())


_EDGE_TYPES = frozenset({"TRANSFORMED", "COPIED", "VIEW"})


def upstream(left: Leftover, urn: str, environment: str | None) -> list[Document]:
    """The upstream datasets, each once."""
    found: dict[str, Document] = {}
    for item in left.at("lineage", "upstream").items():
        other = _other(item)
        if other is None or other == urn or other in found:
            continue
        _take_urn(item, environment)
        item.label = other
        found[other] = drop_empty(
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
    left: Leftover, urn: str, environment: str | None, known: frozenset[str]
) -> Iterator[str]:
    """The downstream datasets in the same document; others are left over."""
    seen = set()
    for item in left.at("lineage", "downstream").items():
        other = _other(item)
        if other is None or other == urn or other not in known or other in seen:
            continue
        _take_urn(item, environment)
        item.label = other
        seen.add(other)
        yield other


def _other(item: Leftover) -> str | None:
    other = parse_legacy_urn(item.at("urn").value if item.is_object else item.value)
    return other.urn if other else None


def _take_urn(item: Leftover, environment: str | None) -> None:
    """Take a urn, unless it contains more than the current one."""

    def exact(value: object) -> str | None:
        other = parse_legacy_urn(value)
        if other is None or not other.is_exact:
            return None
        return other.urn if other.environment in (None, environment) else None

    item.take(*(("urn",) if item.is_object else ()), as_=exact)


def _edge_type(value: object) -> str | None:
    said = value.upper() if isinstance(value, str) else None
    return said if said in _EDGE_TYPES else None


_COST = {
    "storage": "monthly_storage_cost",
    "compute": "monthly_compute_cost",
    "transfer": "monthly_transfer_cost",
}


def measurements(left: Leftover) -> Document:
    """The sections of an observation."""
    return drop_empty(
        {"data": _data(left), "quality": _quality(left), "cost": _cost(left), "usage": _usage(left)}
    )


def _data(left: Leftover) -> Document:
    said = left.at("statistics")
    rows = said.take("row_count", as_=natural)
    estimate = said.take("row_count_estimate", as_=natural) if rows is None else None
    return drop_empty(
        {
            "files": said.take("file_count", as_=natural),
            "bytes": said.take("total_size_bytes", as_=natural),
            "rows": estimate if rows is None else rows,
            "rows_estimated": None if estimate is None else True,
            "last_modified": said.take("last_modified", as_=moment)
            or left.take("timestamps", "last_modified", as_=moment),
        }
    )


def _quality(left: Leftover) -> Document:
    said = left.at("quality")
    score = said.take("score", as_=amount) or said.take("quality_score", as_=amount)
    found: dict[str, str] = {}
    for name, node in (*said.at("quality_metrics").entries(), *said.entries()):
        value = node.take(as_=amount) if name and name not in found else None
        if value is not None:
            found[name] = value
    return drop_empty(
        {
            "score": score,
            "freshness": said.take("freshness", as_=moment),
            "profiled_at": said.take("last_profiled", as_=moment),
            "metrics": [{"name": name, "value": value} for name, value in found.items()],
        }
    )


def _cost(left: Leftover) -> Document:
    said = left.at("cost")
    return drop_empty(
        {
            "currency": said.take("currency", as_=text),
            **{key: said.take(older, as_=amount) for key, older in _COST.items()},
            "calculated_at": said.take("last_calculated", as_=moment),
        }
    )


def _usage(left: Leftover) -> Document:
    said = left.at("timestamps")
    return drop_empty(
        {
            "created_at": said.take("created", as_=moment),
            "last_accessed": said.take("last_accessed", as_=moment),
        }
    )


# Upgrade the users, groups, terms, domains and jobs of an older document.


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


def _describe_entity(item: Leftover) -> Document:
    return {
        "name": item.take("name", as_=text) or item.take("display_name", as_=text),
        "description": item.take("description", as_=text) or item.take("definition", as_=text),
    }


def _user(item: Leftover) -> Document:
    return {
        **_describe_entity(item),
        "email": item.take("email", as_=text),
        "title": item.take("title", as_=text),
        "active": item.take("active", as_=flag),
        "groups": words(item.at("groups")),
    }


def _group(item: Leftover) -> Document:
    email = item.take("email", as_=text)
    return {**_describe_entity(item), "email": email, "members": words(item.at("members"))}


def _term(item: Leftover) -> Document:
    return {
        **_describe_entity(item),
        "parent": item.take("parent", as_=reference),
        "domain": item.take("domain", as_=reference),
        "source": item.take("source", as_=text),
        "related": words(item.at("related")),
    }


def _domain(item: Leftover) -> Document:
    return {**_describe_entity(item), "parent": item.take("parent", as_=reference)}


def _job(item: Leftover) -> Document:
    texts = {key: item.take(key, as_=text) for key in ("platform", "type", "schedule", "code")}
    ends = {key: _datasets(item.at(key)) for key in ("inputs", "outputs")}
    return {**_describe_entity(item), **texts, **ends}


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

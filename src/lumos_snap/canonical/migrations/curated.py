"""What people said of an older dataset: who owns it, how to treat it, what it means."""

from lumos_snap.canonical.migrations.leftovers import Left
from lumos_snap.canonical.migrations.result import Document
from lumos_snap.canonical.migrations.values import filled, flag, reference, text, words

_USER, _GROUP = "urn:li:corpuser:", "urn:li:corpGroup:"


def ownership(left: Left) -> Document:
    """The owners, each once."""
    found: dict[tuple[object, ...], Document] = {}
    for item in left.at("ownership", "owners").items():
        kind, who = _who(item)
        identity = (kind, who, text(item.at("type").value))
        if who is None or identity in found:
            continue
        _take_owner(item, kind)
        more = {"type": item.take("type", as_=text), "description": _described(item)}
        found[identity] = filled({kind: who, **more})
    return filled({"owners": list(found.values())})


def _who(item: Left) -> tuple[str, str | None]:
    """Whether an owner is a user or a group, and its id."""
    for kind in ("user", "group"):
        if (who := reference(item.at(kind).value)) is not None:
            return kind, who
    urn = text(item.at("urn").value if item.is_object else item.value) or ""
    for kind, prefix in (("user", _USER), ("group", _GROUP)):
        if urn.startswith(prefix) and urn != prefix:
            return kind, urn.removeprefix(prefix)
    return "user", None


def _take_owner(item: Left, kind: str) -> None:
    if not item.is_object:
        item.take(as_=text)
    elif item.take(kind, as_=reference) is None:
        item.take("urn", as_=text)


def _described(item: Left) -> str | None:
    return item.take("description", as_=text)


def governance(left: Left, fields: list[Document]) -> Document:
    """Tags, terms and rules, wherever the older shape had them."""
    inner = left.at("governance")
    texts = ("classification", "license", "retention", "access")
    return filled(
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


def documentation(left: Left, name: str, fields: list[Document]) -> Document:
    """Words about the dataset; a name that its urn does not hold becomes its title."""
    inner = left.at("documentation")
    left.take("name", as_=lambda said: said if said == name else None)
    return filled(
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


def _links(node: Left) -> list[Document]:
    found: dict[str, Document] = {}
    for item in node.items():
        url = text(item.at("url").value if item.is_object else item.value)
        if url is None or url in found:
            continue
        item.take(*(("url",) if item.is_object else ()), as_=text)
        found[url] = filled({"url": url, "label": item.take("label", as_=text)})
    return list(found.values())

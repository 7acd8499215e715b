"""A few documents that refer to each other."""

from typing import Any

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.adapter import Identity
from lumos_snap.model.entities import Tag
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Document

ORDERS = Identity("snapshot", "lumos://s3/lake/orders")
CLICKS = Identity("snapshot", "lumos://s3/lake/clicks")
GOLD = Identity("tag", "gold")


def orders(**sections: Any) -> Document:
    """What came of clicks."""
    return snapshot(
        ORDERS,
        lineage={"upstream": [{"urn": CLICKS.id, "type": "TRANSFORMED"}]},
        quality={"checks": [{"name": "has rows", "expression": "count(*) > 0"}]},
        **sections,
    )


def clicks(**sections: Any) -> Document:
    """Where all begins."""
    return snapshot(CLICKS, schedule={"cron": "0 * * * *"}, **sections)


def snapshot(identity: Identity, **sections: Any) -> Document:
    """A snapshot with a column, a tag, an owner and some words."""
    document = {
        "lumos_version": "1.0.0",
        "urn": identity.id,
        "name": identity.id.rpartition("/")[2],
        "platform": "s3",
        "schema": {"fields": [{"name": "id", "type": "INT64", "nullable": False}]},
        "ownership": {"owners": [{"group": "analytics", "type": "TECHNICAL_OWNER"}]},
        "governance": {"tags": ["raw"]},
        "documentation": {"description": "As it arrives"},
    }
    return canonical_document({**document, **sections}, Snapshot)


def gold(**keys: Any) -> Document:
    """A tag."""
    return canonical_document({"lumos_version": "1.0.0", "id": "gold", "name": "Gold", **keys}, Tag)


def lake() -> dict[Identity, Document]:
    """All of it."""
    return {ORDERS: orders(), CLICKS: clicks(), GOLD: gold()}


def edited(document: Document, **sections: Any) -> Document:
    """A snapshot with some sections replaced, or left out where None is given."""
    found = {**document, **sections}
    return canonical_document({n: v for n, v in found.items() if v is not None}, Snapshot)

"""Who wrote an aspect last, and when, as far as DataHub records it.

The run id and the source of the first write are unreliable: a write without changes replaces the
run id, and the source is never replaced.
"""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from lumos_snap.catalogs.adapter import DocumentPlace, Edit
from lumos_snap.catalogs.datahub.custom_properties import OWN, item_key
from lumos_snap.catalogs.datahub.dataset_properties import FIELDS
from lumos_snap.catalogs.datahub.lineage import LINEAGE, is_marked
from lumos_snap.catalogs.datahub.structured_properties import STRUCTURED
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.json_object import JsonObject
from lumos_snap.schema import Document, Holds, Key, keys_of

Stamp = JsonObject

_PERSON = "urn:li:corpuser:"
_NOBODY = frozenset({"", "unknown", "UNKNOWN"})
_MACHINES = "__datahub"
"""The prefix of the ids of the server's own users."""


def stamp_in(held: JsonObject) -> Stamp:
    """The stamp of an aspect's last change in a server response; the most reliable one wins."""
    system = held.get("systemMetadata") or {}
    told: Stamp | None = system.get("aspectModified")
    if told and told.get("time"):  # nearly always the case
        return told
    for other in (held.get("auditStamp"), held.get("created")):
        if other and other.get("time"):
            return dict(other)
    source = (system.get("properties") or {}).get("eventSource")
    return {"source": source} if source else {}


class Edits(Mapping[str, Edit]):
    """The last change of each part, computed on access: most are never needed."""

    def __init__(self, stamps: Mapping[str, Stamp], names: Names) -> None:
        self._stamps = stamps
        self._names = names

    def __getitem__(self, part: str) -> Edit:
        return _edit(self._stamps[part], self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stamps)

    def __len__(self) -> int:
        return len(self._stamps)


def _edit(stamp: Stamp, names: Names) -> Edit:
    actor = str(stamp.get("actor") or "")
    if not actor.startswith(_PERSON):
        return Edit(actor or str(stamp.get("source", "")), _moment(stamp), is_person=False)
    name = names.of_entity(actor)
    if name in _NOBODY:
        return Edit("", _moment(stamp), is_person=False)
    return Edit(name, _moment(stamp), is_person=not name.startswith(_MACHINES))


def _moment(stamp: Stamp) -> str:
    try:
        when = datetime.datetime.fromtimestamp(stamp["time"] / 1000, datetime.UTC)
    except (KeyError, OSError, OverflowError, TypeError, ValueError):
        return ""
    return f"{when:%Y-%m-%dT%H:%M:%SZ}"


ATTRIBUTED = frozenset(
    {
        "governance.tags", "governance.terms", "governance.fields", "governance.fields.tags",
        "governance.fields.terms", "lineage.upstream", "ownership.owners", OWN,
    }
)  # fmt: skip
"""Our sets and maps whose items carry an attribution in the catalog."""
MARKED = (
    "globalTags", "glossaryTerms", "ownership", STRUCTURED.aspect, FIELDS.aspect, LINEAGE.aspect,
)  # fmt: skip
"""The aspects that record who added each item."""
_LISTS = frozenset({"tags", "terms", "owners", "properties", "upstreams"})


def ours_in(held: Any, source: str) -> Any:
    """Reduce an aspect to the items that a source added."""
    if isinstance(held, Mapping):
        return {
            name: [one for one in inner if _is_of(one, source)]
            if name in _LISTS and isinstance(inner, list)
            else ours_in(inner, source)
            for name, inner in held.items()
        }
    return [ours_in(one, source) for one in held] if isinstance(held, list) else held


def _is_of(item: object, source: str) -> bool:
    """Whether a source added an item; upstreams are marked by properties, not by attribution."""
    if not isinstance(item, Mapping):
        return True  # a name in a list with the same key as a list of items
    return is_marked(item) or (item.get("attribution") or {}).get("source") == source


def places(
    document: Document, marked: Document, typed: Document, cls: type
) -> frozenset[DocumentPlace]:
    """Find the positions of our items in a document.

    `marked` is the content of its aspects reduced to our items. `typed` are the properties that
    carry an attribution, of any author: for those without, only the confirmed state tells.
    """
    mine = marked.get(OWN, {})
    own = {(OWN, (one,)) for one in document.get(OWN, {}) if one in mine or one not in typed}
    rest = {name: one for name, one in marked.items() if name != OWN}
    return frozenset({*own, *_items(document, rest, cls, ())})


def _items(
    whole: Document, marked: Document, cls: type, at: DocumentPlace
) -> Iterator[DocumentPlace]:
    keys = keys_of(cls)
    for name, held in marked.items():
        if name in whole and name in keys:
            yield from _under(whole[name], held, keys[name], (*at, name))


def _under(whole: Any, held: Any, key: Key, at: DocumentPlace) -> Iterator[DocumentPlace]:
    if key.holds is Holds.SCALARS and key.set_by is not None:
        yield from ((*at, (one,)) for one in held)
    elif key.holds is Holds.OBJECT and key.item is not None:
        yield from _items(whole, held, key.item, at)
    elif key.holds is Holds.OBJECTS and key.set_by is not None and key.item is not None:
        known = {item_key(one, key): one for one in whole}
        for one in held:
            other = known.get(item_key(one, key), {})
            step = (*at, tuple(map(one.get, key.set_by)))
            if one == other:
                yield step
            yield from _items(other, one, key.item, step)

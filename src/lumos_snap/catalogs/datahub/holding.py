"""What any store of DataHub's aspects can hold of our documents, and what stands there for them."""

from collections.abc import Sequence

from lumos_snap.canonical.document_kinds import KINDS, OBSERVATION
from lumos_snap.catalogs.datahub import quality
from lumos_snap.catalogs.datahub.attribution import ATTRIBUTED
from lumos_snap.catalogs.datahub.identity import Identity as Names
from lumos_snap.catalogs.datahub.identity import unknown_environment
from lumos_snap.catalogs.datahub.loss import Loss as Lost
from lumos_snap.catalogs.datahub.loss import losses, without
from lumos_snap.catalogs.datahub.mapping import Aspects, named_companions
from lumos_snap.catalogs.datahub.page import homes, lost, texts
from lumos_snap.catalogs.datahub.stored import Stored, urn_of
from lumos_snap.catalogs.datahub.tables import TABLES, Mapped, mapped_as
from lumos_snap.catalogs.seam import Capabilities, Deleting, Identity, Loss, Projection
from lumos_snap.schema import Document, keys_of

_KINDS = {kind.name: kind for kind in KINDS if kind is not OBSERVATION}


def _parts(table: Mapped) -> dict[str, frozenset[str]]:
    """The aspects that each key stands in. A check is an entity of its own, and is left out."""
    found: dict[str, set[str]] = {}
    for aspect, home in homes(table):
        if aspect != quality.ASPECT:
            found.setdefault(_plain(home.ours), set()).add(aspect)
    for key in texts(table):
        found.setdefault(_plain(key), set()).add(table.texts)
    return {key: frozenset(parts) for key, parts in found.items()}


def _plain(key: str) -> str:
    return key.replace("[]", "").replace("…", "")


HOLDS = Capabilities(
    holds={
        name: frozenset(keys_of(kind.cls)) - frozenset(lost(TABLES[name]))
        for name, kind in _KINDS.items()
    },
    attributed=ATTRIBUTED,
    parts={name: _parts(table) for name, table in TABLES.items()},
    has_preconditions=True,
    needs_referents=False,  # a urn may name what is not there yet
    deletes=Deleting.SOFT,
    permanent=frozenset(name for name, one in TABLES.items() if not one.can_be_removed),
    can_search=True,
)


def projection(identity: Identity, document: Document, names: Names) -> Projection:
    """The document as its aspects hold it."""
    if why := _collision(identity, names):
        return Projection(document, refusal=why)
    found = losses(document, _KINDS[identity.kind], names)
    why = next((one.reason for one in found if one.pointer == ()), "")
    why = why or unknown_environment(urn_of(identity, names)) or _unnamed(document, identity, found)
    if why:
        return Projection(document, refusal=why)
    told = (Loss(_place(one.pointer), one.reason) for one in found)
    return Projection(without(document, found), tuple(told))


def _unnamed(document: Document, identity: Identity, found: Sequence[Lost]) -> str:
    """Why a document cannot stand there: it does not say what its urn says."""
    keys = keys_of(identity.cls)
    lost = (one.pointer[0] for one in found if len(one.pointer) == 1)
    name = next((one for one in lost if isinstance(one, str) and keys[one].is_required), "")
    return f"its `{name}` is {document[name]!r}, and its urn says otherwise" if name else ""


def _collision(identity: Identity, names: Names) -> str:
    """Why a document cannot stand there: its urn leads back to another one."""
    urn = urn_of(identity, names)
    back = identity_of(urn, names)
    if back is None or back == identity:
        return ""
    return f"its urn there, {urn}, stands for {back.id}"


def _place(pointer: Sequence[str | int]) -> str:
    return ".".join(step for step in pointer if isinstance(step, str))


def identity_of(urn: str, names: Names) -> Identity | None:
    """Which document of ours a urn of theirs stands for, if any."""
    table = mapped_as(urn.removeprefix("urn:li:").partition(":")[0])
    if table is None:
        return None
    back = table.back(names, urn) if table.back else names.of_entity(urn)
    return Identity(table.kind.name, back)


def named_beside(identity: Identity, stored: Stored | str | None) -> tuple[str, ...]:
    """The urns of entities that a document names as parts of it."""
    aspects: Aspects = stored.aspects if isinstance(stored, Stored) else {}
    try:
        return named_companions(_KINDS[identity.kind], aspects)
    except (AttributeError, TypeError):  # damaged: reading it says so
        return ()

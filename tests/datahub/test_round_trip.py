"""What a DataHub server is given, it gives back, byte for byte: all but what the report names.

Over real HTTP, in both modes, with a server that fills in what the schemas say by default, and one
that does not.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.encode import encode_document
from lumos_snap.catalogs.adapter import (
    CatalogDocument,
    DocumentWrite,
    Identity,
    WriteAction,
    WriteConfirmed,
    open_reading,
)
from lumos_snap.catalogs.datahub.client.server import Access, DataHubServer, Mode, connect_server
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub.urns import fits
from lumos_snap.catalogs.datahub_server import DataHubCatalog
from lumos_snap.schema import Document
from tests.gms import Gms, running
from tests.strategies import LAW
from tests.strategies.datahub import KINDS, documents_of, identities

IDENTIFYING = ("id", "urn", "name", "platform")
NAMES = st.just("snapshot") | st.sampled_from(sorted(KINDS))
"""Half of what is drawn are datasets."""
SERVERS = [(mode, fills) for mode in (Mode.OPENAPI, Mode.RESTLI) for fills in (True, False)]


@pytest.fixture(
    scope="module", params=SERVERS, ids=lambda one: f"{one[0]}-{'full' if one[1] else 'bare'}"
)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[Gms, DataHubServer]]:
    """One server for all that is drawn: each document finds it empty."""
    mode, fills = request.param
    with ExitStack() as until:
        patch = until.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("DATAHUB_TELEMETRY_ENABLED", "false")
        gms = until.enter_context(running(fills_defaults=fills))
        yield gms, connect_server(Access(address=gms.url, mode=mode))


def emptied(gms: Gms, urns: Iterable[str]) -> None:
    """Nothing is there but the definitions of some properties."""
    for urn in list(gms.dump()):
        gms.state.store.delete(urn)
    gms.asked.clear()
    for urn in filter(fits, urns):
        told = {"qualifiedName": urn, "valueType": TEXT, "entityTypes": [], "version": "1"}
        gms.edit(urn, "propertyDefinition", told)


def defined(names: Names, name: str) -> list[str]:
    """What a dataset may refer to; a definition would be in its own way."""
    known = names.naming.structured if name == "snapshot" else ()
    return [names.entity("structuredProperty", one) for one in known]


TEXT = "urn:li:dataType:datahub.string"


def given_back(
    hub: DataHubCatalog, identity: Identity, document: Document, seen: CatalogDocument | None
) -> CatalogDocument:
    action = WriteAction.UPDATE if seen else WriteAction.CREATE
    answer = hub.apply(DocumentWrite(identity, action, document, seen))
    assert isinstance(answer, WriteConfirmed), answer
    held = open_reading(next(hub.read([identity]), None))
    assert isinstance(held, CatalogDocument), held
    assert encode_document(held.document, identity.cls) == encode_document(document, identity.cls)
    for part, version in answer.versions.items():
        assert held.versions.get(part, "") == version
    return held


@pytest.mark.slow
@LAW
@given(name=NAMES, data=st.data(), names=identities)
def test_a_document_and_what_becomes_of_it_come_back(
    served: tuple[Gms, DataHubServer], name: str, data: st.DataObject, names: Names
) -> None:
    gms, server = served
    kind = KINDS[name]
    first, second = data.draw(documents_of(kind)), data.draw(documents_of(kind))
    identity = Identity(name, first[kind.identity])
    second = {**second, **{key: first[key] for key in IDENTIFYING if key in first}}
    emptied(gms, defined(names, name))
    hub = DataHubCatalog("hub", server, names)
    once, twice = (hub.project(identity, one) for one in (first, second))
    if once.refusal or twice.refusal:
        return
    held = given_back(hub, identity, once.document, None)
    held = given_back(hub, identity, twice.document, held)
    before = gms.dump()
    assert isinstance(
        hub.apply(DocumentWrite(identity, WriteAction.UPDATE, held.document, held)), WriteConfirmed
    )
    assert gms.dump() == before, "the same again was written"

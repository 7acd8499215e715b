"""What deleting leaves, and what of it surprises."""

from collections.abc import Callable
from typing import Any

import pytest
from datahub.configuration.common import OperationalError
from datahub.metadata.schema_classes import ChangeTypeClass

from tests.gms import Gms
from tests.gms.samples import CLICKS, GOLD, proposal, tags

Connect = Callable[..., Any]
TAGS = "globalTags"


@pytest.fixture
def url(gms: Gms) -> str:
    for aspect in (TAGS, "editableDatasetProperties"):
        gms.edit(CLICKS, aspect, tags(GOLD) if aspect == TAGS else {"description": "x"})
    return f"{gms.url}/openapi/v3/entity/dataset/{CLICKS}"


def test_an_aspect_is_deleted_with_its_history(gms: Gms, connect: Connect, url: str) -> None:
    session = connect(gms).session
    assert session.delete(f"{url}/{TAGS}").status_code == 200
    assert session.get(f"{url}/{TAGS}").status_code == 404
    assert session.head(f"{url}/{TAGS}").status_code == 404
    gms.edit(CLICKS, TAGS, tags(GOLD))
    assert gms.version(CLICKS, TAGS) == 1


def test_without_its_key_nothing_is_left(gms: Gms, connect: Connect, url: str) -> None:
    connect(gms).session.delete(f"{url}/datasetKey")
    assert gms.dump() == {}


def test_an_entity_is_deleted_whole_in_part_or_cleared(
    gms: Gms, connect: Connect, url: str
) -> None:
    session = connect(gms).session
    session.delete(f"{url}?aspects={TAGS}")
    assert gms.value(CLICKS, TAGS) is None
    assert gms.value(CLICKS, "editableDatasetProperties") is not None
    session.delete(f"{url}?clear=true")
    assert list(gms.dump()[CLICKS]) == ["datasetKey"]
    session.delete(url)
    assert gms.dump() == {}
    told = session.get(url)
    assert (told.status_code, told.headers["Not-Found-Reason"]) == (404, "ENTITY")
    assert session.head(url).status_code == 404


@pytest.mark.usefixtures("url")
def test_deleting_an_aspect_through_the_client_takes_the_dataset(
    gms: Gms, connect: Connect
) -> None:
    """The trap: the client forgets to say which aspect."""
    one = proposal(CLICKS, TAGS, tags())
    one.changeType = ChangeTypeClass.DELETE
    with pytest.raises(OperationalError):
        connect(gms, "rest.li").emit_mcp(one)
    connect(gms).emit_mcp(one)
    assert gms.dump() == {}
    assert gms.asked.writes()[-1].wrote[0].aspect is None


def test_deletes_are_writes_in_the_record(gms: Gms, connect: Connect, url: str) -> None:
    graph = connect(gms)
    graph.session.delete(f"{url}/{TAGS}")
    graph.hard_delete_entity(CLICKS)
    assert [(one.aspect, one.change) for one in gms.asked.written()] == [
        (TAGS, "DELETE"),
        (None, "DELETE"),
    ]

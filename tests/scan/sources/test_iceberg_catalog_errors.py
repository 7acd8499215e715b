"""A REST catalog that refuses, fails or is silent is told of soon, and in one line."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from lumos_snap.errors import OutsideError
from lumos_snap.scan.executors.error_codes import UNREADABLE, VANISHED
from lumos_snap.scan.sources import iceberg_catalog
from lumos_snap.scan.sources.catalog import CatalogTable, Names
from lumos_snap.scan.sources.iceberg_catalog import IcebergCatalog
from lumos_snap.scan.stores.store import Trouble
from tests.scan.sources.conftest import configured
from tests.scan.sources.rest_catalog import METADATA, TABLE, Answer, catalog, failing, serving

Ask = Callable[[str], list[CatalogTable | Trouble]]


def all_of(_names: Names) -> bool:
    return True


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """What a catalog at an address tells."""

    def ask(address: str) -> list[CatalogTable | Trouble]:
        properties = {"type": "rest", "uri": address, "token": "hunter2"}
        configured(monkeypatch, tmp_path, "far", properties)
        return list(IcebergCatalog("far").tables(all_of))

    return ask


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog that stays silent is given a second instead of many."""
    monkeypatch.setattr(iceberg_catalog, "DEADLINE", 1.5)


def but(wrong: str, given: Answer | None) -> Callable[[str, str], Answer | None]:
    """The catalog, but for one path."""
    return lambda path, query: given if path == wrong else catalog(path, query)


def test_tables_are_told_without_credentials(asked: Ask) -> None:
    with serving(catalog) as address:
        found = asked(address)
    assert [one.names for one in found if isinstance(one, CatalogTable)] == [
        ("sales", "a"),
        ("sales", "b"),
        ("sales", "c"),
    ]
    assert "hunter2" not in repr(found)
    assert isinstance(found[0], CatalogTable)
    assert found[0].location == "s3://lake/t"


@pytest.mark.slow
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("path", ["/v1/config", "/v1/namespaces", "/v1/namespaces/sales/tables"])
def test_a_silent_catalog_is_given_up(asked: Ask, path: str) -> None:
    begin = time.monotonic()
    with (
        serving(but(path, None)) as address,
        pytest.raises(OutsideError, match="'far' cannot be read: no answer within") as caught,
    ):
        asked(address)
    assert time.monotonic() - begin < 10
    assert "uri" in caught.value.hint


@pytest.mark.slow
@pytest.mark.usefixtures("hasty")
def test_a_catalog_that_falls_silent_is_given_up(asked: Ask) -> None:
    def answer(path: str, query: str) -> Answer | None:
        return None if "/tables/" in path else catalog(path, query)

    with serving(answer) as address, pytest.raises(OutsideError, match="no answer within"):
        asked(address)


def test_deadlines_are_below_half_a_minute() -> None:
    assert iceberg_catalog.DEADLINE < 30


def test_a_dead_catalog_is_told_of(asked: Ask) -> None:
    with serving(catalog) as address:
        pass
    with pytest.raises(OutsideError, match="'far' cannot be read: Connection refused"):
        asked(address)


@pytest.mark.parametrize("path", ["/v1/config", "/v1/namespaces/sales/tables/b"])
def test_wrong_credentials_are_told_of(asked: Ask, path: str) -> None:
    refused = failing(401, "who are you")
    with (
        serving(but(path, refused)) as address,
        pytest.raises(OutsideError, match=r"'far' refuses: .*who are you") as caught,
    ):
        asked(address)
    assert "PYICEBERG_CATALOG__FAR__CREDENTIAL" in caught.value.hint
    assert "hunter2" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (failing(403, "not this one"), UNREADABLE),
        (failing(404, "no such table"), VANISHED),
        (failing(500, "broken"), UNREADABLE),
        pytest.param(None, UNREADABLE, marks=pytest.mark.slow),
        ((200, {**TABLE, "metadata": {"format-version": 9}}), "damaged"),
        ((200, {}), "damaged"),
        ((200, "what?"), "damaged"),
    ],
)
def test_a_table_that_is_not_given_is_one_trouble(
    asked: Ask, given: Answer | None, reason: str, request: pytest.FixtureRequest
) -> None:
    if given is None:
        request.getfixturevalue("hasty")
    with serving(but("/v1/namespaces/sales/tables/b", given)) as address:
        first, trouble, last = asked(address)
    assert isinstance(first, CatalogTable)
    assert isinstance(trouble, Trouble)
    assert (trouble.path, trouble.reason) == ("sales/b", reason)
    assert "\n" not in trouble.detail
    assert isinstance(last, CatalogTable)


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_namespace_that_is_not_listed_is_one_trouble(asked: Ask, status: int) -> None:
    def answer(path: str, query: str) -> Answer:
        if path == "/v1/namespaces" and "parent=" not in query:
            return 200, {"namespaces": [["closed"], ["sales"]]}
        if path == "/v1/namespaces/closed/tables":
            return failing(status, "not this one")
        return catalog(path, query)

    with serving(answer) as address:
        trouble, *tables = asked(address)
    assert isinstance(trouble, Trouble)
    assert (trouble.path, trouble.hides) == ("closed", True)
    assert len(tables) == 3


@pytest.mark.parametrize("path", ["/v1/config", "/v1/namespaces"])
def test_an_answer_in_no_known_form_is_the_fault_of_the_catalog(asked: Ask, path: str) -> None:
    with serving(but(path, (200, "what?"))) as address, pytest.raises(OutsideError):
        asked(address)


def test_a_namespace_whose_inner_ones_are_not_listed_hides_them(asked: Ask) -> None:
    def answer(path: str, query: str) -> Answer:
        return failing(500, "broken") if "parent=" in query else catalog(path, query)

    with serving(answer) as address:
        trouble, *tables = asked(address)
    assert isinstance(trouble, Trouble)
    assert (trouble.path, trouble.hides) == ("sales", True)
    assert len(tables) == 3


def test_the_tag_of_metadata_without_a_file_changes_with_it(asked: Ask) -> None:
    def answer(updated: int) -> Callable[[str, str], Answer]:
        held = {"metadata": {**METADATA, "last-updated-ms": updated}, "config": {}}
        return lambda path, query: (200, held) if "/tables/" in path else catalog(path, query)

    tags = set()
    for updated in (1, 2, 2):
        with serving(answer(updated)) as address:
            tags |= {one.tag for one in asked(address) if isinstance(one, CatalogTable)}
    assert len(tags) == 2


def test_what_fails_for_a_moment_is_asked_again(asked: Ask) -> None:
    seen: Counter[str] = Counter()

    def answer(path: str, query: str) -> Answer:
        seen[path] += 1
        return failing(503, "busy") if seen[path] == 1 else catalog(path, query)

    with serving(answer) as address:
        assert len([one for one in asked(address) if isinstance(one, CatalogTable)]) == 3


@pytest.mark.parametrize("status", [400, 404, 501])
def test_a_catalog_without_inner_namespaces_is_listed(asked: Ask, status: int) -> None:
    def answer(path: str, query: str) -> Answer:
        return failing(status, "no inner ones") if "parent=" in query else catalog(path, query)

    with serving(answer) as address:
        assert len(asked(address)) == 3


def test_a_catalog_that_lists_all_namespaces_as_inner_ones_ends(asked: Ask) -> None:
    with serving(lambda path, _query: catalog(path, "")) as address:
        assert len(asked(address)) == 3

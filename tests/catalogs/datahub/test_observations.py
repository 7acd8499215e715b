"""Observations as points: DataHub's classes take each of them, and the page says what is left."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.catalogs.adapter import ObservedDataset
from lumos_snap.catalogs.datahub.client.sdk_classes import as_class
from lumos_snap.catalogs.datahub.mapping_page import page
from lumos_snap.catalogs.datahub.observations import HOMES, KEPT, PROFILE, list_unmapped, points
from lumos_snap.catalogs.datahub.urns import UrnMapper, fits
from lumos_snap.catalogs.observation_filter import is_news, mark, millis
from lumos_snap.model.observation import Observation
from lumos_snap.schema import keys_of
from tests.strategies import LAW
from tests.strategies.datahub import documents_of, identities

Document = dict[str, Any]
OBSERVATIONS = documents_of(OBSERVATION)
SNAPSHOTS = documents_of(SNAPSHOT)


@LAW
@given(OBSERVATIONS, SNAPSHOTS, identities)
def test_datahubs_classes_take_every_point(
    observation: Document, snapshot: Document, names: UrnMapper
) -> None:
    reading = ObservedDataset({**observation, "urn": snapshot["urn"]}, snapshot)
    found = list(points(reading, names))
    for one in found:
        as_class(one.aspect, one.value)
        assert one.urn.startswith(f"urn:li:{one.entity}:")
    assert found == list(points(reading, names))


@LAW
@given(OBSERVATIONS, SNAPSHOTS, identities)
def test_what_has_a_mark_is_a_point_and_else_nothing_is(
    observation: Document, snapshot: Document, names: UrnMapper
) -> None:
    checks = observation.get("quality", {}).pop("checks", None)
    del checks  # those that the snapshot does not have are told of nowhere
    found = list(points(ObservedDataset(observation, snapshot), names))
    if mark(observation, KEPT) is None:
        assert found == []
    elif fits(names.dataset(snapshot["urn"])) and "rows" in observation.get("data", {}):
        assert found[0].aspect == PROFILE


@LAW
@given(OBSERVATIONS)
def test_a_reading_is_news_once(observation: Document) -> None:
    one = mark(observation, KEPT)
    if one is not None:
        assert is_news(one, None)
        assert not is_news(one, one)
        assert not is_news(one._replace(when=one.when - 1, digest=""), one)
        assert is_news(one._replace(digest=""), one)


@LAW
@given(st.text())
def test_what_is_no_moment_has_no_time(text: str) -> None:
    found = millis(text)
    assert found is None or isinstance(found, int)


def test_moments_are_counted_as_clocks_of_servers_do() -> None:
    assert millis("1970-01-01T00:00:01.5Z") == 1_500
    assert millis("2026-01-15T12:00:00+02:00") == millis("2026-01-15T10:00:00Z")
    assert millis("2026-02-31T10:00:00Z") is None
    assert millis("2026-01-15T10:00:00") is None


def test_every_place_is_of_a_key_that_exists() -> None:
    for _, home in HOMES:
        cls: Any = Observation
        for name in home.ours.replace("[]", "").split("."):
            cls = keys_of(cls)[name].item


def test_every_key_is_kept_or_is_said_to_be_lost() -> None:
    text = page()
    for section, key in keys_of(Observation).items():
        inner = keys_of(key.item) if key.item is not None and key.set_by is None else {}
        for path in [f"{section}.{name}" for name in inner] or [section]:
            is_home = any(home.ours.startswith(path) for _, home in HOMES)
            if path not in ("lumos_version", "urn"):  # said by the urn there
                assert is_home != (path in list_unmapped()), path
                assert f"`{path}" in text
    assert {one for one in KEPT if not any(home.ours.startswith(one) for _, home in HOMES)} == set()

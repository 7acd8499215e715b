"""The page tells what is done, for every key there is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.catalogs.datahub.aspect_registry import TABLES, KindMapping
from lumos_snap.catalogs.datahub.capabilities import NO_TEXTS, TOO_LONG, losses
from lumos_snap.catalogs.datahub.custom_properties import PREFIX
from lumos_snap.catalogs.datahub.mapping import to_aspects
from lumos_snap.catalogs.datahub.mapping_page import find_unmapped, homes, page, paths, texts
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.schema import keys_of
from tests.strategies import LAW
from tests.strategies.datahub import documents_of

EACH = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
IDENTITY = UrnMapper(NamingSettings())


@EACH
def test_every_place_is_of_a_key_that_exists(table: KindMapping) -> None:
    for _, home in homes(table):
        cls: Any = table.kind.cls
        for name in home.ours.rstrip("…").replace("[]", "").split("."):
            key = keys_of(cls)[name]
            cls = key.item


@EACH
def test_every_key_has_a_row(table: KindMapping) -> None:
    text = page()
    at_home = [home.ours.replace("[]", "") for _, home in homes(table)]
    for path in paths(table):
        bare = path.replace("[]", "")
        assert any(one.startswith(bare) for one in at_home) or f"| `{path}` |" in text


@EACH
@LAW
@given(st.data())
def test_what_is_lost_is_what_the_page_says(table: KindMapping, data: st.DataObject) -> None:
    document = data.draw(documents_of(table.kind))
    found = losses(document, table.kind, IDENTITY)
    for one in found:
        assert one.reason != NO_TEXTS.format(entity=table.entity) or one.pointer[
            0
        ] in find_unmapped(table)
        assert one.pointer or one.reason == TOO_LONG


@EACH
@LAW
@given(st.data())
def test_what_the_page_calls_text_is_there_as_text(table: KindMapping, data: st.DataObject) -> None:
    document = data.draw(documents_of(table.kind))
    theirs = to_aspects(document, table.kind, IDENTITY).aspects
    held = theirs.get(table.texts, {}).get("customProperties", {})
    for path in texts(table):
        section, _, key = path.partition(".")
        is_said = key in document.get(section, {}) if key else section in document
        if theirs and is_said and "[]" not in path:
            assert PREFIX + path in held


def test_the_page_names_what_cannot_be_held() -> None:
    assert "**lost**" in page()

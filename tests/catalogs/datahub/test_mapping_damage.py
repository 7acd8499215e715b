"""Aspects that somebody spoilt: a document of right structure, or one clear word."""

import random
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.datahub.mapping import companion_urns, from_aspects, to_aspects
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.errors import OutsideError
from lumos_snap.schema.validation import misfits
from tests.strategies import SMALL
from tests.strategies.datahub import KINDS, documents_of

IDENTITY = UrnMapper(NamingSettings())
ODD: tuple[Any, ...] = (
    None,
    "",
    "x",
    0,
    -1,
    1e308,
    True,
    [],
    {},
    [1],
    ["x"],
    [{}],
    {"x": 1},
    "urn:li:tag:",
    "{",
)


def _spoilt(held: Any, chance: random.Random) -> Any:
    """The same aspects, with one thing in them replaced by something odd."""
    if not isinstance(held, dict | list) or not held or chance.random() < 0.15:
        return chance.choice(ODD)
    if isinstance(held, list):
        place = chance.randrange(len(held))
        return [_spoilt(one, chance) if at == place else one for at, one in enumerate(held)]
    name = chance.choice(sorted(held))
    if chance.random() < 0.1:
        return {other: one for other, one in held.items() if other != name}
    return {**held, name: _spoilt(held[name], chance)}


@SMALL
@given(
    st.sampled_from(sorted(KINDS)).flatmap(
        lambda name: st.tuples(st.just(KINDS[name]), documents_of(KINDS[name]))
    ),
    st.randoms(use_true_random=False),
)
def test_a_spoilt_aspect_never_makes_a_wrong_document(given: Any, chance: random.Random) -> None:
    kind, document = given
    theirs = to_aspects(document, kind, IDENTITY)
    aspects = {name: _spoilt(aspect, chance) for name, aspect in theirs.aspects.items()}
    aspects = {name: one if isinstance(one, dict) else {} for name, one in aspects.items()}
    with suppress(OutsideError):
        found = from_aspects(kind, theirs.urn, aspects, IDENTITY, theirs.companions)
        assert misfits(found, kind.cls) == ()


def test_a_spoilt_aspect_is_told_of_with_the_name_of_its_entity() -> None:
    with pytest.raises(OutsideError, match="urn:li:tag:a"):
        from_aspects(KINDS["tag"], "urn:li:tag:a", {"tagProperties": {"name": 1}}, IDENTITY)


def test_names_of_companions_that_somebody_spoilt_are_none() -> None:
    for odd in ("{", "[1]", "1", "{}"):
        texts = {"customProperties": {"lumos.assertions": odd}}
        assert companion_urns(SNAPSHOT, {"datasetProperties": texts}) == ()


@pytest.mark.parametrize(
    ("aspect", "value"),
    [
        ("upstreamLineage", {"upstreams": [{"dataset": "", "type": "COPY"}]}),
        ("ownership", {"owners": [{"owner": "urn:li:corpuser:a", "typeUrn": ""}]}),
    ],
)
def test_names_of_others_that_are_none_are_told_with_the_dataset(aspect: str, value: Any) -> None:
    urn = "urn:li:dataset:(urn:li:dataPlatform:s3,lake/a,PROD)"
    with pytest.raises(OutsideError, match=re.escape(urn)):
        from_aspects(SNAPSHOT, urn, {aspect: value}, IDENTITY)

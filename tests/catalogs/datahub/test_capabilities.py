"""What no DataHub can hold is refused by name, before anything is sent."""

from typing import Any

import pytest

from lumos_snap.catalogs.adapter import Identity
from lumos_snap.catalogs.datahub.capabilities import projection
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names

NAMES = Names(NamingSettings())


def refusal(urn: str, name: str, platform: str = "s3") -> str:
    document: dict[str, Any] = {"lumos_version": "1.0.0", "urn": urn, "name": name}
    return projection(Identity("snapshot", urn), {**document, "platform": platform}, NAMES).refusal


def test_what_says_something_else_than_its_urn_is_refused() -> None:
    assert refusal("lumos://s3/lake/a", "b") == "its `name` is 'b', and its urn says otherwise"
    assert "`platform` is 'gcs'" in refusal("lumos://s3/lake/a", "a", "gcs")
    assert refusal("lumos://s3/lake/a", "a") == ""


@pytest.mark.parametrize(
    ("environment", "is_known"), [("DEV", True), ("SIT", True), ("MOON", False), ("prod", False)]
)
def test_an_environment_that_datahub_does_not_know_is_refused(
    environment: str, is_known: bool
) -> None:
    name = f"urn:li:dataset:(urn:li:dataPlatform:hive,x,{environment})"
    told = refusal(f"lumos://datahub/{name}", name, "datahub")
    assert told == ("" if is_known else f"DataHub has no environment {environment}")

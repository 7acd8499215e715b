"""Where tokens go: to the server that the environment names, and to no other."""

from pathlib import Path

import pytest

from lumos_snap.commands.sync.adapters import build_access
from lumos_snap.config.settings import CatalogSettings
from lumos_snap.errors import LumosError

HERE, ELSEWHERE = "http://datahub-gms:8080", "http://elsewhere:8080"


@pytest.mark.parametrize(
    ("server", "environment"),
    [
        (None, {"DATAHUB_GMS_URL": HERE, "DATAHUB_GMS_TOKEN": "t"}),
        (f"{HERE}/", {"DATAHUB_GMS_URL": HERE, "DATAHUB_GMS_TOKEN": "t"}),
        (HERE, {"DATAHUB_GMS_TOKEN": "t"}),
        (ELSEWHERE, {"DATAHUB_GMS_URL": HERE}),  # and no token to lose
    ],
)
def test_a_server_is_reached(server: str | None, environment: dict[str, str]) -> None:
    found = build_access(
        CatalogSettings(name="hub", type="datahub", server=server), Path(), environment
    )
    assert found.address == (server or HERE)
    assert found.token == environment.get("DATAHUB_GMS_TOKEN")


@pytest.mark.parametrize("variable", ["DATAHUB_GMS_TOKEN", "AWS_SECRET_ACCESS_KEY"])
def test_a_token_goes_to_no_other_server(variable: str) -> None:
    hub = CatalogSettings(name="hub", type="datahub", server=ELSEWHERE, token_from=variable)
    with pytest.raises(LumosError, match="names another server than DATAHUB_GMS_URL"):
        build_access(hub, Path(), {"DATAHUB_GMS_URL": HERE, variable: "secret"})

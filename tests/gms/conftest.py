"""The real client of DataHub's, in both of its wire modes, and a server to speak to."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from datahub.ingestion.graph.config import DatahubClientConfig

from tests.gms import Gms, running

MODES = ("openapi", "rest.li")
Connect = Callable[..., Any]


@pytest.fixture(autouse=True)
def quiet(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package writes into the home folder as soon as it is loaded, and calls its makers."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))
    monkeypatch.setenv("DATAHUB_TELEMETRY_ENABLED", "false")


@pytest.fixture
def gms() -> Iterator[Gms]:
    with running() as started:
        yield started


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Connects clients, and closes them."""
    with ExitStack() as stack:

        def connected(gms: Gms, mode: str = "openapi", **options: Any) -> Any:
            from datahub.ingestion.graph.client import DataHubGraph  # noqa: PLC0415 - it writes

            settings = {
                "server": gms.url,
                "token": gms.token,
                "openapi_ingestion": mode == "openapi",
                "retry_max_times": 0,
            }
            config = DatahubClientConfig.model_validate({**settings, **options})
            return stack.enter_context(DataHubGraph(config))

        yield connected


@pytest.fixture(params=MODES)
def graph(request: pytest.FixtureRequest, gms: Gms, connect: Connect) -> Any:
    """A client, in one mode and then in the other."""
    return connect(gms, request.param)

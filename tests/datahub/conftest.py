"""Where the server is: one of our own for each test, or the one that `--datahub-url` names."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub
from tests.gms import running

MODES = ("openapi", "rest.li")
LUMOS, JANE = "the token of lumos", "the token of jane"
WHO = {LUMOS: "urn:li:corpuser:lumos", JANE: "urn:li:corpuser:jane.smith"}
TOKENS = ("DATAHUB_GMS_TOKEN", "DATAHUB_OTHER_TOKEN")


@pytest.fixture(autouse=True)
def quiet(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """DataHub's package writes into the home folder as soon as it is loaded."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp()))
    monkeypatch.setenv("DATAHUB_TELEMETRY_ENABLED", "false")


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """How the server is spoken to: in one way, and then in the other."""
    found: str = request.param
    return found


@pytest.fixture
def hub(
    request: pytest.FixtureRequest, mode: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hub]:
    """A server, and a prefix that is this test's alone; what was made there is removed again."""
    url = request.config.getoption("--datahub-url")
    if url:
        token, another = (os.environ.get(name) for name in TOKENS)
        yield from _visited(Hub(url.rstrip("/"), mode, _prefix(), token, another))
        return
    with running(tokens=WHO) as gms:
        monkeypatch.setenv(TOKENS[0], LUMOS)
        yield from _visited(Hub(gms.url, mode, _prefix(), LUMOS, JANE))
        assert gms.dump() == {}, "something was left behind"


def _prefix() -> str:
    return f"lumos-test-{secrets.token_hex(4)}"


def _visited(hub: Hub) -> Iterator[Hub]:
    try:
        yield hub
    finally:
        hub.clean_up()


@pytest.fixture
def home(tmp_path: Path, hub: Hub, capfd: pytest.CaptureFixture[str]) -> Home:
    """A tree in a git repository, with nothing in it."""
    return Home(tmp_path / "home", hub, capfd)

"""A server of our own, told to go wrong, and asked what it was asked."""

from collections.abc import Iterator

import pytest

from tests.datahub.conftest import JANE, LUMOS, TOKENS, WHO
from tests.datahub.hub import Hub
from tests.gms import Gms, running


@pytest.fixture
def gms() -> Iterator[Gms]:
    with running(tokens=WHO) as found:
        yield found


@pytest.fixture
def hub(gms: Gms, mode: str, monkeypatch: pytest.MonkeyPatch) -> Hub:
    monkeypatch.setenv(TOKENS[0], LUMOS)
    return Hub(gms.url, mode, "lake", LUMOS, JANE)

"""The contract of stores, kept on servers that others have written."""

from collections.abc import Iterator

import pytest

from tests.scan.stores.contract import Contract, Lake
from tests.world.stores.lakes import SERVERS, environment

pytestmark = pytest.mark.world


@pytest.fixture(scope="module", params=list(SERVERS))
def lake(request: pytest.FixtureRequest) -> Iterator[Lake]:
    start, fill = SERVERS[request.param]
    with start() as server, environment(server.environment):
        yield fill(server)


class TestServers(Contract):
    pass

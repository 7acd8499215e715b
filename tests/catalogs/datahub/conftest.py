"""DataHub's own store, without a server."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from datahub.lite.sqlite_lite import SqliteLite


@pytest.fixture(scope="session")
def open_lite(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Callable[[Path], SqliteLite]]":
    """Opens a store in a file. Its package writes into the home folder and calls home if it may."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "HOME", str(tmp_path_factory.mktemp("home")))
        patch.setitem(os.environ, "DATAHUB_TELEMETRY_ENABLED", "false")
        from datahub.lite.sqlite_lite import SqliteLite  # noqa: PLC0415

        yield lambda file: SqliteLite.create({"file": str(file)})

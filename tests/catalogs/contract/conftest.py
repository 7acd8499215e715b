"""Every test of the contract runs on every catalog."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.catalogs.contract.subjects import SUBJECTS, Subject, on_trial
from tests.catalogs.lake import lake
from tests.catalogs.world import World


@pytest.fixture(params=SUBJECTS)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    """An empty catalog."""
    with on_trial(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def world(subject: Subject, tmp_path: Path) -> World:
    """A tree of a few documents, and an empty catalog."""
    return World(subject.catalog, tmp_path, tree=lake())

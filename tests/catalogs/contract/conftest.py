"""Every test of the contract runs on every catalog."""

from pathlib import Path

import pytest

from tests.catalogs.contract.subjects import SUBJECTS, Subject
from tests.catalogs.lake import lake
from tests.catalogs.world import World


@pytest.fixture(params=SUBJECTS)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Subject:
    """An empty catalog."""
    return SUBJECTS[request.param](tmp_path)


@pytest.fixture
def world(subject: Subject, tmp_path: Path) -> World:
    """A tree of a few documents, and an empty catalog."""
    return World(subject.catalog, tmp_path, tree=lake())

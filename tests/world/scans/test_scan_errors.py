"""A bad source on a real server beside a good folder: it is named, and nothing of it is lost."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.world.scans.places import SERVERS, Place
from tests.world.scans.tree import Tree

pytestmark = pytest.mark.world

LONGEST = 60  # seconds
WRONG = {
    "seaweed": {"AWS_SECRET_ACCESS_KEY": "topsecretword"},
    "azurite": {"AZURE_STORAGE_KEY": "dG9wc2VjcmV0d29yZA=="},
}
"""Servers that look at credentials, and wrong ones."""
SECRETS = tuple(said for wrong in WRONG.values() for said in wrong.values())
NO_BUCKET = {
    "moto": "s3://nobody/team/lake",
    "seaweed": "s3://nobody/team/lake",
    "fake_gcs": "gs://nobody/team/lake",
    "azurite": "abfss://nobody@devstoreaccount1.dfs.core.windows.net/team/lake",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("few") / "lake"
    (top / "orders").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1]}), top / "orders/part-0.parquet")
    return top


@pytest.fixture(scope="module")
def running(lake: Path) -> Iterator[dict[str, Place]]:
    """Servers with the lake, by name."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(SERVERS[name](lake)) for name in NO_BUCKET}


def troubled(root: Path, lake: Path, place: Place, bad: Place) -> str:
    """What a scan says where a place that is known has become a bad one; the rest is checked."""
    tree = Tree(root)
    good = Place(str(lake), "file", "good", "file:good")
    tree.set({"good": good, "away": place})
    assert tree.scan(env=place.environment).code == 0
    known = tree.documents()
    urn = f"{place.prefix}/orders"
    assert set(known) == {"lumos://file/good/orders", urn}
    (root / "snapshots/file/good/orders.json").unlink()

    tree.set({"good": good, "away": bad})
    ran = tree.scan("--prune", env=bad.environment)
    assert ran.code == 3, ran.out + ran.err
    assert ran.seconds < LONGEST
    assert tree.documents() == known
    (line,) = (line for line in ran.out.splitlines() if line.startswith("not reached: away"))
    assert not any(key in ran.out + ran.err for key in SECRETS)
    return line


@pytest.mark.parametrize("name", sorted(WRONG))
def test_credentials_are_wrong(
    name: str, tmp_path: Path, lake: Path, running: dict[str, Place]
) -> None:
    place = running[name]
    bad = replace(place, environment={**place.environment, **WRONG[name]})
    assert "access is denied" in troubled(tmp_path, lake, place, bad)


@pytest.mark.parametrize("name", sorted(NO_BUCKET))
def test_there_is_no_such_bucket(
    name: str, tmp_path: Path, lake: Path, running: dict[str, Place]
) -> None:
    place = running[name]
    bad = replace(place, path=NO_BUCKET[name])
    assert "there is no such" in troubled(tmp_path, lake, place, bad)

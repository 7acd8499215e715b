"""A bad source beside a good one: one line says what is wrong, and nothing is lost."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from tests.cli.conftest import Lumos, Ran, lumos
from tests.commands.scan.conftest import place
from tests.commands.scan.place import Place
from tests.scan.stores.s3_server import Bucket, Kept

__all__ = ["lumos", "place"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]

LONGEST = 60  # seconds
GOOD = {"file/lake/orders.json", "file/more/stores.json"}
OLD = {"s3/shop/lake/a.json", "s3/shop/lake/b.json"}
ROWS = pa.table({"id": [1, 2], "name": ["a", "b"]})

Scan = Callable[..., Ran]


@pytest.fixture
def known(place: Place, lumos: Lumos) -> Place:
    """A good source, and one whose datasets `a` and `b` are known and committed."""
    place.parquet("orders/part-0.parquet", id=[1])
    away = place.root / "lake/away"
    for name in ("a", "b"):
        (away / name).mkdir(parents=True)
        pq.write_table(ROWS, away / name / "part-0.parquet")
    moved = place.root / "away"
    away.rename(moved)
    (place.root / ".git/info/exclude").write_text("/lake/\n/away/\n/more/\n")
    (place.root / "more/stores").mkdir(parents=True)
    pq.write_table(ROWS, place.root / "more/stores/part-0.parquet")
    _sources(place, "path: away, platform: s3, container: shop/lake, location: s3://shop/lake")
    assert lumos("snap", "scan").code == 0
    assert set(place.snapshots()) == {*GOOD, *OLD}
    place.commit("Both are known")
    shutil.rmtree(moved)
    return place


def _sources(place: Place, away: str, *, at: int = 0) -> None:
    """The bad source stands first, where it could do the most harm, or at another place."""
    sources = ["name: lake, path: lake", "name: more, path: more"]
    sources.insert(at, f"name: away, {away}")
    listed = "".join(f"  - {{{one}}}\n" for one in sources)
    (place.root / "lumos.yaml").write_text(f"version: 1\nsources:\n{listed}")


@pytest.fixture
def scan(known: Place, lumos: Lumos) -> Iterator[Scan]:
    """Scan both sources, where the second one lies somewhere else now."""
    before = known.snapshots()
    known.parquet("orders/part-1.parquet", id=[2], total=[1.5])
    more = pa.table({"id": [3], "town": ["c"]})
    pq.write_table(more, known.root / "more/stores/part-1.parquet")

    def run(away: str, at: int = 0) -> Ran:
        _sources(known, away, at=at)
        began = time.monotonic()
        done = lumos("snap", "scan", "--prune")
        assert time.monotonic() - began < LONGEST
        return done

    yield run
    after = known.snapshots()
    assert {path: after.get(path) for path in OLD} == {path: before[path] for path in OLD}
    assert known.columns("orders") == ["id", "total"]
    assert b'"town"' in after["file/more/stores.json"]


def _is_one_line(done: Ran, *words: str) -> None:
    assert done.code == 3, done.out + done.err
    (line,) = (line for line in done.out.splitlines() if line.startswith("not reached: "))
    assert line.startswith("not reached: away: ")
    for word in words:
        assert word in line
    assert "topsecret" not in done.out + done.err


def _at(bucket: Bucket, name: str = "shop") -> str:
    store = f"{{endpoint: '{bucket.endpoint}', anonymous: true}}"
    return f"path: s3://{name}/lake, platform: s3, container: shop/lake, store: {store}"


@pytest.fixture
def shop(bucket: Bucket) -> Bucket:
    """A bucket with the two datasets."""
    bucket.name = "shop"
    sink = pa.BufferOutputStream()
    pq.write_table(ROWS, sink)
    content = sink.getvalue().to_pybytes()
    for number in range(4):
        for name in ("a", "b"):
            bucket.put(f"lake/{name}/part-{number}.parquet", content)
    return bucket


def test_nobody_listens(scan: Scan) -> None:
    store = "{endpoint: 'http://127.0.0.1:1', anonymous: true}"
    done = scan(f"path: s3://shop/lake, store: {store}")
    _is_one_line(done, "s3://shop/lake", "127.0.0.1:1")


def test_a_name_node_is_dead(scan: Scan) -> None:
    done = scan("path: 'hdfs://127.0.0.1:1/lake', platform: s3, container: shop/lake")
    _is_one_line(done, "hdfs://127.0.0.1:1/lake", "connection refused")


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize(
    ("path", "why"),
    [("hdfs://127.0.0.1:1/lake", "connection refused"), ("nowhere", "there is no folder")],
)
def test_the_others_are_scanned_wherever_it_stands(
    scan: Scan, path: str, why: str, at: int
) -> None:
    _is_one_line(scan(f"path: '{path}', platform: s3, container: shop/lake", at), why)


def test_there_is_no_such_bucket(scan: Scan, shop: Bucket) -> None:
    _is_one_line(scan(_at(shop, "nobody")), "s3://nobody/lake", "there is no such bucket")


def test_nothing_lies_below_the_prefix(scan: Scan, shop: Bucket) -> None:
    for key in list(shop.objects):
        shop.delete(key)
    _is_one_line(scan(_at(shop)), "nothing lies there")


def test_a_store_stays_busy(scan: Scan, shop: Bucket) -> None:
    shop.throttled = 1_000_000
    _is_one_line(scan(_at(shop)), "SlowDown")


def test_a_listing_fails_half_way(scan: Scan, shop: Bucket, known: Place) -> None:
    shop.page, shop.broken = 3, "lake/b"
    done = scan(_at(shop))
    assert done.code == 3
    assert "away: b: cannot be listed" in done.out
    assert len([line for line in done.out.splitlines() if line.startswith("unreachable")]) == 1
    assert set(known.snapshots()) == {*GOOD, *OLD}


def test_a_folder_may_not_be_listed(scan: Scan, shop: Bucket, known: Place) -> None:
    shop.denied = "lake/b/"
    shop.page = 3  # folder by folder
    done = scan(_at(shop))
    assert done.code == 3, done.out
    (line,) = (line for line in done.out.splitlines() if "away: b: " in line)
    assert line.startswith("unreadable: ")
    assert "denied" in line
    assert set(known.snapshots()) == {*GOOD, *OLD}


def test_the_root_may_not_be_listed(scan: Scan, shop: Bucket) -> None:
    shop.denied = ""
    _is_one_line(scan(_at(shop)), "s3://shop/lake", "denied")


class Lost(dict[str, Kept]):
    """Objects that are listed; whoever reads one is hung up on."""

    def get(self, *_: object) -> Kept:
        raise ConnectionResetError


def test_files_cannot_be_read_any_more(scan: Scan, shop: Bucket, known: Place) -> None:
    """Each file is asked for again and again: after some of them, nobody tries the others."""
    content = shop.objects["lake/a/part-0.parquet"].content
    for number in range(600):
        shop.put(f"lake/a/part-{number}.parquet", content)
    shop.objects = Lost(shop.objects)
    done = scan(_at(shop))
    assert done.code == 3, done.out
    assert "was not tried: the store does not answer any more" in done.out
    assert shop.asked["HEAD"] < 600
    assert "2 kept" in done.out


@pytest.fixture
def trips(known: Place, lumos: Lumos) -> Path:
    """A Delta table of the good source, which is known and committed."""
    folder = known.lake / "trips"
    write_deltalake(folder, ROWS)
    assert lumos("snap", "scan", "lake").code == 0
    known.commit("A table")
    return folder


@pytest.mark.parametrize("strict", [False, True])
def test_a_commit_of_a_table_is_half_written(
    trips: Path, known: Place, lumos: Lumos, strict: bool
) -> None:
    before = known.document("trips")
    whole = '{"metaData":{"id":"x","schemaString":"{}"}}\n{"add":{"path":"x.parquet"}}\n'
    (trips / "_delta_log/00000000000000000001.json").write_text(whole[:30])
    known.parquet("orders/part-1.parquet", id=[2], total=[1.5])
    done = lumos("snap", "scan", "lake", "--prune", *(["--strict"] if strict else []))
    assert done.code == (1 if strict else 0)
    (line,) = (line for line in done.out.splitlines() if "lake: trips" in line)
    assert line.startswith(("truncated: ", "damaged: "))
    assert known.document("trips") == before
    assert known.columns("orders") == ["id", "total"]

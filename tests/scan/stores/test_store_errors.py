"""Stores that are slow, busy, broken or closed: what is seen is kept, the rest is said."""

import threading
import time

import pytest

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores import lazy_reader, prefix_listing, s3
from lumos_snap.scan.stores.request_pool import ATTEMPTS, call_within
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.scan.stores.store import BadFileError, FileEntry, Trouble, redact_message
from tests.scan.stores.contract import anything, paths
from tests.scan.stores.s3_server import Bucket


def fill(bucket: Bucket) -> None:
    for n in range(2_000):
        bucket.put(f"a/f{n:05}.csv", b"1")
        bucket.put(f"b/f{n:05}.csv", b"1")


def test_a_busy_store_is_asked_again(bucket: Bucket, store: S3Store) -> None:
    fill(bucket)
    bucket.throttled = 3
    assert len(paths(store.entries("", anything))) == 4_000
    assert bucket.asked["throttled"] == 3


def test_a_busy_store_is_read_again(bucket: Bucket, store: S3Store) -> None:
    bucket.put("f.csv", b"1")
    for reading in (store, store._replace(requester_pays=True)):
        bucket.throttled = 2
        with reading.reader().opened("f.csv") as file:
            assert file.head() == b"1"
    assert bucket.throttled == 0


@pytest.mark.slow
def test_a_store_that_stays_busy_is_given_up(bucket: Bucket, store: S3Store) -> None:
    bucket.throttled = 1_000
    with pytest.raises(OutsideError, match="SlowDown"):
        list(store.entries("", anything))
    assert bucket.asked["LIST"] == ATTEMPTS


def test_a_listing_that_breaks_off_keeps_what_it_had(
    bucket: Bucket, store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "ATTEMPTS", 1)
    fill(bucket)
    bucket.broken = "a/"
    found = list(store.entries("", anything))
    entries = [one.path for one in found if isinstance(one, FileEntry)]
    troubles = [one for one in found if isinstance(one, Trouble)]
    assert len(troubles) == 1
    assert troubles[0][:2] == ("a", error_codes.UNREACHABLE)
    assert "InternalError" in troubles[0].detail
    assert troubles[0].hides
    assert len(set(entries)) == len(entries) == 1_000 + 2_000
    assert len([path for path in entries if path.startswith("b/")]) == 2_000


def test_what_breaks_off_within_a_name_hides_the_folder(
    bucket: Bucket, store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "ATTEMPTS", 1)
    for n in range(4_000):
        bucket.put(f"users/id={n:05}/f.csv", b"1")
    bucket.page = 10
    bucket.broken = "users/id=012"
    troubles = [one for one in store.entries("", anything) if isinstance(one, Trouble)]
    assert {one.path for one in troubles} == {"users"}
    assert all(one.hides for one in troubles)


def test_a_store_that_hangs_is_left(
    bucket: Bucket, store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefix_listing, "FIRST", 0.5)
    bucket.hanging = ""
    begun = time.monotonic()
    with pytest.raises(OutsideError, match="did not answer within"):
        list(store.entries("", anything))
    assert time.monotonic() - begun < 5


def test_a_prefix_that_hangs_hides_itself_alone(
    bucket: Bucket, store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "ATTEMPTS", 1)
    monkeypatch.setattr(s3, "READ", 3)  # a page takes a while beside other programs
    fill(bucket)
    bucket.hanging = "a/"
    found = list(store.entries("", anything))
    assert [one for one in found if isinstance(one, Trouble)] == [
        Trouble("a", error_codes.UNREACHABLE, "did not answer in time", hides=True)
    ]
    assert len(found) == 2_001


def test_a_read_that_hangs_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_reader, "LATEST", 0.2)
    hanging = threading.Event()
    with pytest.raises(BadFileError, match="did not answer within"):
        lazy_reader.call_store(hanging.wait)
    hanging.set()


def test_whoever_leaves_a_listing_leaves_no_thread(bucket: Bucket, store: S3Store) -> None:
    fill(bucket)
    before = set(threading.enumerate())
    found = store.entries("", anything)
    next(found)
    found.close()  # type: ignore[attr-defined]
    ours = [one for one in threading.enumerate() if "_work" in one.name and one not in before]
    until = time.monotonic() + 90
    while any(one.is_alive() for one in ours) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(one.is_alive() for one in ours)


def test_what_is_archived_must_be_restored(bucket: Bucket, store: S3Store) -> None:
    bucket.put("old/a.csv", b"1", "GLACIER")
    bucket.put("old/b.csv", b"1", "GLACIER")
    bucket.objects["old/b.csv"].restored = True
    bucket.put("old/c.csv", b"1", "GLACIER_IR")
    told = "is archived (GLACIER): it must be restored before it can be read"
    found = list(store.entries("", anything))
    assert [one for one in found if isinstance(one, Trouble)] == [
        Trouble("old/a.csv", error_codes.ARCHIVED, told)
    ]
    assert [one.path for one in found if isinstance(one, FileEntry)] == ["old/b.csv", "old/c.csv"]


@pytest.mark.parametrize(
    ("paying", "reason"), [(True, error_codes.ARCHIVED), (False, error_codes.UNREADABLE)]
)
def test_a_file_that_was_archived_since_says_so(
    bucket: Bucket, store: S3Store, paying: bool, reason: str
) -> None:
    """Of what the server says, pyarrow passes on that access is denied."""
    bucket.put("old/a.csv", b"1\n" * 500, "GLACIER")
    reader = store._replace(requester_pays=paying).reader()
    with pytest.raises(BadFileError) as caught, reader.opened("old/a.csv") as file:
        file.head()
    assert caught.value.reason == reason


def test_keys_that_are_no_paths_are_told_once(bucket: Bucket, store: S3Store) -> None:
    for key in ("a//1.csv", "a//2.csv", "/lead.csv", "b/../c.csv", "./d.csv", "e/f.csv", "g//"):
        bucket.put(key, b"1")
    for page in (1_000, 3):
        bucket.page = page
        found = list(store.entries("", anything))
        assert [one.path for one in found if isinstance(one, FileEntry)] == ["e/f.csv"]
        troubles = sorted(one.path for one in found if isinstance(one, Trouble))
        assert troubles == [".", "/", "a/", "b/..", "g/"]
        assert not any(isinstance(one, Trouble) and one.hides for one in found)


def test_readers_that_cannot_connect_say_so_of_each_file(store: S3Store) -> None:
    reader = store._replace(profile="no-such-profile").reader()
    for _ in range(2):
        with pytest.raises(BadFileError, match="no-such-profile") as caught:
            reader.opened("f.csv")
        assert caught.value.reason == error_codes.UNREADABLE


def test_a_client_that_is_not_installed_is_named(
    store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "boto3", None)
    with pytest.raises(LumosError, match="boto3, which is not installed") as caught:
        list(store.entries("", anything))
    assert not isinstance(caught.value, OutsideError)
    assert caught.value.hint == "pip install 'lumos-snap[s3]'"


def test_what_a_thread_raises_is_raised_where_one_waits() -> None:
    with pytest.raises(ZeroDivisionError):
        call_within(5, lambda: 1 / 0)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("failed: https://h/p?sig=abc&se=1 'x'", "failed: https://h/p 'x'"),
        ("at http://me:pass@host/x", "at http://host/x"),
        ("first line.\nsecond", "first line"),
        ("X-Amz-Signature=abc of it", "X-Amz-Signature=… of it"),
        ("\n\n", ""),
    ],
)
def test_what_clients_say_holds_no_secret(said: str, told: str) -> None:
    assert redact_message(said) == told

"""Stores travel by value: workers read with pyarrow, and need nothing of ours."""

import base64
import subprocess
import sys

import pytest
from pyspark import cloudpickle

from lumos_snap.scan.spark import job
from lumos_snap.scan.stores.azure import AzureStore
from lumos_snap.scan.stores.gcs import GcsStore
from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.scan.stores.store import Store
from tests.scan.stores.s3_server import Bucket

_ELSEWHERE = """
import base64, pickle, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Blocked())
store = pickle.loads(base64.b64decode(sys.stdin.readline()))
if {ONLY_LOADED}:
    print(store.at_once)
    sys.exit()
try:
    with store.reader().opened("t/f.csv") as file:
        print(file.size, file.head())
except Exception as exc:
    print(type(exc).__name__, *exc.args)
"""
CONTENT = b"a,b\n"
_READ = f"4 {CONTENT!r}"
_OURS = {"lumos_snap", "tests", "boto3", "botocore", "google", "azure", "hdfs_native"}


def elsewhere(store: Store, blocked: set[str], *, is_read: bool = True) -> str:
    """What another process says: unpickling here would replace the functions of our classes."""
    program = _ELSEWHERE.replace("{BLOCKED}", repr(blocked))
    with job.carry_packages():
        shipped = cloudpickle.dumps(store)
    done = subprocess.run(
        [sys.executable, "-c", program.replace("{ONLY_LOADED}", repr(not is_read))],
        input=base64.b64encode(shipped).decode(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_workers_read_with_pyarrow_alone(bucket: Bucket, store: S3Store) -> None:
    bucket.put("t/f.csv", CONTENT)
    assert elsewhere(store, _OURS) == _READ


def test_workers_read_with_boto3_what_pyarrow_cannot(bucket: Bucket, store: S3Store) -> None:
    bucket.put("t/f.csv", CONTENT)
    paying = store._replace(requester_pays=True)
    assert elsewhere(paying, {"lumos_snap", "tests"}) == _READ
    assert "needs boto3, which is not installed" in elsewhere(paying, _OURS)


@pytest.mark.parametrize(
    "store",
    [
        GcsStore("lake", endpoint="http://127.0.0.1:1", anonymous=True),
        AzureStore("account", "lake", endpoint="http://127.0.0.1:1", anonymous=True),
        HdfsStore("127.0.0.1:1", "/lake"),
    ],
)
def test_each_store_arrives(store: Store) -> None:
    if isinstance(store, GcsStore):  # its client would try again for a while
        assert elsewhere(store, _OURS, is_read=False) == "16"
        return
    assert elsewhere(store, _OURS).startswith("BadFileError unreadable reading")

import os
from collections.abc import Iterator

import pytest

from lumos_snap.scan.stores.s3 import S3Store
from tests.scan.stores.s3_server import Bucket, serving


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """An empty bucket, on a server that behaves as it says."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "anybody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "topsecret")
    with serving(Bucket()) as served:
        yield served


@pytest.fixture
def store(bucket: Bucket) -> S3Store:
    return S3Store("lake", endpoint=bucket.endpoint)

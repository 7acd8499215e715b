"""The contract, kept by folders, and by S3 over a real socket."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.s3 import S3Store
from tests.scan.stores.contract import Contract, Lake, filled
from tests.scan.stores.s3_server import Bucket, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    top = tmp_path_factory.mktemp("lake")

    def put(path: str, content: bytes) -> None:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)

    return Lake(LocalStore(str(top)), filled(put, 200), lambda path: Path(top, path).unlink())


@pytest.fixture(scope="module")
def served() -> Iterator[Lake]:
    with serving(Bucket()) as bucket, pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", "anybody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "topsecret")
        store = S3Store("lake", "team/lake", endpoint=bucket.endpoint)
        files = filled(lambda path, content: bucket.put(f"team/lake/{path}", content), 2_500)
        bucket.put("team/lake-too/x.csv", b"beside")
        for marker in ("", "raw/", "empty/", "many/p=001/", "raw_$folder$"):
            bucket.put(f"team/lake/{marker}", b"")
        yield Lake(
            store,
            files,
            lambda path: bucket.delete(f"team/lake/{path}"),
            nowhere=(
                store._replace(bucket="nobody"),
                store._replace(prefix="nothing"),
                store._replace(endpoint="http://127.0.0.1:1"),
                store._replace(profile="no-such-profile"),
            ),
        )


@pytest.fixture(params=["folder", "served", "paid"])
def lake(request: pytest.FixtureRequest) -> Lake:
    if request.param == "paid":  # what pyarrow cannot read is read by boto3
        kept: Lake = request.getfixturevalue("served")
        assert isinstance(kept.store, S3Store)
        return Lake(kept.store._replace(requester_pays=True), kept.files, kept.delete)
    found: Lake = request.getfixturevalue(request.param)
    return found


class TestStores(Contract):
    pass

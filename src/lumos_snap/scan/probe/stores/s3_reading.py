"""Ranged reads through boto3: for profiles, and for buckets whose readers pay."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.file import BadFileError, File
from lumos_snap.scan.probe.stores.arrow_reading import GONE, bad_file
from lumos_snap.scan.probe.stores.remote import remote_file
from lumos_snap.scan.probe.stores.s3_client import client_of, failures, refusal, response_of

if TYPE_CHECKING:
    from lumos_snap.scan.probe.stores.s3 import S3Store


class S3Reader:
    """Opens the files of one store."""

    def __init__(self, store: "S3Store") -> None:
        """Raises `RefusedError` where the machine has no such profile."""
        try:
            self._client = client_of(store)
        except failures() as exc:
            raise refusal(exc) from exc
        self._bucket, self._top = store.bucket, store.top
        self._paying = {"RequestPayer": "requester"} if store.requester_pays else {}

    @contextmanager
    def opened(self, path: str) -> Iterator[File]:
        """A file, open for ranged reads for as long as the context lasts."""
        place = {"Bucket": self._bucket, "Key": f"{self._top}{path}", **self._paying}
        size = _asked(lambda: self._client.head_object(**place)["ContentLength"])

        def read(offset: int, length: int) -> bytes:
            wanted = f"bytes={offset}-{offset + length - 1}"
            return bytes(self._client.get_object(**place, Range=wanted)["Body"].read())

        yield remote_file(size, lambda offset, length: _asked(lambda: read(offset, length)))


def _asked(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except failures() as exc:
        status = response_of(exc).get("ResponseMetadata", {}).get("HTTPStatusCode")
        if status == 404:  # noqa: PLR2004 - not found
            raise BadFileError(reasons.VANISHED, GONE) from exc
        raise bad_file(str(exc)) from exc

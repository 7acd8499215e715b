"""Ranged reads through Google's client."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.file import BadFileError, File
from lumos_snap.scan.probe.stores.arrow_reading import BUSY, GONE, bad_file
from lumos_snap.scan.probe.stores.deadlines import CONNECT, READ
from lumos_snap.scan.probe.stores.gcs_client import client_of, failures, refusal
from lumos_snap.scan.probe.stores.remote import remote_file

if TYPE_CHECKING:
    from lumos_snap.scan.probe.stores.gcs import GcsStore

_WAITS = (CONNECT, READ)


class GcsReader:
    """Opens the files of one store."""

    def __init__(self, store: "GcsStore") -> None:
        """Raises `RefusedError` where nobody knows who asks, or the client is not there."""
        try:
            self._bucket = client_of(store).bucket(store.bucket)
        except failures() as exc:
            raise refusal(exc) from exc
        from google.cloud.storage.retry import DEFAULT_RETRY

        self._top = store.top
        self._more = {"timeout": _WAITS, "retry": DEFAULT_RETRY.with_timeout(READ)}

    @contextmanager
    def opened(self, path: str) -> Iterator[File]:
        """A file, open for ranged reads for as long as the context lasts."""
        blob = self._bucket.blob(f"{self._top}{path}")
        _asked(lambda: blob.reload(**self._more))

        def read(offset: int, length: int) -> bytes:
            # As it is stored: what is kept compressed has another size otherwise.
            more = {"start": offset, "end": offset + length - 1, "raw_download": True}
            return bytes(blob.download_as_bytes(checksum=None, **more, **self._more))

        yield remote_file(blob.size, lambda offset, length: _asked(lambda: read(offset, length)))


def _asked(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except failures() as exc:
        if getattr(exc, "code", None) == 404:  # noqa: PLR2004 - not found
            raise BadFileError(reasons.VANISHED, GONE) from exc
        if type(exc).__name__ == "RetryError":  # of what passes by itself, the client asks again
            raise BadFileError(reasons.UNREACHABLE, BUSY) from exc
        raise bad_file(f"{getattr(exc, 'code', '')} {refusal(exc).detail}") from exc

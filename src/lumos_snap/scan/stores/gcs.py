"""Ranged reads through Google's client."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.arrow_reader import AT_ONCE, BUSY, GONE, ArrowReader, bad_file
from lumos_snap.scan.stores.errors import AbsentError
from lumos_snap.scan.stores.file import BadFileError, File
from lumos_snap.scan.stores.gcs_client import Pages as GcsPages
from lumos_snap.scan.stores.gcs_client import client_of, failures, refusal
from lumos_snap.scan.stores.lazy_reader import ConnectingReader
from lumos_snap.scan.stores.object_listing import entries_of, something_at
from lumos_snap.scan.stores.object_store import Elsewhere, Pages
from lumos_snap.scan.stores.remote import remote_file
from lumos_snap.scan.stores.store import Answered, Entry, Reader, Trouble, Wants, unheard
from lumos_snap.scan.stores.timeouts import CONNECT, LATEST, READ

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


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
            raise BadFileError(error_codes.VANISHED, GONE) from exc
        if type(exc).__name__ == "RetryError":  # of what passes by itself, the client asks again
            raise BadFileError(error_codes.UNREACHABLE, BUSY) from exc
        raise bad_file(f"{getattr(exc, 'code', '')} {refusal(exc).detail}") from exc


class GcsStore(NamedTuple):
    """What begins with a prefix in a bucket."""

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    anonymous: bool = False

    @property
    def at_once(self) -> int:
        """Reads wait for the network."""
        return AT_ONCE

    @property
    def address(self) -> str:
        """How people write it."""
        return f"gs://{self.bucket}/{self.prefix}".rstrip("/")

    @property
    def top(self) -> str:
        """What all its keys begin with."""
        return f"{self.prefix}/" if self.prefix else ""

    def entries(
        self,
        start: str,
        may_hold: Wants,
        answered: Answered = unheard,
        elsewhere: Elsewhere | None = None,
    ) -> Iterator[Entry | Trouble]:
        """Every file below a folder, in any order; of very many, most are listed elsewhere."""
        return entries_of(self, start, may_hold, answered, elsewhere)

    def pages(self) -> Pages:
        """What lists it: one request a page."""
        return GcsPages(self)

    def has(self, path: str) -> bool:
        """Whether something lies at or below a path."""
        return something_at(self, path)

    def reader(self) -> Reader:
        """What a task reads files with: Google's client where it is installed, else pyarrow.

        An open file of pyarrow begins to download all of an object before it reads any range, and
        stops every thread of Python meanwhile.
        """
        return ConnectingReader(self._connected)

    def _connected(self) -> Reader:
        try:
            return GcsReader(self)
        except AbsentError:
            return ArrowReader(self._filesystem(), f"{self.bucket}/{self.top}")

    def _filesystem(self) -> "FileSystem":
        from pyarrow.fs import GcsFileSystem

        scheme, _, host = (self.endpoint or "https://").rpartition("://")
        return GcsFileSystem(
            anonymous=self.anonymous,
            scheme=scheme,
            endpoint_override=host.rstrip("/") or None,
            retry_time_limit=timedelta(seconds=LATEST / 2),
        )

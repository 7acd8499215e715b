"""Ranged reads through Azure's client: for containers that anybody may read."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.file import BadFileError, File
from lumos_snap.scan.probe.stores.arrow_reading import GONE, bad_file
from lumos_snap.scan.probe.stores.azure_client import client_of, failures
from lumos_snap.scan.probe.stores.remote import remote_file

if TYPE_CHECKING:
    from lumos_snap.scan.probe.stores.azure import AzureStore


class AzureReader:
    """Opens the files of one store."""

    def __init__(self, store: "AzureStore") -> None:
        self._client = client_of(store)
        self._top = store.top

    @contextmanager
    def opened(self, path: str) -> Iterator[File]:
        """A file, open for ranged reads for as long as the context lasts."""
        blob = self._client.get_blob_client(f"{self._top}{path}")
        size = _asked(lambda: blob.get_blob_properties().size)

        def read(offset: int, length: int) -> bytes:
            return bytes(blob.download_blob(offset, length).readall())

        yield remote_file(size, lambda offset, length: _asked(lambda: read(offset, length)))


def _asked(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except failures() as exc:
        if getattr(exc, "status_code", None) == 404:  # noqa: PLR2004 - not found
            raise BadFileError(reasons.VANISHED, GONE) from exc
        raise bad_file(f"{getattr(exc, 'error_code', '')} {exc}") from exc

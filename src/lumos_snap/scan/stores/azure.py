"""Azure Blob Storage: the store, and a reader with Azure's own client."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.arrow_reader import AT_ONCE, GONE, ArrowReader, bad_file
from lumos_snap.scan.stores.azure_client import (
    account_key,
    client_of,
    failures,
    pages_of,
    sas_token,
)
from lumos_snap.scan.stores.lazy_reader import LazyReader
from lumos_snap.scan.stores.object_store import Elsewhere, Pages
from lumos_snap.scan.stores.prefix_listing import entries_of, has_object_at
from lumos_snap.scan.stores.store import (
    BadFileError,
    FileEntry,
    OnAnswer,
    RangedFile,
    Reader,
    Trouble,
    Wants,
    ignore_answer,
    remote_file,
)


class AzureReader:
    """Opens the files of one store."""

    def __init__(self, store: "AzureStore") -> None:
        self._client = client_of(store)
        self._top = store.top

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        """Open a file for ranged reads within the context."""
        blob = self._client.get_blob_client(f"{self._top}{path}")
        size = _call_store(lambda: blob.get_blob_properties().size)

        def read(offset: int, length: int) -> bytes:
            return bytes(blob.download_blob(offset, length).readall())

        yield remote_file(size, lambda offset, length: _call_store(lambda: read(offset, length)))


def _call_store(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except failures() as exc:
        if getattr(exc, "status_code", None) == 404:  # noqa: PLR2004 - not found
            raise BadFileError(error_codes.VANISHED, GONE) from exc
        raise bad_file(f"{getattr(exc, 'error_code', '')} {exc}") from exc


PUBLIC_CLOUD = "core.windows.net"


class AzureStore(NamedTuple):
    """The objects below a prefix in a container of an account."""

    account: str
    container: str
    prefix: str = ""
    endpoint: str | None = None
    """Endpoint of an emulator, which has the account in the path."""
    cloud: str = PUBLIC_CLOUD
    anonymous: bool = False

    @property
    def at_once(self) -> int:
        """Number of files to read at once, as reads wait for the network."""
        return AT_ONCE

    @property
    def address(self) -> str:
        """The address as users write it."""
        host = f"{self.account}.dfs.{self.cloud}"
        return f"abfss://{self.container}@{host}/{self.prefix}".rstrip("/")

    @property
    def top(self) -> str:
        """The prefix of all its keys."""
        return f"{self.prefix}/" if self.prefix else ""

    @property
    def url(self) -> str:
        """The URL of the account."""
        if self.endpoint:
            return f"{self.endpoint.rstrip('/')}/{self.account}"
        return f"https://{self.account}.blob.{self.cloud}"

    def entries(
        self,
        start: str,
        may_hold: Wants,
        answered: OnAnswer = ignore_answer,
        elsewhere: Elsewhere | None = None,
    ) -> Iterator[FileEntry | Trouble]:
        """List every file below a folder, in any order; large listings are distributed."""
        return entries_of(self, start, may_hold, answered, elsewhere)

    def pages(self) -> Pages:
        """Return the function that lists it: one request per page."""
        return pages_of(self)

    def has(self, path: str) -> bool:
        """Whether an object exists at or below a path."""
        return has_object_at(self, path)

    def reader(self) -> Reader:
        """Return the reader of a task; pyarrow always requires credentials."""
        return LazyReader(self._connected)

    def _connected(self) -> Reader:
        if self.anonymous:
            return AzureReader(self)
        from pyarrow.fs import AzureFileSystem

        scheme, _, host = (self.endpoint or "https://").rpartition("://")
        host = host.rstrip("/")
        key, signature = account_key(), sas_token()
        filesystem = AzureFileSystem(
            self.account,
            account_key=key,
            sas_token=f"?{signature}" if signature and not key else None,  # pyarrow adds no `?`
            blob_storage_scheme=scheme,
            dfs_storage_scheme=scheme,
            blob_storage_authority=host or f".blob.{self.cloud}",
            dfs_storage_authority=host or f".dfs.{self.cloud}",
        )
        return ArrowReader(filesystem, f"{self.container}/{self.top}")

"""Azure Blob Storage, and the Data Lake on top of it: listed by Azure's client, read by pyarrow."""

from collections.abc import Iterator
from typing import NamedTuple

from lumos_snap.scan.probe.store import Answered, Entry, Reader, Trouble, Wants, unheard
from lumos_snap.scan.probe.stores.arrow_reading import AT_ONCE, ArrowReader
from lumos_snap.scan.probe.stores.azure_access import account_key, shared_signature
from lumos_snap.scan.probe.stores.azure_client import pages_of
from lumos_snap.scan.probe.stores.azure_reading import AzureReader
from lumos_snap.scan.probe.stores.connecting import ConnectingReader
from lumos_snap.scan.probe.stores.listing import entries_of, something_at
from lumos_snap.scan.probe.stores.objects import Elsewhere, Pages

PUBLIC_CLOUD = "core.windows.net"


class AzureStore(NamedTuple):
    """What begins with a prefix in a container of an account."""

    account: str
    container: str
    prefix: str = ""
    endpoint: str | None = None
    """Where an emulator answers; the account stands in its path."""
    cloud: str = PUBLIC_CLOUD
    anonymous: bool = False

    @property
    def at_once(self) -> int:
        """Reads wait for the network."""
        return AT_ONCE

    @property
    def address(self) -> str:
        """How people write it."""
        host = f"{self.account}.dfs.{self.cloud}"
        return f"abfss://{self.container}@{host}/{self.prefix}".rstrip("/")

    @property
    def top(self) -> str:
        """What all its keys begin with."""
        return f"{self.prefix}/" if self.prefix else ""

    @property
    def url(self) -> str:
        """Where the account answers."""
        if self.endpoint:
            return f"{self.endpoint.rstrip('/')}/{self.account}"
        return f"https://{self.account}.blob.{self.cloud}"

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
        return pages_of(self)

    def has(self, path: str) -> bool:
        """Whether something lies at or below a path."""
        return something_at(self, path)

    def reader(self) -> Reader:
        """What a task reads files with; pyarrow always wants credentials."""
        return ConnectingReader(self._connected)

    def _connected(self) -> Reader:
        if self.anonymous:
            return AzureReader(self)
        from pyarrow.fs import AzureFileSystem

        scheme, _, host = (self.endpoint or "https://").rpartition("://")
        host = host.rstrip("/")
        key, signature = account_key(), shared_signature()
        filesystem = AzureFileSystem(
            self.account,
            account_key=key,
            sas_token=f"?{signature}" if signature and not key else None,  # it adds no `?` itself
            blob_storage_scheme=scheme,
            dfs_storage_scheme=scheme,
            blob_storage_authority=host or f".blob.{self.cloud}",
            dfs_storage_authority=host or f".dfs.{self.cloud}",
        )
        return ArrowReader(filesystem, f"{self.container}/{self.top}")

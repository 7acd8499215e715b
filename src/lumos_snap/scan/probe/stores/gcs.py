"""Google Cloud Storage: listed by Google's client, read by it or by pyarrow."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from lumos_snap.scan.probe.store import Answered, Entry, Reader, Trouble, Wants, unheard
from lumos_snap.scan.probe.stores.arrow_reading import AT_ONCE, ArrowReader
from lumos_snap.scan.probe.stores.connecting import ConnectingReader
from lumos_snap.scan.probe.stores.deadlines import LATEST
from lumos_snap.scan.probe.stores.gcs_client import Pages as GcsPages
from lumos_snap.scan.probe.stores.gcs_reading import GcsReader
from lumos_snap.scan.probe.stores.listing import entries_of, something_at
from lumos_snap.scan.probe.stores.objects import Elsewhere, Pages
from lumos_snap.scan.probe.stores.refusals import AbsentError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


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

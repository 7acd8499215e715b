"""Ranged reads through boto3: for profiles, and for buckets whose readers pay."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.arrow_reader import AT_ONCE, GONE, ArrowReader, bad_file
from lumos_snap.scan.stores.file import BadFileError, File
from lumos_snap.scan.stores.lazy_reader import ConnectingReader
from lumos_snap.scan.stores.object_listing import entries_of, something_at
from lumos_snap.scan.stores.object_store import Elsewhere, Pages
from lumos_snap.scan.stores.remote import remote_file
from lumos_snap.scan.stores.s3_client import client_of, failures, pages_of, refusal, response_of
from lumos_snap.scan.stores.store import Answered, Entry, Reader, Trouble, Wants, unheard
from lumos_snap.scan.stores.timeouts import ATTEMPTS, CONNECT, READ

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


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
            raise BadFileError(error_codes.VANISHED, GONE) from exc
        raise bad_file(str(exc)) from exc


class S3Store(NamedTuple):
    """What begins with a prefix in a bucket."""

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    profile: str | None = None
    anonymous: bool = False
    requester_pays: bool = False
    path_style: bool | None = None

    @property
    def at_once(self) -> int:
        """Reads wait for the network."""
        return AT_ONCE

    @property
    def address(self) -> str:
        """How people write it."""
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")

    @property
    def top(self) -> str:
        """What all its keys begin with."""
        return f"{self.prefix}/" if self.prefix else ""

    @property
    def is_path_style(self) -> bool:
        """Whether the bucket stands in the path: with most servers that are not Amazon's."""
        return bool(self.endpoint) if self.path_style is None else self.path_style

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
        """What a task reads files with; pyarrow knows neither profiles nor who pays."""
        return ConnectingReader(self._connected)

    def _connected(self) -> Reader:
        if self.profile or self.requester_pays:
            return S3Reader(self)
        return ArrowReader(self._filesystem(), f"{self.bucket}/{self.top}")

    def _filesystem(self) -> "FileSystem":
        from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

        scheme, _, host = (self.endpoint or "https://").rpartition("://")
        return S3FileSystem(
            anonymous=self.anonymous,
            region=self.region or self._found_region(),
            connect_timeout=CONNECT,
            request_timeout=READ,
            scheme=scheme,
            endpoint_override=host.rstrip("/") or None,
            force_virtual_addressing=bool(self.endpoint) and not self.is_path_style,
            retry_strategy=AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        )

    def _found_region(self) -> str | None:
        """Amazon says where a bucket lies; other servers take any region."""
        from pyarrow.fs import resolve_s3_region

        if self.endpoint:
            return "us-east-1"
        with suppress(OSError):
            return str(resolve_s3_region(self.bucket))
        return None

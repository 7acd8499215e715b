"""Google Cloud Storage: listing, reading and error mapping, with Google's client or pyarrow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.lazy_reader import (
    AT_ONCE,
    BUSY,
    GONE,
    ArrowReader,
    LazyReader,
    bad_file,
)
from lumos_snap.scan.stores.object_store import (
    Elsewhere,
    ListingPage,
    PageRequest,
    Pages,
    StoredObject,
    nanoseconds,
)
from lumos_snap.scan.stores.prefix_listing import entries_of, has_object_at
from lumos_snap.scan.stores.request_pool import CONNECT, LATEST, READ
from lumos_snap.scan.stores.store import (
    ADDRESS,
    CREDENTIALS,
    NETWORK,
    AbsentError,
    BadFileError,
    FileEntry,
    OnAnswer,
    RangedFile,
    Reader,
    StoreRefusedError,
    Trouble,
    Wants,
    ignore_answer,
    redact_message,
    remote_file,
)

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


T = TypeVar("T")
_FIELDS = "items(name,size,timeCreated,generation,crc32c),prefixes,nextPageToken"


def client_of(store: "GcsStore") -> Any:
    """Create a client; it is thread-safe."""
    try:
        from google.auth.credentials import AnonymousCredentials
        from google.cloud.storage import Client
    except ImportError as exc:
        raise AbsentError("Google Cloud Storage", "gcs", exc) from exc

    return Client(
        project=None,
        credentials=AnonymousCredentials() if store.anonymous else None,  # type: ignore[no-untyped-call]
        client_options={"api_endpoint": store.endpoint} if store.endpoint else None,
    )


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions of Google's client for failed requests."""
    try:
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError
        from requests import RequestException
    except ImportError:  # reported when the client is created
        return ()

    return (GoogleAPIError, GoogleAuthError, RequestException)


class GcsPages:
    """Lists a bucket: one request per page."""

    def __init__(self, store: "GcsStore") -> None:
        """Create the client; raise `StoreRefusedError` without credentials or package."""
        self._bucket = store.bucket
        try:
            self._client = client_of(store)
        except failures() as exc:
            raise refusal(exc) from exc
        self._has_answered = False

    def __call__(self, ask: PageRequest, after: str) -> ListingPage:
        """Request one page; raise `StoreRefusedError` on failure."""
        try:
            page = self._page(ask, after)
        except failures() as exc:
            raise refusal(exc) from exc
        self._has_answered = True
        return page

    def _page(self, ask: PageRequest, after: str) -> ListingPage:
        from google.cloud.storage.retry import DEFAULT_RETRY

        # Before the first response, the server may not exist.
        patience = LATEST if self._has_answered else 2 * CONNECT
        said = self._client.list_blobs(
            self._bucket,
            prefix=ask.prefix or None,
            delimiter="/" if ask.by_folder else None,
            page_token=after or None,
            page_size=ask.most,
            fields=_FIELDS,
            timeout=(CONNECT, READ),
            retry=DEFAULT_RETRY.with_timeout(patience),
        )
        found = list(map(_parse_object, next(said.pages, ())))
        return ListingPage(found, sorted(said.prefixes), said.next_page_token or "")


def _parse_object(blob: Any) -> StoredObject:
    return StoredObject(
        blob.name, blob.size, nanoseconds(blob.time_created), f"{blob.generation}-{blob.crc32c}"
    )


def refusal(exc: Exception) -> StoreRefusedError:
    """Translate an error of Google's client."""
    from google.api_core.exceptions import RetryError

    cause = exc.cause if isinstance(exc, RetryError) else None
    exc = cause if isinstance(cause, Exception) else exc
    code, told = getattr(exc, "code", None), redact_message(str(getattr(exc, "message", exc)))
    if code == 404:  # noqa: PLR2004 - not found
        return StoreRefusedError(error_codes.UNREADABLE, "there is no such bucket", ADDRESS)
    if code in {401, 403}:
        return StoreRefusedError(error_codes.UNREADABLE, f"access is denied: {told}", CREDENTIALS)
    if type(exc).__module__.startswith("google.auth"):
        return StoreRefusedError(error_codes.UNREADABLE, f"has no access: {told}", CREDENTIALS)
    if "Timeout" in type(exc).__name__:
        return StoreRefusedError(error_codes.UNREACHABLE, "did not answer in time", NETWORK)
    what = "cannot be listed" if code else "cannot be reached"
    return StoreRefusedError(error_codes.UNREACHABLE, f"{what}: {told}", NETWORK)


_WAITS = (CONNECT, READ)


class GcsReader:
    """Opens the files of one store."""

    def __init__(self, store: "GcsStore") -> None:
        """Create the client; raise `StoreRefusedError` without credentials or package."""
        try:
            self._bucket = client_of(store).bucket(store.bucket)
        except failures() as exc:
            raise refusal(exc) from exc
        from google.cloud.storage.retry import DEFAULT_RETRY

        self._top = store.top
        self._more = {"timeout": _WAITS, "retry": DEFAULT_RETRY.with_timeout(READ)}

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        """Open a file for ranged reads within the context."""
        blob = self._bucket.blob(f"{self._top}{path}")
        _call_store(lambda: blob.reload(**self._more))

        def read(offset: int, length: int) -> bytes:
            # As stored: a decompressed object would have another size.
            more = {"start": offset, "end": offset + length - 1, "raw_download": True}
            return bytes(blob.download_as_bytes(checksum=None, **more, **self._more))

        yield remote_file(
            blob.size, lambda offset, length: _call_store(lambda: read(offset, length))
        )


def _call_store(call: Callable[[], T]) -> T:
    try:
        return call()
    except failures() as exc:
        if getattr(exc, "code", None) == 404:  # noqa: PLR2004 - not found
            raise BadFileError(error_codes.VANISHED, GONE) from exc
        if type(exc).__name__ == "RetryError":  # the client has retried transient errors
            raise BadFileError(error_codes.UNREACHABLE, BUSY) from exc
        raise bad_file(f"{getattr(exc, 'code', '')} {refusal(exc).detail}") from exc


class GcsStore(NamedTuple):
    """The objects below a prefix in a bucket."""

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    anonymous: bool = False

    @property
    def at_once(self) -> int:
        """Number of files to read at once, as reads wait for the network."""
        return AT_ONCE

    @property
    def address(self) -> str:
        """The address as users write it."""
        return f"gs://{self.bucket}/{self.prefix}".rstrip("/")

    @property
    def top(self) -> str:
        """The prefix of all its keys."""
        return f"{self.prefix}/" if self.prefix else ""

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
        return GcsPages(self)

    def has(self, path: str) -> bool:
        """Whether an object exists at or below a path."""
        return has_object_at(self, path)

    def reader(self) -> Reader:
        """Return the reader of a task: Google's client if installed, else pyarrow.

        An open file of pyarrow starts to download the whole object before it reads any range, and
        blocks all Python threads meanwhile.
        """
        return LazyReader(self._connected)

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

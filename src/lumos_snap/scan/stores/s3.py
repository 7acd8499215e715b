"""S3: listing with boto3, reading with boto3 or pyarrow, and error mapping."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.lazy_reader import AT_ONCE, GONE, ArrowReader, LazyReader, bad_file
from lumos_snap.scan.stores.object_store import (
    Elsewhere,
    ListingPage,
    PageRequest,
    Pages,
    StoredObject,
    nanoseconds,
)
from lumos_snap.scan.stores.prefix_listing import entries_of, has_object_at
from lumos_snap.scan.stores.request_pool import ATTEMPTS, CONNECT, READ, THREADS
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
_ARCHIVES = frozenset({"GLACIER", "DEEP_ARCHIVE"})
_MISSING = frozenset({"NoSuchBucket", "404", "NotFound"})
_DENIED = frozenset({
    "AccessDenied", "403", "Forbidden", "InvalidAccessKeyId", "SignatureDoesNotMatch",
    "ExpiredToken", "InvalidToken", "AllAccessDisabled", "AuthorizationHeaderMalformed",
})  # fmt: skip


def client_of(store: "S3Store") -> Any:
    """Create a client for one store, with bounded waits; it is thread-safe."""
    try:
        import boto3
        import botocore
        from botocore.config import Config
    except ImportError as exc:
        raise AbsentError("S3", "s3", exc) from exc

    session = boto3.Session(profile_name=store.profile)
    return session.client(
        "s3",
        endpoint_url=store.endpoint,
        region_name=store.region or session.region_name or "us-east-1",
        config=Config(
            connect_timeout=CONNECT,
            read_timeout=READ,
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            max_pool_connections=THREADS,
            signature_version=botocore.UNSIGNED if store.anonymous else None,
            s3={"addressing_style": "path" if store.is_path_style else "auto"},
        ),
    )


def failures() -> tuple[type[Exception], ...]:
    """Return boto3's exceptions for failed requests; none if boto3 is not installed."""
    try:
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.parsers import ResponseParserError
    except ImportError:
        return ()

    return (BotoCoreError, ClientError, ResponseParserError)


def pages_of(store: "S3Store") -> Pages:
    """Return the function that lists a store by page; raises `StoreRefusedError`."""
    try:
        client = client_of(store)
    except failures() as exc:
        raise refusal(exc) from exc

    def page(ask: PageRequest, after: str) -> ListingPage:
        try:
            return _page(client.list_objects_v2(**_request(store, ask, after)))
        except failures() as exc:
            raise refusal(exc) from exc

    return page


def _request(store: "S3Store", ask: PageRequest, after: str) -> JsonObject:
    request: dict[str, Any] = {
        "Bucket": store.bucket,
        "Prefix": ask.prefix,
        "MaxKeys": ask.most,
        "OptionalObjectAttributes": ["RestoreStatus"],
    }
    if ask.by_folder:
        request["Delimiter"] = "/"
    if after:
        request["ContinuationToken"] = after
    if store.requester_pays:
        request["RequestPayer"] = "requester"
    return request


def _page(said: JsonObject) -> ListingPage:
    folders = [one["Prefix"] for one in said.get("CommonPrefixes", ())]
    after = said.get("NextContinuationToken", "") if said.get("IsTruncated") else ""
    return ListingPage(list(_parse_objects(said)), folders, after)


def _parse_objects(said: JsonObject) -> Iterator[StoredObject]:
    for one in said.get("Contents", ()):
        kept = one.get("StorageClass", "")
        is_restored = "RestoreExpiryDate" in one.get("RestoreStatus", {})
        yield StoredObject(
            one["Key"],
            one["Size"],
            nanoseconds(one["LastModified"]),
            one.get("ETag", "").strip('"'),
            kept if kept in _ARCHIVES and not is_restored else "",
        )


def refusal(exc: Exception) -> StoreRefusedError:
    """Translate an error of boto3."""
    said = response_of(exc).get("Error", {})
    if not said:
        return _network_refusal(exc)
    code = str(said.get("Code", ""))
    told = f"{redact_message(str(said.get('Message', '')))} ({code})"
    if code in _MISSING:
        return StoreRefusedError(
            error_codes.UNREADABLE, f"there is no such bucket ({code})", ADDRESS
        )
    if code in _DENIED:
        return StoreRefusedError(error_codes.UNREADABLE, f"access is denied: {told}", CREDENTIALS)
    return StoreRefusedError(error_codes.UNREACHABLE, f"cannot be listed: {told}", NETWORK)


def response_of(exc: Exception) -> JsonObject:
    """Return the server's response, if there is one."""
    return getattr(exc, "response", None) or {}


def _network_refusal(exc: Exception) -> StoreRefusedError:
    kind = type(exc).__name__
    if any(word in kind for word in ("Credential", "Profile", "Token", "SSO", "Login")):
        return StoreRefusedError(
            error_codes.UNREADABLE, f"has no access: {redact_message(str(exc))}", CREDENTIALS
        )
    if "Timeout" in kind:
        return StoreRefusedError(error_codes.UNREACHABLE, "did not answer in time", NETWORK)
    return StoreRefusedError(
        error_codes.UNREACHABLE, f"cannot be reached: {redact_message(str(exc))}", NETWORK
    )


class S3Reader:
    """Opens the files of one store."""

    def __init__(self, store: "S3Store") -> None:
        """Create the client; raise `StoreRefusedError` if the machine has no such profile."""
        try:
            self._client = client_of(store)
        except failures() as exc:
            raise refusal(exc) from exc
        self._bucket, self._top = store.bucket, store.top
        self._paying = {"RequestPayer": "requester"} if store.requester_pays else {}

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        """Open a file for ranged reads within the context."""
        place = {"Bucket": self._bucket, "Key": f"{self._top}{path}", **self._paying}
        size = _call_store(lambda: self._client.head_object(**place)["ContentLength"])

        def read(offset: int, length: int) -> bytes:
            wanted = f"bytes={offset}-{offset + length - 1}"
            return bytes(self._client.get_object(**place, Range=wanted)["Body"].read())

        yield remote_file(size, lambda offset, length: _call_store(lambda: read(offset, length)))


def _call_store(call: Callable[[], T]) -> T:
    try:
        return call()
    except failures() as exc:
        status = response_of(exc).get("ResponseMetadata", {}).get("HTTPStatusCode")
        if status == 404:  # noqa: PLR2004 - not found
            raise BadFileError(error_codes.VANISHED, GONE) from exc
        raise bad_file(str(exc)) from exc


class S3Store(NamedTuple):
    """The objects below a prefix in a bucket."""

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
        """Number of files to read at once, as reads wait for the network."""
        return AT_ONCE

    @property
    def address(self) -> str:
        """The address as users write it."""
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")

    @property
    def top(self) -> str:
        """The prefix of all its keys."""
        return f"{self.prefix}/" if self.prefix else ""

    @property
    def is_path_style(self) -> bool:
        """Whether URLs have the bucket in the path: the default for servers other than Amazon's."""
        return bool(self.endpoint) if self.path_style is None else self.path_style

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
        """Return the reader of a task; pyarrow supports neither profiles nor requester pays."""
        return LazyReader(self._connected)

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
        """Resolve the region of a bucket on Amazon; other servers accept any region."""
        from pyarrow.fs import resolve_s3_region

        if self.endpoint:
            return "us-east-1"
        with suppress(OSError):
            return str(resolve_s3_region(self.bucket))
        return None

"""Azure Blob Storage: the store, and a reader with Azure's own client."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

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
from lumos_snap.scan.stores.request_pool import ATTEMPTS, CONNECT, READ
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
    pass

# Azure's client: credentials from the environment, listing of containers, and error mapping.


T = TypeVar("T")
_FOLDER = "hdi_isfolder"
_DENIED = frozenset({401, 403})


def client_of(store: "AzureStore") -> Any:
    """Create a client for one container, with bounded waits; it is thread-safe."""
    try:
        from azure.storage.blob import ContainerClient, ExponentialRetry
    except ImportError as exc:
        raise AbsentError("Azure", "azure", exc) from exc

    return ContainerClient(
        store.url,
        store.container,
        credential=_credential(store),
        connection_timeout=CONNECT,
        read_timeout=READ,
        retry_policy=ExponentialRetry(initial_backoff=1, increment_base=2, retry_total=ATTEMPTS),
    )


def _credential(store: "AzureStore") -> Any:
    """Return an account key, a SAS token, or the identity of this machine."""
    if store.anonymous:
        return None
    given = account_key()
    if given:
        return {"account_name": store.account, "account_key": given}
    signed = sas_token()
    if signed:
        return signed
    try:
        from azure.identity import DefaultAzureCredential
    except ImportError as exc:
        raise AbsentError("Azure", "azure", exc) from exc
    return DefaultAzureCredential()


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions of Azure's client for failed requests."""
    from azure.core.exceptions import AzureError

    return (AzureError,)


def pages_of(store: "AzureStore") -> Pages:
    """Return the function that lists a container by page; raises `StoreRefusedError`."""
    client = client_of(store)

    def page(ask: PageRequest, after: str) -> ListingPage:
        wanted = {"name_starts_with": ask.prefix or None, "include": ["metadata"]}
        listing = client.walk_blobs if ask.by_folder else client.list_blobs
        pages = listing(**wanted, results_per_page=_page_size(ask)).by_page(after or None)
        try:
            said = list(next(pages, ()))
        except failures() as exc:
            raise refusal(exc) from exc
        files = [one for one in said if not _is_prefix(one)]
        folders = [one.name for one in said if _is_prefix(one)]
        return ListingPage(list(_parse_objects(files)), folders, pages.continuation_token or "")

    return page


def _page_size(ask: PageRequest) -> int:
    """Return the page size: Azure allows five times as many as other stores."""
    return ask.most * 5 if ask.most > 1 else 1


def _is_prefix(one: object) -> bool:
    return type(one).__name__ == "BlobPrefix"


def _parse_objects(blobs: list[Any]) -> Iterator[StoredObject]:
    for blob in blobs:
        is_folder = {name.lower(): value for name, value in (blob.metadata or {}).items()}
        name = blob.name
        if is_folder.get(_FOLDER) == "true" and not name.endswith("/"):
            name += "/"
        yield StoredObject(
            name,
            blob.size,
            nanoseconds(blob.last_modified),
            blob.etag.strip('"'),
            "Archive" if blob.blob_tier == "Archive" else "",
        )


def refusal(exc: Exception) -> StoreRefusedError:
    """Translate an error of Azure's client."""
    status, kind = getattr(exc, "status_code", None), type(exc).__name__
    code = getattr(exc, "error_code", None)
    code = getattr(code, "value", code) or kind
    told = redact_message(str(getattr(exc, "message", exc)))
    if status == 404:  # noqa: PLR2004 - not found
        return StoreRefusedError(error_codes.UNREADABLE, "there is no such container", ADDRESS)
    if status in _DENIED:
        return StoreRefusedError(error_codes.UNREADABLE, f"access is denied ({code})", CREDENTIALS)
    if kind in {"ClientAuthenticationError", "CredentialUnavailableError"}:
        return StoreRefusedError(error_codes.UNREADABLE, f"has no access: {told}", CREDENTIALS)
    if "Timeout" in kind:
        return StoreRefusedError(error_codes.UNREACHABLE, "did not answer in time", NETWORK)
    what = "cannot be listed" if status else "cannot be reached"
    return StoreRefusedError(error_codes.UNREACHABLE, f"{what}: {told}", NETWORK)


def default_account() -> str | None:
    """Return the account for URLs that name none."""
    return os.environ.get("AZURE_STORAGE_ACCOUNT") or None


def account_key() -> str | None:
    """Return the account key; without one, a SAS token or an identity is used."""
    return os.environ.get("AZURE_STORAGE_KEY") or None


def sas_token() -> str | None:
    """Return the SAS token, without a leading question mark."""
    return os.environ.get("AZURE_STORAGE_SAS_TOKEN", "").removeprefix("?") or None


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


def _call_store(call: Callable[[], T]) -> T:
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

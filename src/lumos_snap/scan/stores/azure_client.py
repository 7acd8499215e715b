"""Azure's client: credentials from the environment, listing of containers, and error mapping."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.errors import (
    ADDRESS,
    CREDENTIALS,
    NETWORK,
    AbsentError,
    StoreRefusedError,
    redact_message,
)
from lumos_snap.scan.stores.object_store import (
    ListingPage,
    PageRequest,
    Pages,
    StoredObject,
    nanoseconds,
)
from lumos_snap.scan.stores.timeouts import ATTEMPTS, CONNECT, READ

if TYPE_CHECKING:
    from lumos_snap.scan.stores.azure import AzureStore

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


def _is_prefix(one: Any) -> bool:
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

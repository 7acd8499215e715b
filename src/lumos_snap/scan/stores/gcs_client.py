"""What Google's client is asked for, and what it answers."""

from typing import TYPE_CHECKING, Any

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.errors import (
    ADDRESS,
    CREDENTIALS,
    NETWORK,
    AbsentError,
    RefusedError,
    cleaned,
)
from lumos_snap.scan.stores.object_files import Found, nanoseconds
from lumos_snap.scan.stores.object_store import Ask, Page
from lumos_snap.scan.stores.timeouts import CONNECT, LATEST, READ

if TYPE_CHECKING:
    from lumos_snap.scan.stores.gcs import GcsStore

_FIELDS = "items(name,size,timeCreated,generation,crc32c),prefixes,nextPageToken"


def client_of(store: "GcsStore") -> Any:
    """A client; threads may share it."""
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
    """What Google's client raises where a request fails."""
    try:
        from google.api_core.exceptions import GoogleAPIError
        from google.auth.exceptions import GoogleAuthError
        from requests import RequestException
    except ImportError:  # which is said where the client is made
        return ()

    return (GoogleAPIError, GoogleAuthError, RequestException)


class Pages:
    """What lists a bucket: one request a page."""

    def __init__(self, store: "GcsStore") -> None:
        """Raises `RefusedError` where nobody knows who asks, or the client is not there."""
        self._bucket = store.bucket
        try:
            self._client = client_of(store)
        except failures() as exc:
            raise refusal(exc) from exc
        self._has_answered = False

    def __call__(self, ask: Ask, after: str) -> Page:
        """One page; raises `RefusedError`."""
        try:
            page = self._page(ask, after)
        except failures() as exc:
            raise refusal(exc) from exc
        self._has_answered = True
        return page

    def _page(self, ask: Ask, after: str) -> Page:
        from google.cloud.storage.retry import DEFAULT_RETRY

        # Until it has answered once, there may be nobody who could.
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
        found = list(map(_found, next(said.pages, ())))
        return Page(found, sorted(said.prefixes), said.next_page_token or "")


def _found(blob: Any) -> Found:
    return Found(
        blob.name, blob.size, nanoseconds(blob.time_created), f"{blob.generation}-{blob.crc32c}"
    )


def refusal(exc: Exception) -> RefusedError:
    """What an error of Google's client means."""
    from google.api_core.exceptions import RetryError

    cause = exc.cause if isinstance(exc, RetryError) else None
    exc = cause if isinstance(cause, Exception) else exc
    code, told = getattr(exc, "code", None), cleaned(str(getattr(exc, "message", exc)))
    if code == 404:  # noqa: PLR2004 - not found
        return RefusedError(error_codes.UNREADABLE, "there is no such bucket", ADDRESS)
    if code in {401, 403}:
        return RefusedError(error_codes.UNREADABLE, f"access is denied: {told}", CREDENTIALS)
    if type(exc).__module__.startswith("google.auth"):
        return RefusedError(error_codes.UNREADABLE, f"has no access: {told}", CREDENTIALS)
    if "Timeout" in type(exc).__name__:
        return RefusedError(error_codes.UNREACHABLE, "did not answer in time", NETWORK)
    what = "cannot be listed" if code else "cannot be reached"
    return RefusedError(error_codes.UNREACHABLE, f"{what}: {told}", NETWORK)

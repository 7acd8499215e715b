"""What boto3 is asked for, and what it answers."""

from collections.abc import Iterator, Mapping
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
from lumos_snap.scan.stores.object_store import Ask, Page, Pages
from lumos_snap.scan.stores.request_pool import THREADS
from lumos_snap.scan.stores.timeouts import ATTEMPTS, CONNECT, READ

if TYPE_CHECKING:
    from lumos_snap.scan.stores.s3 import S3Store

_ARCHIVES = frozenset({"GLACIER", "DEEP_ARCHIVE"})
_MISSING = frozenset({"NoSuchBucket", "404", "NotFound"})
_DENIED = frozenset({
    "AccessDenied", "403", "Forbidden", "InvalidAccessKeyId", "SignatureDoesNotMatch",
    "ExpiredToken", "InvalidToken", "AllAccessDisabled", "AuthorizationHeaderMalformed",
})  # fmt: skip


def client_of(store: "S3Store") -> Any:
    """A client for one store, with bounded waits; threads may share it."""
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
    """What boto3 raises where a request fails; nothing where it is not there."""
    try:
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.parsers import ResponseParserError
    except ImportError:
        return ()

    return (BotoCoreError, ClientError, ResponseParserError)


def pages_of(store: "S3Store") -> Pages:
    """What lists a store: one request a page; raises `RefusedError`."""
    try:
        client = client_of(store)
    except failures() as exc:
        raise refusal(exc) from exc

    def page(ask: Ask, after: str) -> Page:
        try:
            return _page(client.list_objects_v2(**_request(store, ask, after)))
        except failures() as exc:
            raise refusal(exc) from exc

    return page


def _request(store: "S3Store", ask: Ask, after: str) -> dict[str, Any]:
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


def _page(said: Mapping[str, Any]) -> Page:
    folders = [one["Prefix"] for one in said.get("CommonPrefixes", ())]
    after = said.get("NextContinuationToken", "") if said.get("IsTruncated") else ""
    return Page(list(_found(said)), folders, after)


def _found(said: Mapping[str, Any]) -> Iterator[Found]:
    for one in said.get("Contents", ()):
        kept = one.get("StorageClass", "")
        is_restored = "RestoreExpiryDate" in one.get("RestoreStatus", {})
        yield Found(
            one["Key"],
            one["Size"],
            nanoseconds(one["LastModified"]),
            one.get("ETag", "").strip('"'),
            kept if kept in _ARCHIVES and not is_restored else "",
        )


def refusal(exc: Exception) -> RefusedError:
    """What an error of boto3 means."""
    said = response_of(exc).get("Error", {})
    if not said:
        return _unreached(exc)
    code = str(said.get("Code", ""))
    told = f"{cleaned(str(said.get('Message', '')))} ({code})"
    if code in _MISSING:
        return RefusedError(error_codes.UNREADABLE, f"there is no such bucket ({code})", ADDRESS)
    if code in _DENIED:
        return RefusedError(error_codes.UNREADABLE, f"access is denied: {told}", CREDENTIALS)
    return RefusedError(error_codes.UNREACHABLE, f"cannot be listed: {told}", NETWORK)


def response_of(exc: Exception) -> Mapping[str, Any]:
    """What the server has said, if it has said anything."""
    return getattr(exc, "response", None) or {}


def _unreached(exc: Exception) -> RefusedError:
    kind = type(exc).__name__
    if any(word in kind for word in ("Credential", "Profile", "Token", "SSO", "Login")):
        return RefusedError(
            error_codes.UNREADABLE, f"has no access: {cleaned(str(exc))}", CREDENTIALS
        )
    if "Timeout" in kind:
        return RefusedError(error_codes.UNREACHABLE, "did not answer in time", NETWORK)
    return RefusedError(error_codes.UNREACHABLE, f"cannot be reached: {cleaned(str(exc))}", NETWORK)

"""Addresses of sources: the store or catalog that one names, and the urns of its datasets.

A row of `SCHEMES` contains everything that depends on the scheme.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from lumos_snap.config.settings import StoreSettings
from lumos_snap.errors import LumosError
from lumos_snap.scan.sources.catalog import Session, TableCatalog
from lumos_snap.scan.sources.iceberg_catalog import IcebergCatalog
from lumos_snap.scan.sources.spark_catalog import SparkCatalog
from lumos_snap.scan.stores.azure import PUBLIC_CLOUD, AzureStore, default_account
from lumos_snap.scan.stores.gcs import GcsStore
from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.local import LocalStore
from lumos_snap.scan.stores.s3 import S3Store
from lumos_snap.scan.stores.store import Store

# The catalogs that a source can name: `spark:DATABASE`, `iceberg:NAME`.


_KINDS: Mapping[str, Callable[[str, Session], TableCatalog]] = {
    "spark": lambda rest, session: SparkCatalog.at(rest).on(session(), open_folder),
    "iceberg": lambda rest, _: IcebergCatalog(rest),
}


class NamedCatalog(NamedTuple):
    """A catalog that a path names."""

    kind: str
    """The platform of its datasets."""
    rest: str

    @property
    def path(self) -> str:
        """The path as users write it."""
        return f"{self.kind}:{self.rest}"

    def opened(self, session: Session) -> TableCatalog:
        """Return the catalog, ready to be listed."""
        return _KINDS[self.kind](self.rest, session)


def catalog_of(path: str) -> NamedCatalog | None:
    """Parse the catalog in a path; None if it is a folder or a URL."""
    kind, colon, rest = path.partition(":")
    return NamedCatalog(kind, rest) if colon and kind in _KINDS else None


_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_HOST = re.compile(r"(?P<account>[^.]+)\.(?:dfs|blob)\.(?P<cloud>.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The parsed address of a source."""

    url: str
    """The form in documents and reports: one spelling per place, without credentials."""
    store: Store | None
    platform: str
    container: tuple[str, ...]
    """The names after the platform in urns."""
    catalog: NamedCatalog | None = None
    """The catalog that lists tables, if no store lists files."""


@dataclass(frozen=True, slots=True)
class UrlParts:
    """The parts of a URL."""

    url: str
    authority: str
    names: tuple[str, ...]


def is_elsewhere(path: str) -> bool:
    """Whether a source's path is a URL or a catalog, and not a local folder."""
    return is_url(path) or catalog_of(path) is not None


def is_url(path: str) -> bool:
    """Whether a source's path is the URL of a store; `file://` is not."""
    found = _URL.fullmatch(path)
    return found is not None and found[1].lower() != "file"


def local_path(path: str) -> str:
    """Return the local path of a `file://` URL; any other path as it is."""
    found = _URL.fullmatch(path)
    if found is None or found[1].lower() != "file":
        return path
    host, slash, rest = found[2].partition("/")
    if host not in {"", "localhost"} or not slash:
        raise LumosError(f"{path}: names a host", hint="write file:///path")
    return unquote(f"/{rest}", errors="surrogateescape")


def address_of(url: str, settings: StoreSettings) -> Address:
    """Parse a URL or the name of a catalog; raise `LumosError` if it is not valid."""
    catalog = catalog_of(url)
    if catalog is not None:
        return _catalog(catalog, settings)
    found = _URL.fullmatch(url)
    scheme = SCHEMES.get(found[1].lower()) if found else None
    if found is None or scheme is None:
        known = ", ".join(f"{name}://" for name in (*SCHEMES, "file"))
        said = f"{found[1]}://" if found else url
        raise LumosError(f"{said}: is no kind of address that is known", hint=f"known: {known}")
    for name in sorted(settings.given() - scheme.settings):
        raise LumosError(
            f"{found[1]}:// knows no setting `{name}`",
            hint=f"leave it out of `store`; known: {', '.join(sorted(scheme.settings)) or 'none'}",
        )
    return scheme.address(_parts(found[1], found[2], is_azure=scheme is _AZURE), settings)


_FILE_URI = re.compile(r"file:(?://[^/]*)?(?=/)", re.IGNORECASE)


def strip_file_scheme(address: str) -> str:
    """Return the path of a `file:` URI, with one slash or three; any other address as it is."""
    return _FILE_URI.sub("", address, count=1)


def open_folder(address: str) -> Store:
    """Open the store of a folder that a catalog names: a URL, a file URI or a path."""
    if is_url(address):
        store = address_of(address, StoreSettings()).store
        assert store is not None  # noqa: S101 - only catalogs have none
        return store
    return LocalStore(strip_file_scheme(address))


def _catalog(catalog: NamedCatalog, settings: StoreSettings) -> Address:
    for name in sorted(settings.given()):
        raise LumosError(
            f"{catalog.path}: a catalog has no setting `{name}`", hint="leave out its `store`"
        )
    names = (catalog.rest or catalog.kind,)
    return Address(
        url=catalog.path, store=None, platform=catalog.kind, container=names, catalog=catalog
    )


def _parts(scheme: str, rest: str, *, is_azure: bool) -> UrlParts:
    """Split the part after `://`; error messages contain nothing that may be a secret."""
    authority, _, path = rest.partition("/")
    user, at, _ = authority.rpartition("@")
    if "?" in rest or (at and (not is_azure or ":" in user or "@" in user)):
        raise LumosError(
            f"{scheme}://…: holds a query, or somebody's name and password",
            hint="write the place alone: credentials are looked for where the provider keeps them",
        )
    names = tuple(path.strip("/").split("/")) if path.strip("/") else ()
    if any(name in {"", ".", ".."} for name in names):
        raise LumosError(
            f"{scheme}://{rest}: has a part that is empty, `.` or `..`", hint="write it out"
        )
    return UrlParts(f"{scheme}://{rest}", authority, names)


def _bucket(parts: UrlParts) -> str:
    if not parts.authority:
        raise LumosError(f"{parts.url}: names no bucket", hint="write s3://bucket/prefix")
    return parts.authority


def _s3(parts: UrlParts, settings: StoreSettings) -> Address:
    bucket = _bucket(parts)
    store = S3Store(
        bucket,
        "/".join(parts.names),
        endpoint=settings.endpoint,
        region=settings.region,
        profile=settings.profile,
        anonymous=settings.anonymous,
        requester_pays=settings.requester_pays,
        path_style=settings.path_style,
    )
    names = (bucket, *parts.names)
    return Address(url=store.address, store=store, platform="s3", container=names)


def _gcs(parts: UrlParts, settings: StoreSettings) -> Address:
    bucket = _bucket(parts)
    store = GcsStore(
        bucket, "/".join(parts.names), endpoint=settings.endpoint, anonymous=settings.anonymous
    )
    names = (bucket, *parts.names)
    return Address(url=store.address, store=store, platform="gcs", container=names)


def _azure(parts: UrlParts, settings: StoreSettings) -> Address:
    container, _, host = parts.authority.partition("@")
    found = _HOST.fullmatch(host)
    account = found["account"] if found else host or settings.account or default_account()
    if not container or not account:
        raise LumosError(
            f"{parts.url}: names no {'account' if container else 'container'}",
            hint="write abfss://container@account.dfs.core.windows.net/path",
        )
    if settings.account not in {None, account}:
        raise LumosError(
            f"{parts.url}: lies in another account than {settings.account}",
            hint="leave `account` out of `store`",
        )
    store = AzureStore(
        account,
        container,
        "/".join(parts.names),
        endpoint=settings.endpoint,
        cloud=found["cloud"] if found else PUBLIC_CLOUD,
        anonymous=settings.anonymous,
    )
    # Two accounts may have containers of the same name.
    names = (account, container, *parts.names)
    return Address(url=store.address, store=store, platform="abs", container=names)


def _hdfs(parts: UrlParts, settings: StoreSettings) -> Address:
    del settings  # it has none
    root = "".join(f"/{name}" for name in parts.names)
    store = HdfsStore(parts.authority, root)
    return Address(url=store.address, store=store, platform="hdfs", container=parts.names)


@dataclass(frozen=True, slots=True)
class Scheme:
    """The settings and the parser of a URL scheme."""

    settings: frozenset[str]
    """The keys that `store` in lumos.yaml may have."""
    address: Callable[[UrlParts, StoreSettings], Address]


_S3 = Scheme(
    frozenset({"endpoint", "region", "profile", "anonymous", "requester_pays", "path_style"}), _s3
)
_GCS = Scheme(frozenset({"endpoint", "anonymous"}), _gcs)
_AZURE = Scheme(frozenset({"endpoint", "anonymous", "account"}), _azure)
_HDFS = Scheme(frozenset(), _hdfs)

SCHEMES: Mapping[str, Scheme] = {
    "s3": _S3,
    "s3a": _S3,
    "gs": _GCS,
    "abfss": _AZURE,
    "abfs": _AZURE,
    "az": _AZURE,
    "wasbs": _AZURE,
    "hdfs": _HDFS,
}

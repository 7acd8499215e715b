"""What a page of a listing costs the driver: its client reads it, and it becomes entries.

    python -m benchmarks.pages

A server on this machine answers every request with the same full page; only this process's time on
a core is counted, for each object of the page.
"""

import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from typing import NamedTuple

from lumos_snap.scan.stores import azure, gcs, s3
from lumos_snap.scan.stores.azure import AzureStore
from lumos_snap.scan.stores.gcs import GcsStore
from lumos_snap.scan.stores.object_store import PageRequest, Pages
from lumos_snap.scan.stores.s3 import S3Store

PAGES = 30
_KEY = "area-07/table_000123/dt=2026-01-{day:02d}/part-{number:06d}.parquet"
_TIME = "2026-01-15T10:00:00.000Z"


class Kind(NamedTuple):
    """A kind of store: a full page as it answers, and what asks it for one."""

    page: bytes
    pages: Callable[[str], Pages]
    objects: int


def _keys(most: int) -> list[str]:
    return [_KEY.format(day=number % 28 + 1, number=number) for number in range(most)]


def _s3() -> Kind:
    objects = "".join(
        f"<Contents><Key>{key}</Key><LastModified>{_TIME}</LastModified><ETag>&quot;"
        f"d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>10000</Size>"
        f"<StorageClass>STANDARD</StorageClass></Contents>"
        for key in _keys(1_000)
    )
    page = f"<ListBucketResult><IsTruncated>false</IsTruncated>{objects}</ListBucketResult>"
    return Kind(page.encode(), lambda at: s3.pages_of(_s3_store(at)), 1_000)


def _s3_store(at: str) -> S3Store:
    return S3Store("bucket", "", endpoint=at, anonymous=True, path_style=True)


def _gcs() -> Kind:
    items = [
        {"name": key, "size": "10000", "timeCreated": _TIME, "generation": "1", "crc32c": "AAAA=="}
        for key in _keys(1_000)
    ]
    store = GcsStore("bucket", "")
    return Kind(
        json.dumps({"items": items}).encode(),
        lambda at: gcs.GcsPages(store._replace(endpoint=at, anonymous=True)),
        1_000,
    )


def _azure() -> Kind:
    blobs = "".join(
        f"<Blob><Name>{key}</Name><Properties>"
        f"<Creation-Time>Thu, 15 Jan 2026 10:00:00 GMT</Creation-Time>"
        f"<Last-Modified>Thu, 15 Jan 2026 10:00:00 GMT</Last-Modified><Etag>0x8D0</Etag>"
        f"<Content-Length>10000</Content-Length><BlobType>BlockBlob</BlobType>"
        f"<AccessTier>Hot</AccessTier></Properties><Metadata /></Blob>"
        for key in _keys(5_000)
    )
    page = f"<EnumerationResults><Blobs>{blobs}</Blobs><NextMarker /></EnumerationResults>"
    return Kind(page.encode(), lambda at: azure.pages_of(_azure_store(at)), 5_000)


def _azure_store(at: str) -> AzureStore:
    return AzureStore("account", "container", "", endpoint=at, anonymous=True)


KINDS: Mapping[str, Callable[[], Kind]] = {"S3": _s3, "GCS": _gcs, "Azure": _azure}


def _serve(page: bytes, content: str, told: Connection) -> None:
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", content)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    told.send(server.server_port)
    server.serve_forever()


@contextmanager
def served(page: bytes) -> Iterator[str]:
    """A server in a process of its own, and its address."""
    content = "application/json" if page.startswith(b"{") else "application/xml"
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve, args=(page, content, there), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}"
    finally:
        process.kill()
        process.join()


def microseconds(kind: Kind) -> float:
    """How long a core is busy with one object."""
    with served(kind.page) as address:
        pages = kind.pages(address)
        assert len(pages(PageRequest(""), "").found) == kind.objects
        began = time.process_time()
        for _ in range(PAGES):
            pages(PageRequest(""), "")
        return (time.process_time() - began) / (PAGES * kind.objects) * 1e6


if __name__ == "__main__":
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    for name, made in KINDS.items():
        print(f"{name}: {microseconds(made()):.0f} microseconds for each object of a page")

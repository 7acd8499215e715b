"""A small server that speaks S3 over a real socket: enough to list, to read, and to misbehave."""

import threading
from bisect import insort
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape


@dataclass
class Kept:
    """An object."""

    content: bytes
    storage: str = "STANDARD"
    restored: bool = False


@dataclass
class Bucket:
    """What the server holds, what it was asked for, and how it behaves."""

    name: str = "lake"
    port: int = 0
    objects: dict[str, Kept] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    page: int = 1_000
    asked: Counter[str] = field(default_factory=Counter)
    """How many requests of each kind there were."""
    listed: list[str] = field(default_factory=list)
    """The prefix of each list, with a slash more where it asked by folder."""
    throttled: int = 0
    """How many requests are answered with SlowDown, from now on."""
    broken: str | None = None
    """Of what prefix no page after the first one comes."""
    denied: str | None = None
    """What prefix nobody may list."""
    hanging: str | None = None
    """Of what prefix no page comes at all."""
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def put(self, key: str, content: bytes, storage: str = "STANDARD") -> None:
        if key not in self.objects:
            insort(self.keys, key)
        self.objects[key] = Kept(content, storage)

    def delete(self, key: str) -> None:
        del self.objects[key]
        self.keys.remove(key)


@contextmanager
def serving(bucket: Bucket) -> Iterator[Bucket]:
    """The server, while the context lasts."""

    class Bound(_Answer):
        held = bucket

    server = _Server(("127.0.0.1", 0), Bound)
    server.daemon_threads = True
    bucket.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield bucket
    finally:
        bucket.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Clients that left are what some tests are about."""


class _Answer(BaseHTTPRequestHandler):
    held: Bucket
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        """A server in a test is silent."""

    def do_HEAD(self) -> None:
        self._object(with_body=False)

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        _, _, key = split.path[1:].partition("/")
        if key:
            self._object(with_body=True)
        else:
            self._list(split.path[1:], parse_qs(split.query, keep_blank_values=True))

    def _is_throttled(self) -> bool:
        with self.held.lock:
            is_one = self.held.throttled > 0
            self.held.throttled -= is_one
        if is_one:
            self.held.asked["throttled"] += 1
            self._error(503, "SlowDown", "Please reduce your request rate.")
        return is_one

    def _object(self, *, with_body: bool) -> None:
        self.held.asked["GET" if with_body else "HEAD"] += 1
        if self._is_throttled():
            return
        key = unquote(urlsplit(self.path).path[1:].partition("/")[2])
        kept = self.held.objects.get(key)
        if kept is None:
            self._error(404, "NoSuchKey", "The specified key does not exist.")
        elif kept.storage == "GLACIER" and with_body:
            self._error(403, "InvalidObjectState", "The operation is not valid for the object.")
        else:
            self._content(kept.content, with_body=with_body)

    def _content(self, content: bytes, *, with_body: bool) -> None:
        wanted = self.headers.get("Range")
        self.send_response(206 if wanted else 200)
        part = content
        if wanted:
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            part = content[int(first) : int(last) + 1]
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", '"e"')
        self.send_header("Last-Modified", "Thu, 15 Jan 2026 10:00:00 GMT")
        self.end_headers()
        if with_body:
            self.wfile.write(part)

    def _list(self, name: str, query: dict[str, list[str]]) -> None:
        said = {key: values[0] for key, values in query.items()}
        prefix, after = said.get("prefix", ""), said.get("continuation-token", "")
        by_folder = "delimiter" in said
        self.held.asked["LIST"] += 1
        self.held.listed.append(f"{prefix}/" if by_folder else prefix)
        if self.held.hanging is not None and prefix.startswith(self.held.hanging):
            self.held.released.wait(60)
        if self._is_throttled():
            return
        if name.strip("/") != self.held.name:
            self._error(404, "NoSuchBucket", "The specified bucket does not exist")
        elif self.held.denied is not None and prefix.startswith(self.held.denied):
            self._error(403, "AccessDenied", "Access Denied")
        elif after and self.held.broken is not None and prefix.startswith(self.held.broken):
            self._error(500, "InternalError", "We encountered an internal error.")
        else:
            self._page(prefix, after, int(said.get("max-keys", 1000)), by_folder=by_folder)

    def _page(self, prefix: str, after: str, most: int, *, by_folder: bool) -> None:
        most = min(most, self.held.page)
        found: dict[str, bool] = {}
        for key in self.held.keys:
            if not key.startswith(prefix):
                continue
            rest = key[len(prefix) :]
            is_folder = by_folder and "/" in rest
            name = prefix + rest.partition("/")[0] + "/" if is_folder else key
            if name > after:
                found[name] = is_folder
            if len(found) > most:
                break
        names = list(found)
        page = names[:most]
        self._send(200, self._xml(page, found, page[-1] if len(names) > most else ""))

    def _xml(self, page: list[str], found: dict[str, bool], after: str) -> str:
        parts = [f"<IsTruncated>{'true' if after else 'false'}</IsTruncated>"]
        parts.append("<EncodingType>url</EncodingType>")
        if after:
            parts.append(f"<NextContinuationToken>{escape(after)}</NextContinuationToken>")
        for name in page:
            if found[name]:
                parts.append(f"<CommonPrefixes><Prefix>{quote(name)}</Prefix></CommonPrefixes>")
                continue
            kept = self.held.objects[name]
            restored = (
                "<RestoreStatus><RestoreExpiryDate>2030-01-01T00:00:00Z</RestoreExpiryDate>"
                "</RestoreStatus>"
            )
            parts.append(
                f"<Contents><Key>{quote(name)}</Key><Size>{len(kept.content)}</Size>"
                f"<LastModified>2026-01-15T10:00:00.000Z</LastModified><ETag>&quot;e&quot;</ETag>"
                f"<StorageClass>{kept.storage}</StorageClass>{restored if kept.restored else ''}"
                "</Contents>"
            )
        return f"<ListBucketResult>{''.join(parts)}</ListBucketResult>"

    def _error(self, status: int, code: str, message: str) -> None:
        self._send(status, f"<Error><Code>{code}</Code><Message>{message}</Message></Error>")

    def _send(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

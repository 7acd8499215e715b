"""A REST catalog that does as it is told: refuses, fails, or never answers, over real HTTP."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Any]
"""A status and a document."""

METADATA = {
    "format-version": 2,
    "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
    "location": "s3://user:hunter2@lake/t",
    "last-sequence-number": 0,
    "last-updated-ms": 1602638573590,
    "last-column-id": 1,
    "current-schema-id": 0,
    "schemas": [
        {
            "type": "struct",
            "schema-id": 0,
            "fields": [{"id": 1, "name": "a", "required": True, "type": "long"}],
        }
    ],
    "default-spec-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": []}],
    "last-partition-id": 999,
    "default-sort-order-id": 0,
    "sort-orders": [{"order-id": 0, "fields": []}],
}
TABLE = {"metadata-location": "s3://lake/t/metadata/1.json", "metadata": METADATA, "config": {}}


def failing(status: int, said: str) -> Answer:
    """An error in the form that the protocol has for it."""
    return status, {"error": {"message": said, "type": "SomeException", "code": status}}


def catalog(path: str, query: str) -> Answer:
    """A catalog of one namespace with three tables."""
    if path == "/v1/config":
        return 200, {"defaults": {}, "overrides": {}}
    if path == "/v1/namespaces":
        return 200, {"namespaces": [] if "parent=" in query else [["sales"]]}
    if path == "/v1/namespaces/sales/tables":
        names = [{"namespace": ["sales"], "name": name} for name in ("a", "b", "c")]
        return 200, {"identifiers": names}
    if path.startswith("/v1/namespaces/sales/tables/"):
        return 200, TABLE
    return failing(404, f"there is no {path}")


@contextmanager
def serving(answer: Callable[[str, str], Answer | None]) -> Iterator[str]:
    """A server, by its address; where it has no answer, it is silent until the end."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            given = answer(path, query)
            if given is None:
                over.wait(60)
                return
            status, document = given
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_said: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            over.set()
            server.shutdown()
            thread.join()

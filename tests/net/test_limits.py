"""Clients of servers that never end: each request is over in time, and little memory is held."""

import gzip
import http.client
import http.server
import io
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import ClassVar

import pytest
import requests

from lumos_snap.net.http import EncodingError, Limits, body, send
from lumos_snap.net.requests_session import RedirectedError, limit_session
from tests.hostile_server import (
    ENDLESS,
    OK,
    Answer,
    hostile,
    redirect,
    refusal,
    short_body,
    silence,
)
from tests.measurement import measured

LIMITS = Limits(silence=5, seconds=2, most=1_000_000)
AMPLE = Limits(silence=60, seconds=60, most=1_000_000)
"""Where no time is tried."""
every_answer = pytest.mark.parametrize("answer", [*ENDLESS, silence], ids=lambda one: one.__name__)


@every_answer
def test_a_request_of_urllib_is_over_in_time(answer: Answer) -> None:
    with hostile(answer) as server:
        started = time.monotonic()
        with pytest.raises((OSError, http.client.HTTPException)):
            send(urllib.request.Request(server.url), LIMITS)  # noqa: S310
        assert time.monotonic() - started < 4


@every_answer
def test_a_request_of_a_session_is_over_in_time(answer: Answer) -> None:
    with hostile(answer) as server, requests.Session() as session:
        limit_session(session, LIMITS)
        started = time.monotonic()
        with pytest.raises(requests.RequestException):
            session.get(server.url, timeout=LIMITS.silence)
        assert time.monotonic() - started < 4


SCRIPT = """
import sys
from tests.hostile_server import ENDLESS, hostile
from tests.net.test_limits import LIMITS
from lumos_snap.net.http import send
from lumos_snap.net.requests_session import limit_session
import requests, urllib.request
for answer in ENDLESS:
    if "slow" in answer.__name__:
        continue
    with hostile(answer) as server, requests.Session() as session:
        limit_session(session, LIMITS)
        for ask in (
            lambda: send(urllib.request.Request(server.url), LIMITS),
            lambda: session.get(server.url, timeout=5),
        ):
            try:
                ask()
            except Exception as exc:
                print(answer.__name__, type(exc).__name__, exc)
"""


def test_no_answer_takes_much_memory(root: Path) -> None:
    found = measured(root, sys.executable, "-c", SCRIPT)
    assert found.code == 0
    assert found.said.count("\n") == 2 * (len(ENDLESS) - 3)
    assert found.memory < 200


def test_a_session_reads_what_is_within_the_limits() -> None:
    with hostile(refusal(200, b'{"a": 1}')) as server, requests.Session() as session:
        limit_session(session, AMPLE)
        for _ in range(3):
            assert session.get(server.url, timeout=60).json() == {"a": 1}
        assert b"Accept-Encoding: gzip, deflate\r\n" in server.asked[0]


class _KeepsAlive(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ports: ClassVar[set[int]] = set()

    def do_GET(self) -> None:
        self.ports.add(self.client_address[1])
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        for byte in (b"{", b"}"):
            self.wfile.write(byte)
            time.sleep(10 if self.path == "/slow" else 0)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server names it
        pass


def test_a_connection_is_used_again_and_still_ends_in_time() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _KeepsAlive) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        with requests.Session() as session:
            limit_session(session, LIMITS)
            assert [session.get(url, timeout=60).json() for _ in range(3)] == [{}, {}, {}]
            started = time.monotonic()
            with pytest.raises(requests.RequestException):
                session.get(f"{url}/slow", timeout=60)
            assert time.monotonic() - started < 6
        server.shutdown()
    assert len(_KeepsAlive.ports) == 1


def test_a_session_decompresses_what_is_within_the_limits() -> None:
    packed = gzip.compress(b'{"a": 1}')
    head = OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with hostile(lambda line: line.sendall(head + packed)) as server:
        with requests.Session() as session:
            limit_session(session, AMPLE)
            assert session.get(server.url, timeout=60).json() == {"a": 1}
        assert send(urllib.request.Request(server.url), AMPLE).body == b'{"a": 1}'  # noqa: S310


def test_compressed_content_that_is_cut_off_is_an_error() -> None:
    whole = gzip.compress(b'{"a": 1}')
    for end in range(1, len(whole)):
        with pytest.raises(EncodingError, match="ends before"):
            body(io.BytesIO(whole[:end]).read, 1_000, "gzip")
    assert body(io.BytesIO(whole).read, 1_000, "gzip") == b'{"a": 1}'
    assert body(io.BytesIO(b"").read, 1_000, "gzip") == b""


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_redirect_is_followed(status: int, method: str) -> None:
    with hostile(refusal(200, b"{}")) as other, hostile(redirect(other.url, status)) as server:
        with requests.Session() as session:
            limit_session(session, AMPLE)
            session.headers["Authorization"] = "Bearer secret"
            with pytest.raises(RedirectedError):
                session.request(method, server.url, timeout=60)
        answer = send(urllib.request.Request(server.url, method=method), AMPLE)  # noqa: S310
        assert answer.status == status
        assert other.asked == []


def test_a_line_that_was_shut_down_is_not_used_again() -> None:
    with hostile(short_body) as server, requests.Session() as session:
        limit_session(session, AMPLE)
        for _ in range(3):
            with pytest.raises(requests.RequestException):
                session.get(server.url, timeout=60)
        assert len(server.asked) == 3


def test_the_library_of_requests_is_loaded_only_for_datahub() -> None:
    script = (
        "import sys, lumos_snap.ci.github_client, lumos_snap.cli; print('requests' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"

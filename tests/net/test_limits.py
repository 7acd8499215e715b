"""Clients of servers that never end: each request is over in time, and little memory is held."""

import gzip
import http.client
import io
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import requests

from lumos_snap.net.body import EncodingError, body
from lumos_snap.net.http import Limits, send
from lumos_snap.net.session import RedirectedError, bound
from tests.hostile_server import (
    ENDLESS,
    Answer,
    hostile,
    redirect,
    refusal,
    short_body,
    silence,
)
from tests.measured import measured

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
        bound(session, LIMITS)
        started = time.monotonic()
        with pytest.raises(requests.RequestException):
            session.get(server.url, timeout=LIMITS.silence)
        assert time.monotonic() - started < 4


SCRIPT = """
import sys
from tests.hostile_server import ENDLESS, hostile
from tests.net.test_limits import LIMITS
from lumos_snap.net.http import send
from lumos_snap.net.session import bound
import requests, urllib.request
for answer in ENDLESS:
    if "slow" in answer.__name__:
        continue
    with hostile(answer) as server, requests.Session() as session:
        bound(session, LIMITS)
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
        bound(session, AMPLE)
        for _ in range(3):
            assert session.get(server.url, timeout=60).json() == {"a": 1}
        assert b"Accept-Encoding: gzip, deflate\r\n" in server.asked[0]


def test_a_session_decompresses_what_is_within_the_limits() -> None:
    packed = gzip.compress(b'{"a": 1}')
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with hostile(lambda line: line.sendall(head + packed)) as server:
        with requests.Session() as session:
            bound(session, AMPLE)
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
            bound(session, AMPLE)
            session.headers["Authorization"] = "Bearer secret"
            with pytest.raises(RedirectedError):
                session.request(method, server.url, timeout=60)
        answer = send(urllib.request.Request(server.url, method=method), AMPLE)  # noqa: S310
        assert answer.status == status
        assert other.asked == []


def test_a_line_that_was_shut_down_is_not_used_again() -> None:
    with hostile(short_body) as server, requests.Session() as session:
        bound(session, AMPLE)
        for _ in range(3):
            with pytest.raises(requests.RequestException):
                session.get(server.url, timeout=60)
        assert len(server.asked) == 3


def test_the_library_of_requests_is_loaded_only_for_datahub() -> None:
    script = "import sys, lumos_snap.ci.exchange, lumos_snap.cli; print('requests' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.strip() == b"False"

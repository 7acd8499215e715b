"""Servers that cannot be synced with: one line says why, and what to do."""

import gc
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.cli.conftest import Ran
from tests.datahub.conftest import LUMOS, WHO
from tests.datahub.home import Home
from tests.datahub.hub import Hub
from tests.gms import Gms, running


def told(ran: Ran) -> str:
    """The one line that says why nothing could be done."""
    assert ran.code == 3, (ran.out, ran.err)
    assert ran.out == ""
    first, *hint = ran.err.splitlines()
    assert len(hint) <= 1
    return f"{first} {' '.join(hint)}"


def test_a_server_that_is_not_there(home: Home) -> None:
    home.put("a")
    home.settings(url="http://127.0.0.1:9")
    assert "http://127.0.0.1:9: does not answer: Connection refused" in told(home.sync())


def test_a_name_that_nobody_has(home: Home) -> None:
    home.put("a")
    home.settings(url="http://no-such-server.invalid:8080")
    assert "http://no-such-server.invalid:8080: does not answer" in told(home.sync())


def test_an_address_that_is_none(home: Home) -> None:
    home.settings(url="localhost:8080")
    ran = home.sync()
    assert (ran.code, "is no address of a server" in ran.err) == (2, True)


@pytest.mark.parametrize("token", ["wrong", ""])
def test_a_wrong_token(home: Home, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    home.put("a")
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", token)
    assert "takes no request without a valid token" in told(home.sync())


def test_who_is_turned_away_leaves_nothing_running(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git is still asked what was confirmed when the server refuses: nobody may be left waiting."""
    for number in range(100):  # more than fits into a pipe
        home.put(f"t{number:02}", documentation={"description": "word " * 1_000})
    home.push()
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "wrong")
    gc.collect()
    gc.disable()  # it may come late, and then Python ends with threads at work
    try:
        assert "valid token" in told(home.sync())
        names = [thread.name for thread in threading.enumerate()]
    finally:
        gc.enable()
    assert [one for one in names if "_listen" in one or "_ask" in one] == []


def test_a_token_that_ends_in_the_middle(home: Home, gms: Gms) -> None:
    home.put("a")
    home.put("b")
    gms.faults.answer(401, writes=True, times=None)
    ran = home.sync("--apply", "--yes")
    assert ran.code == 3
    assert "2 failed" in ran.out
    assert LUMOS not in ran.out + ran.err
    gms.faults.clear()
    assert home.sync("--resume").code == 0
    assert home.is_settled()


def test_the_front_end_instead_of_the_server(home: Home) -> None:
    home.put("a")
    with running(is_frontend=True, tokens=WHO) as front:
        home.settings(url=front.url)
        said = told(home.sync())
        assert "its answer to /config is no JSON" in said
        assert "/api/gms" in said
        home.settings(url=f"{front.url}/api/gms")
        home.push()
        assert home.is_settled()


def test_another_service(home: Home) -> None:
    with running(has_no_code=False, tokens=WHO) as other:
        home.settings(url=other.url)
        assert "is not DataHub's metadata service" in told(home.sync())


def test_a_server_without_versions_is_not_written_to_twice(home: Home, mode: str) -> None:
    home.put("a")
    with running(counts_versions=False, tokens=WHO, version="v0.12.0") as old:
        home.settings(url=old.url)
        first = home.sync("--apply", "--yes")
        assert first.code == 3
        assert "tells no versions" in first.out + first.err
        home.git("status")
        (home.folder / ".lumos/sync/hub.jsonl").unlink()
        assert "tells no versions of what it holds" in told(home.sync())
    assert mode


@pytest.mark.parametrize(
    "version", ["v1.4.0", "1.4.0", "v1.4.0rc3", "v1.4.0.2", "v1.4.0-acryl", "v2.0.0"]
)
def test_new_servers_are_spoken_to_over_openapi(home: Home, version: str) -> None:
    assert spoken(home, version) == {"/openapi"}


@pytest.mark.parametrize(
    "version", ["v0.15.0", "v1.0.0", "null", "", "quickstart", "head", "8a3f21c", "v1"]
)
def test_others_over_rest_li(home: Home, version: str) -> None:
    assert spoken(home, version) == {"/aspects", "/entitiesV2"}


def spoken(home: Home, version: str) -> set[str]:
    """Below which addresses a server of a version is read and written to."""
    home.put("a")
    home.hub = type(home.hub)(home.hub.url, "auto", home.hub.prefix)
    with running(version=version, tokens=WHO) as gms:
        home.settings(url=gms.url)
        home.push()
        home.change("a", governance={"tags": ["gold"]})
        home.push()
        return {f"/{one.path.split('/')[1]}" for one in gms.asked} - {"/config"}


def test_what_was_written_before_versions_were_counted_can_be_edited(home: Home, gms: Gms) -> None:
    urn = home.put("a", governance={"tags": ["raw"]})
    home.put("b")
    home.push()
    gms.forget_versions(urn)
    assert home.is_settled()
    home.change("a", governance={"tags": ["gold"]})
    gms.faults.edit(urn, "editableDatasetProperties", {"description": "Jane's"}, urn=urn)
    home.push()
    assert gms.version(urn, "globalTags") == 2
    assert gms.value(urn, "editableDatasetProperties")["description"] == "Jane's"
    home.push()
    assert home.pull().code == 0


def test_searches_that_lag_behind_do_not_matter(home: Home, gms: Gms) -> None:
    gms.lag = 3_600
    home.put("a", governance={"tags": ["raw"]})
    home.push()
    assert home.is_settled()
    home.change("a", governance={"tags": ["gold"]})
    home.push()
    home.put("b")
    home.remove("a")
    home.push()
    assert home.is_settled()


def test_an_address_that_leads_elsewhere_is_told(home: Home, hub: Hub) -> None:
    """A redirected write would arrive as a question."""
    home.put("a")
    with redirecting(hub.url) as old:
        home.settings(url=old)
        said = told(home.sync())
        assert f"leads to {hub.url}" in said


def test_nobody_is_called_but_the_server(
    home: Home, gms: Gms, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DataHub's package calls its makers where it may: whatever leaves this machine is counted."""
    home.put("a")
    monkeypatch.delenv("DATAHUB_TELEMETRY_ENABLED", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as outside:
        outside.settimeout(0.2)
        proxy = f"http://127.0.0.1:{outside.getsockname()[1]}"
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with home.process("--apply", "--yes") as running_:
            assert running_.wait(60) == 0
        with pytest.raises(TimeoutError):
            outside.accept()
    assert not [one for one in gms.asked if "telemetry" in one.path.lower()]
    assert len(gms.asked.writes()) == 1


@contextmanager
def redirecting(url: str) -> Iterator[str]:
    """A server that sends everybody to another one."""

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(301)
            self.send_header("Location", f"{url}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so it is called
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()

"""Servers behind TLS: whom to trust is said in `lumos.yaml`, and holds whatever else is set."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.datahub.conftest import WHO
from tests.datahub.faults.certificate import make_certificate
from tests.datahub.home import Home
from tests.gms import Gms, running


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate that nobody has signed, with its key."""
    return make_certificate(tmp_path / "own.pem")


@pytest.fixture
def private(certificate: Path) -> Iterator[Gms]:
    """A server that shows it."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    with running(tokens=WHO, tls=tls) as gms:
        yield gms


def test_certificates_of_a_catalog_win_over_those_of_the_environment(
    home: Home, private: Gms, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = make_certificate(tmp_path / "another.pem")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(another))
    home.put("a")
    home.settings(url=private.url, more=f", certificates: '{certificate}'")
    assert home.sync("--apply", "--yes").code == 0
    assert len(private.asked.writes()) > 0


def test_a_server_that_nobody_vouches_for(home: Home, private: Gms) -> None:
    home.put("a")
    home.settings(url=private.url)
    ran = home.sync()
    assert (ran.code, ran.out) == (3, "")
    assert "certificate verify failed" in ran.err
    assert "`certificates: ca.pem` of the catalog" in ran.err


def test_certificates_that_are_not_there(home: Home, private: Gms) -> None:
    home.settings(url=private.url, more=", certificates: nowhere.pem")
    ran = home.sync()
    assert ran.code == 2
    assert f"`certificates` names {home.folder / 'nowhere.pem'}, which is not there" in ran.err

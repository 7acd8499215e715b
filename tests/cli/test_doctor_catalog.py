"""`lumos doctor --catalog`: every way in which a catalog can stand in the way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Lumos, Ran
from tests.gms import Gms, running

Check = dict[str, Any]


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
    return "secret"


def named(folder: Path, url: str, more: str = "") -> None:
    said = f"version: 1\ncatalogs: [{{name: hub, type: datahub, server: '{url}'{more}}}]\n"
    (folder / "lumos.yaml").write_text(said)


def checks(ran: Ran) -> dict[str, Check]:
    """What is said from the catalog on, by name."""
    names = [one["name"] for one in ran.json["checks"]]
    return {one["name"]: one for one in ran.json["checks"][names.index("catalog") :]}


def look(lumos: Lumos) -> tuple[int, dict[str, Check]]:
    ran = lumos("doctor", "--catalog", "hub", "--json")
    return ran.code, checks(ran)


def problems(found: dict[str, Check]) -> dict[str, str]:
    return {name: one["found"] for name, one in found.items() if one["health"] == "problem"}


@pytest.mark.parametrize("mode", ["auto", "openapi", "rest.li"])
def test_a_server_that_can_be_synced_with_is_left_as_it_is(
    lumos: Lumos, shop: Path, token: str, mode: str
) -> None:
    with running(token=token) as gms:
        named(shop, gms.url, f", mode: {mode}")
        code, found = look(lumos)
        assert (code, problems(found)) == (0, {})
        assert found["server"]["found"] == f"DataHub v1.4.0 at {gms.url}"
        assert found["mode"]["found"].startswith("rest.li" if mode == "rest.li" else "OpenAPI")
        assert found["token"]["found"] == "that of urn:li:corpuser:lumos"
        assert found["writing"]["found"] == "may write, and nothing is written over unseen"
        assert "secret" not in str(found)
        assert gms.dump() == {}
        lumos("snap", "sync", "--apply", "--yes")
        before = gms.dump()
        code, found = look(lumos)
        assert (code, problems(found)) == (0, {})
        assert found["reading"]["found"].endswith("with versions")
        assert gms.dump() == before


def test_under_snap_it_is_the_same_command(lumos: Lumos, shop: Path, token: str) -> None:
    with running(token=token) as gms:
        named(shop, gms.url)
        assert lumos("snap", "doctor", "--catalog", "hub").out.count("capabilities") == 1


def test_who_may_only_look_is_told_so(lumos: Lumos, shop: Path, token: str) -> None:
    with running(token=token) as gms:
        named(shop, gms.url)
        gms.faults.answer(403, writes=True, times=None)
        code, found = look(lumos)
        assert code == 1
        assert "does not let this token do that" in problems(found)["writing"]
        assert "token that may" in found["writing"]["fix"]


def test_a_server_of_old_is_read_over_rest_li(lumos: Lumos, shop: Path) -> None:
    with running(version="v0.15.0", has_openapi=False) as gms:
        named(shop, gms.url)
        code, found = look(lumos)
        assert code == 0
        assert (found["mode"]["health"], found["mode"]["found"]) == ("warning", "rest.li")
        assert found["token"]["health"] == "warning"


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (lambda: running(token="another"), "valid token"),  # noqa: S106
        (lambda: running(has_no_code=False), "is not DataHub's metadata service"),
        (lambda: running(is_frontend=True), "no JSON"),
    ],
    ids=["a wrong token", "another service", "the front end"],
)
def test_what_ends_it_is_told(
    lumos: Lumos, shop: Path, token: str, start: Callable[[], Any], said: str
) -> None:
    del token
    gms: Gms
    with start() as gms:
        named(shop, gms.url)
        code, found = look(lumos)
    assert code == 1
    assert said in str(problems(found))
    assert all(one["fix"] for one in found.values() if one["health"] == "problem")


def test_a_dead_server_and_a_name_that_is_none(lumos: Lumos, shop: Path) -> None:
    named(shop, "http://127.0.0.1:9")
    code, found = look(lumos)
    assert code == 1
    assert "http://127.0.0.1:9: does not answer: Connection refused" in problems(found).values()
    ran = lumos("doctor", "--catalog", "hut", "--json")
    assert checks(ran)["catalog"]["found"] == "there is no catalog `hut`"


def test_a_folder_and_lite_can_be_looked_at_as_well(lumos: Lumos, shop: Path) -> None:
    said = "{name: hub, type: files, path: ../copy}, {name: lite, type: datahub-lite}"
    (shop / "lumos.yaml").write_text(f"version: 1\ncatalogs: [{said}]\n")
    assert look(lumos)[1]["contents"]["found"] == "0 documents"
    lumos("snap", "sync", "--to", "hub", "--apply", "--yes")
    assert look(lumos)[1]["contents"]["found"] == "36 documents"
    ran = lumos("doctor", "--catalog", "lite", "--json")
    assert (ran.code, checks(ran)["contents"]["found"]) == (0, "0 documents")

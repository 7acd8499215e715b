"""A catalog that is not there is no empty one: nothing is taken from it, and nothing equals it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Lumos

PLACES = {
    "files": "../nowhere",
    "files ": "../nowhere.json",
    "datahub-lite": "../nowhere.db",
}


@pytest.mark.parametrize("sort", PLACES)
def test_it_is_told_and_nothing_is_written(
    shop: Path, lumos: Lumos, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "HOME", str(shop.parent)
    )  # DataHub's package writes into it once it is loaded
    with (shop / "lumos.yaml").open("a") as settings:
        settings.write(f"catalogs: [{{name: far, type: {sort}, path: {PLACES[sort]}}}]\n")
    backup = shop.parent / "backup.json"
    backup.write_text("What was saved before.")
    for command in (
        ("import", "--from", "far"),
        ("export", "--from", "far", "-o", backup),
        ("verify", "--source", "tree", "--target", "far"),
        ("verify", "--source", "far", "--target", "far"),
    ):
        ran = lumos("snap", *command)
        assert (ran.code, "the catalog far is not there" in ran.err) == (3, True), command
    assert backup.read_text() == "What was saved before."
    assert not (shop.parent / PLACES[sort].removeprefix("../")).exists()

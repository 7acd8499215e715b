"""`lumos snap sync` says how far it is, on a terminal and nowhere else."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Lumos
from tests.cli.hub import Hub
from tests.gms import running
from tests.terminal import shown

NUMBER = 1_200


@pytest.fixture
def hub(tmp_path: Path, lumos: Lumos, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("HOME", str(tmp_path))  # DataHub's package writes into it once it is loaded
    monkeypatch.setenv("DATAHUB_GMS_TOKEN", "secret")
    with running(token="secret") as gms:  # noqa: S106
        made = Hub(tmp_path / "home", gms, lumos)
        for number in range(NUMBER):
            made.put(f"t{number:04}")
        made.commit("Start")
        yield made


def on_a_terminal(hub: Hub, *options: str, **environment: str) -> list[str]:
    """What a command writes over one line, one state after the other."""
    return shown(hub.tree, "snap", "sync", *options, **environment)


def test_reading_and_writing_tell_how_many_how_fast_and_what_is_left(hub: Hub) -> None:
    hub.gms.latency = 0.02
    lines = on_a_terminal(hub, "--apply", "--yes")
    total = f"{NUMBER:,}"
    assert any(line.startswith(f"read 0 of {total} documents") for line in lines), lines[:9]
    assert f"read {total} of {total} documents" in "\n".join(lines)
    rates = rf"wrote datasets: [\d,]+ of {total}, [\d,]+ a second, \d+ s left"
    assert any(re.fullmatch(rates, line) for line in lines), lines
    assert any(line.startswith(f"read back {total} of {total} documents") for line in lines)
    hub.gms.latency = 0.7
    lines = on_a_terminal(hub)
    rates = rf"read [\d,]+ of {total} documents, [\d,]+ a second(, \d+ s left)?"
    assert any(re.fullmatch(rates, line) for line in lines), lines


def test_where_nobody_looks_nothing_is_shown(hub: Hub) -> None:
    assert on_a_terminal(hub, CI="true") == [""]
    ran = hub.run()
    assert (ran.code, ran.err) == (0, "")

"""The output formats of `lumos snap diff`."""

from pathlib import Path

import pytest

from lumos_snap.render import diff_formats
from tests.cli.conftest import Lumos
from tests.cli.test_diff import ORDERS, drop, edit


def test_every_format_is_named_in_the_help(lumos: Lumos) -> None:
    told = " ".join(lumos("snap", "diff", "--help").out.split())
    assert f"Print or write {diff_formats.format_names()};" in told


@pytest.mark.parametrize("name", diff_formats.FORMATS)
def test_the_exit_code_is_the_same_in_each_format(lumos: Lumos, shop: Path, name: str) -> None:
    assert lumos("snap", "diff", "--output", name).code == 0
    edit(shop / ORDERS, drop("coupon"))
    assert lumos("snap", "diff", "--output", name).code == 1

"""A second scan changes nothing, whatever the lake looks like."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from lumos_snap import open_tree
from lumos_snap.cli import main
from lumos_snap.commands.scan.command import scan
from lumos_snap.commands.scan.options import ScanOptions
from tests.commands.scan.conftest import NOW

pytestmark = pytest.mark.slow

_folders = st.sampled_from(["", "x", "x/data", "x/t1", "raw/2026/01/15", "x/k=1", "data"])
_names = st.sampled_from(["t1", "t2", "data", "part-0", "part-1", "x", "orders_1", "orders_2", "a"])
_columns = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True)
_endings = st.sampled_from(["csv", "json", "tsv"])
lakes = st.dictionaries(st.tuples(_folders, _names, _endings), _columns, min_size=1, max_size=7)


def _fill(lake: Path, files: dict[tuple[str, str, str], list[str]]) -> None:
    for (folder, name, ending), columns in files.items():
        path = lake / folder / f"{name}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        sign = "\t" if ending == "tsv" else ","
        rows = [columns, *[[str(n)] * len(columns) for n in range(3)]]
        lines = "{" + ", ".join(f'"{one}": 1' for one in columns) + "}\n"
        text = lines if ending == "json" else "".join(sign.join(row) + "\n" for row in rows)
        path.write_text(text)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(lakes)
def test_a_second_scan_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    spark: SparkSession,
    files: dict[tuple[str, str, str], list[str]],
) -> None:
    home = tmp_path_factory.mktemp("home")
    _fill(home / "lake", files)
    assert main(["snap", "init", str(home)]) == 0
    asked = ScanOptions(sources=(str(home / "lake"),), session=spark)
    first = scan(open_tree(home), asked, now=NOW)
    assert first.bad_files == ()
    again = scan(open_tree(home), asked, now=NOW)
    assert [(one.urn, one.outcome) for one in again.datasets if one.outcome != "unchanged"] == []
    assert again.written == ()
    shutil.rmtree(home)

"""Java that was launched early is used, or ended: it is never left behind."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

_PROGRAM = """
import sys
from contextlib import ExitStack
from lumos_snap.scan.executors.engine import Engine, SparkOptions

with ExitStack() as stack:
    engine = Engine("spark", SparkOptions(why_not=lambda: None), stack)
    engine.begin()
    engine.settle()
    from pyspark import SparkContext
    java = SparkContext._gateway.proc
    assert java.poll() is None
    if sys.argv[1] == "used":
        assert engine.running().spark.range(3).count() == 3
        assert SparkContext._gateway.proc is java
assert (java.poll() is None) == (sys.argv[1] == "used")
print("as it should be")
"""


@pytest.mark.parametrize("what", ["used", "not needed"])
def test_it_is_used_or_ended(what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, what], capture_output=True, text=True, check=False
    )
    assert done.stdout == "as it should be\n", done.stderr

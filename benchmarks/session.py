"""The start of a session as a scan starts it, one job that does nothing, and the end."""

import pyarrow as pa

from lumos_snap.scan.spark.session import spark_session


def _nothing() -> None:
    return None


with spark_session(None, master=None, settings={}, why_not=_nothing) as running:
    running.spark.createDataFrame(pa.table({"number": [1]})).toArrow()

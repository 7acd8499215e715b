"""The reports of `lumos spark`."""

from typing import Literal

from lumos_snap.report.envelope import Report
from lumos_snap.schema import Maybe, Natural, Text, value_class


@value_class
class SparkServer(Report):
    """The report of `lumos spark start`, `stop` and `status`."""

    report: Literal["spark-server"] = "spark-server"
    running: bool
    change: Maybe[Literal["started", "stopped"]] = None  # what the command did
    url: Maybe[Text] = None
    pid: Maybe[Natural] = None
    spark: Maybe[Text] = None  # the version of PySpark
    memory: Maybe[Text] = None
    idle_seconds: Maybe[Natural] = None  # it stops after so many seconds without a scan
    in_use: Maybe[bool] = None
    unused_seconds: Maybe[Natural] = None  # since the last scan, or since the start
    not_used_because: Maybe[Text] = None  # why scans from here do not use it

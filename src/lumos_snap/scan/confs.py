"""Settings of Spark: those that `lumos.yaml` may make, and those that only a command may.

Any commit can change `lumos.yaml`, and most settings can make Spark start a program, load a class
or connect to a server. What may stand there is therefore a list of what cannot.
"""

import re
from collections.abc import Mapping, Sequence

from lumos_snap.errors import LumosError
from lumos_snap.scan.whereabouts import _MASTER, is_local

_HARMLESS = re.compile(
    r"""spark\.(
        app\.name | default\.parallelism | network\.timeout | locality\.wait | speculation
      | (driver|executor)\.(memory|memoryOverhead|memoryOverheadFactor|cores|maxResultSize)
      | executor\.instances | cores\.max | task\.(cpus|maxFailures) | scheduler\.mode
      | dynamicAllocation\.[A-Za-z.]+ | yarn\.queue | kubernetes\.namespace
      | sql\.(shuffle\.partitions|session\.timeZone)
      | sql\.adaptive\.(?!customCostEvaluatorClass)[A-Za-z.]+
      | sql\.(files|execution\.arrow)\.[A-Za-z.]+
    )""",
    re.VERBOSE,
)


def from_file(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings in `lumos.yaml`; raises at the first that could start or reach something."""
    for name, value in settings.items():
        if name == _MASTER and is_local(value):
            continue
        if not _HARMLESS.fullmatch(name):
            raise LumosError(
                f"lumos.yaml: spark: {name} can make Spark run a program or reach a server, and "
                "any commit can change this file",
                hint=f"set it where no commit can: `--conf {name}=…`, or `spark-defaults.conf` in"
                " SPARK_CONF_DIR",
            )
    return dict(settings)


def from_command(given: Sequence[str]) -> dict[str, str]:
    """The settings that a command names, as NAME=VALUE."""
    parted = {one: one.partition("=") for one in given}
    for one, (name, equals, _) in parted.items():
        if not (name.startswith("spark.") and equals):
            raise LumosError(
                f"--conf {one}: is no setting of Spark", hint="--conf spark.executor.memory=1g"
            )
    return {name: value for name, _, value in parted.values()}

"""How datasets and columns must be called."""

import functools
import re
from collections.abc import Iterator

from lumos_snap.config.demands import NamingDemand
from lumos_snap.rules import states
from lumos_snap.rules.breach import COLUMNS, Breach
from lumos_snap.rules.state import State


def breaches(demand: NamingDemand, state: State) -> Iterator[Breach]:
    """Names that do not match."""
    pattern = compiled(demand.pattern)
    if demand.of == "datasets":
        name = str(state.document["name"])
        if pattern.fullmatch(name) is None:
            yield Breach(
                states.DATASET_MISNAMED,
                at=("name",),
                item=demand.pattern,
                old=name,
                new=demand.pattern,
            )
        return
    for path, column in state.columns:
        if pattern.fullmatch(column["name"]) is None:
            yield Breach(
                states.COLUMN_MISNAMED,
                at=COLUMNS,
                path=path,
                id=column.get("id"),
                item=demand.pattern,
                new=demand.pattern,
            )


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of names; raises `re.error` where it is none."""
    return re.compile(pattern)

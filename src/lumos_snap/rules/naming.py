"""How datasets and columns must be called."""

from collections.abc import Iterator

from lumos_snap.config.demands import NamingDemand
from lumos_snap.documents.patterns import regular_expression
from lumos_snap.rules import states
from lumos_snap.rules.breach import COLUMNS, Breach
from lumos_snap.rules.state import State


def breaches(demand: NamingDemand, state: State) -> Iterator[Breach]:
    """Names that do not match."""
    is_right = regular_expression(demand.pattern)
    if demand.of == "datasets":
        name = str(state.document["name"])
        if not is_right(name):
            yield Breach(
                states.DATASET_MISNAMED,
                at=("name",),
                item=demand.pattern,
                old=name,
                new=demand.pattern,
            )
        return
    for path, column in state.columns:
        if not is_right(column["name"]):
            yield Breach(
                states.COLUMN_MISNAMED,
                at=COLUMNS,
                path=path,
                id=column.get("id"),
                item=demand.pattern,
                new=demand.pattern,
            )

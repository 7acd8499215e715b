"""Lineage: the upstream datasets and columns of a dataset."""

from enum import StrEnum
from typing import Annotated

from lumos_snap.model.scalars import Amount, PathText, UrnText
from lumos_snap.schema import Keyed, Maybe, Text, Value, value_class


@value_class
class ColumnEdge(Value):
    """A column and its upstream column; without `from`, the column has no upstream."""

    from_: Annotated[Maybe[PathText], "the upstream field that it is made from"] = None
    to: Annotated[PathText, "the field of this dataset that is made"]
    transformation: Annotated[Maybe[Text], "the expression that makes it"] = None
    confidence: Annotated[Maybe[Amount], "how sure this is, between 0 and 1; 1 if left out"] = None


class EdgeType(StrEnum):
    """How data gets from one dataset to another."""

    TRANSFORMED = "TRANSFORMED"
    COPIED = "COPIED"
    VIEW = "VIEW"


@value_class
class Edge(Value):
    """An edge from an upstream dataset. An origin changes only its own edges."""

    urn: Annotated[UrnText, "the dataset that this one is made from"]
    type: Annotated[Maybe[EdgeType], "how the data gets from there to here"] = None
    via: Annotated[Maybe[Text], "the job that makes the edge"] = None
    origin: Annotated[
        Maybe[Text], "who found the edge: manual, sql, dbt, openlineage, …; only it changes it"
    ] = None
    confidence: Annotated[
        Maybe[Amount], "how sure the origin is, between 0 and 1; 1 if left out"
    ] = None
    share: Annotated[
        Maybe[Amount], "the part of the upstream cost that this edge carries, between 0 and 1"
    ] = None
    description: Annotated[Maybe[Text], "what happens to the data on the way"] = None
    columns: Annotated[
        tuple[ColumnEdge, ...], Keyed("to", "from"), "which columns are made from which"
    ] = ()


@value_class
class Lineage(Value):
    """The upstream datasets. Downstream lineage is derived from other snapshots."""

    upstream: Annotated[
        tuple[Edge, ...],
        Keyed("urn", "origin", "via"),
        "the datasets it is made from; an incremental job may name the dataset itself",
    ] = ()

"""Observations: what was measured of a dataset at one time. They are kept out of the snapshot."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from lumos_snap.model.names import Amount, FormatVersion, Moment, UrnText
from lumos_snap.shape import Json, Keyed, Maybe, Natural, Text, Unordered, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRange(Value):
    """The first and last value of a partition column, as its format writes them."""

    name: Text
    first: Maybe[Text] = None
    last: Maybe[Text] = None
    count: Maybe[Natural] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData(Value):
    """How much lies there."""

    files: Maybe[Natural] = None
    bytes: Maybe[Natural] = None
    rows: Maybe[Natural] = None
    rows_estimated: Maybe[bool] = None
    first_modified: Maybe[Moment] = None
    last_modified: Maybe[Moment] = None
    version: Maybe[Text] = None
    format_versions: Annotated[tuple[str, ...], Unordered()] = ()
    codecs: Annotated[tuple[str, ...], Unordered()] = ()
    partitions: Annotated[tuple[PartitionRange, ...], Keyed("name")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(Value):
    """One measured figure."""

    name: Text
    value: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult(Value):
    """How a check of the snapshot went."""

    name: Text
    passed: bool
    at: Maybe[Moment] = None
    value: Maybe[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredQuality(Value):
    """How good the data was found to be."""

    score: Maybe[Amount] = None
    freshness: Maybe[Moment] = None
    profiled_at: Maybe[Moment] = None
    metrics: Annotated[tuple[Metric, ...], Keyed("name")] = ()
    checks: Annotated[tuple[CheckResult, ...], Keyed("name")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(Value):
    """What the dataset costs a month."""

    currency: Maybe[Text] = None
    storage: Maybe[Amount] = None
    compute: Maybe[Amount] = None
    transfer: Maybe[Amount] = None
    calculated_at: Maybe[Moment] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Value):
    """When and how often the dataset was used."""

    created_at: Maybe[Moment] = None
    last_accessed: Maybe[Moment] = None
    reads: Maybe[Natural] = None
    readers: Annotated[tuple[str, ...], Unordered()] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Value):
    """The latest reading of one dataset."""

    lumos_version: FormatVersion
    urn: UrnText
    observed_at: Maybe[Moment] = None
    data: StoredData = field(default_factory=StoredData)
    quality: MeasuredQuality = field(default_factory=MeasuredQuality)
    cost: Cost = field(default_factory=Cost)
    usage: Usage = field(default_factory=Usage)
    properties: Mapping[str, Json] = field(default_factory=dict)

"""Observations: values of a dataset measured at one time, stored outside the snapshot."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated

from lumos_snap.model.scalars import Amount, FormatVersion, Moment, OwnUrn, PathText, Words
from lumos_snap.schema import Json, Keyed, Maybe, Natural, Text, Value, value_class


@value_class
class PartitionRange(Value):
    """The first and last value of a partition column, as its format writes them."""

    name: Annotated[Text, "the partition column, as `storage.partitioning` names it"]
    first: Annotated[Maybe[Text], "the smallest value: dates, times and integers only"] = None
    last: Annotated[Maybe[Text], "the largest value: dates, times and integers only"] = None
    count: Annotated[Maybe[Natural], "how many different values there are"] = None


@value_class
class StoredData(Value):
    """The amount of stored data."""

    files: Annotated[Maybe[Natural], "how many files hold the data"] = None
    bytes: Annotated[Maybe[Natural], "how many bytes they take where they lie"] = None
    rows: Annotated[Maybe[Natural], "how many rows there are"] = None
    rows_estimated: Annotated[Maybe[bool], "whether the rows are an estimate, not a count"] = None
    first_modified: Annotated[Maybe[Moment], "when the oldest file was written"] = None
    last_modified: Annotated[Maybe[Moment], "when the newest file was written"] = None
    version: Annotated[Maybe[Text], "the version or snapshot of a Delta, Iceberg or Hudi table"] = (
        None
    )
    format_versions: Annotated[Words, "the versions of the format among the files"] = ()
    codecs: Annotated[Words, "the compressions among the files"] = ()
    partitions: Annotated[
        tuple[PartitionRange, ...], Keyed("name"), "how far each partition column reaches"
    ] = ()


@value_class
class MeasuredField(Value):
    """The measurements of one field. Values of the data themselves are never stored."""

    path: Annotated[PathText, "the field that was measured"]
    nulls: Annotated[Maybe[Natural], "in how many rows it is null"] = None
    distinct: Annotated[Maybe[Natural], "how many different values it has"] = None
    missing_files: Annotated[Maybe[Natural], "how many files lack it"] = None
    last_partition: Annotated[
        Maybe[Text], "the last partition that has it, where the newest one lacks it"
    ] = None


@value_class
class Metric(Value):
    """One measured metric."""

    name: Annotated[Text, "what was measured, as in completeness"]
    value: Annotated[Amount, "the figure"]


@value_class
class CheckResult(Value):
    """The result of a check of the snapshot."""

    name: Annotated[Text, "the check, as `quality.checks` of the snapshot names it"]
    passed: Annotated[bool, "whether it held"]
    at: Annotated[Maybe[Moment], "when it ran"] = None
    value: Annotated[Maybe[Text], "what it found, as in the share of rows that failed"] = None


@value_class
class MeasuredQuality(Value):
    """The measured quality of the data."""

    score: Annotated[Maybe[Amount], "how good the data is; the most is `score_of`"] = None
    score_of: Annotated[Maybe[Amount], 'the best score there can be, as in `"1"` or `"100"`'] = None
    freshness: Annotated[Maybe[Moment], "up to when the data is complete"] = None
    profiled_at: Annotated[Maybe[Moment], "when the data was last looked at"] = None
    metrics: Annotated[tuple[Metric, ...], Keyed("name"), "single figures, by name"] = ()
    checks: Annotated[tuple[CheckResult, ...], Keyed("name"), "how each check went"] = ()


@value_class
class Cost(Value):
    """The monthly cost of the dataset."""

    currency: Annotated[Maybe[Text], "the currency of the amounts, as in EUR"] = None
    storage: Annotated[Maybe[Amount], "what a month of keeping the data costs"] = None
    compute: Annotated[Maybe[Amount], "what a month of making the data costs"] = None
    transfer: Annotated[Maybe[Amount], "what a month of moving the data costs"] = None
    calculated_at: Annotated[Maybe[Moment], "when the amounts were worked out"] = None


@value_class
class Usage(Value):
    """The usage of the dataset."""

    created_at: Annotated[Maybe[Moment], "when the dataset came into being"] = None
    last_accessed: Annotated[Maybe[Moment], "when it was last read"] = None
    reads: Annotated[Maybe[Natural], "how often it was read"] = None
    readers: Annotated[Words, "who read it: people, jobs, services"] = ()


@value_class
class Observation(Value):
    """The latest observation of one dataset."""

    lumos_version: Annotated[FormatVersion, "the version of the format of this document"]
    urn: Annotated[OwnUrn, "the dataset that was measured"]
    observed_at: Annotated[Maybe[Moment], "when it was measured"] = None
    source: Annotated[Maybe[Text], "who measured it: a scan, a catalog, a quality tool"] = None
    data: Annotated[StoredData, "how much lies there"] = field(default_factory=StoredData)
    fields: Annotated[
        tuple[MeasuredField, ...], Keyed("path"), "what was counted in single fields"
    ] = ()
    quality: Annotated[MeasuredQuality, "how good the data was found to be"] = field(
        default_factory=MeasuredQuality
    )
    cost: Annotated[Cost, "what the dataset costs a month"] = field(default_factory=Cost)
    usage: Annotated[Usage, "when and how often it was used"] = field(default_factory=Usage)
    properties: Annotated[Mapping[str, Json], "what else was measured, by name"] = field(
        default_factory=dict
    )

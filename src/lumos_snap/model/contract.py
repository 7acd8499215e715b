"""The guarantees to consumers: contract, quality checks, schedule and SLA."""

from dataclasses import field
from enum import StrEnum
from typing import Annotated, Literal

from lumos_snap.model.scalars import Amount, Day, PathText, UrnText, Words
from lumos_snap.schema import Keyed, Maybe, Natural, Text, Value, value_class


class Lifecycle(StrEnum):
    """The lifecycle stage of a dataset."""

    DRAFT = "draft"
    BETA = "beta"
    STABLE = "stable"


@value_class
class FieldContract(Value):
    """The contract of one field."""

    path: Annotated[PathText, "the field that this is about"]
    id: Annotated[Maybe[Natural], "its field id, which finds it again under another name"] = None
    renamed_from: Annotated[
        Maybe[PathText], "its former path: a diff then shows a rename, not a removal"
    ] = None
    deprecated: Annotated[Maybe[Text], "why it should no longer be used, and what to use"] = None
    sunset: Annotated[Maybe[Day], "the day after which it may be removed"] = None
    default: Annotated[
        Maybe[Text],
        'what readers take where it is missing, a JSON text: `"null"` is the null value',
    ] = None


@value_class
class Contract(Value):
    """The contract of the dataset: what consumers may rely on."""

    lifecycle: Annotated[Maybe[Lifecycle], "how much the dataset promises: drafts never block"] = (
        None
    )
    gate: Annotated[Maybe[Literal["on", "off"]], "whether a breaking change stops a build"] = None
    readers: Annotated[Words, "the engines that read it, as in spark-4: they judge a change"] = ()
    renamed_from: Annotated[Maybe[UrnText], "its former urn: its history goes on from there"] = None
    deprecated: Annotated[Maybe[Text], "why it should no longer be used, and what to use"] = None
    sunset: Annotated[Maybe[Day], "the day after which it may be removed"] = None
    replaced_by: Annotated[Maybe[UrnText], "the dataset that takes its place"] = None
    fields: Annotated[
        tuple[FieldContract, ...], Keyed("path"), "what is promised about single fields"
    ] = ()


class Severity(StrEnum):
    """The severity of a failed check."""

    INFO = "info"
    WARNING = "warning"
    BLOCKING = "blocking"


@value_class
class Check(Value):
    """A quality check of the data."""

    name: Annotated[Text, "what results of the check refer to"]
    type: Annotated[Maybe[Text], "the sort of check, as in not_null, unique, range or sql"] = None
    field: Annotated[Maybe[PathText], "the field that is checked; left out for whole rows"] = None
    expression: Annotated[Maybe[Text], "what must hold, in the language of its origin"] = None
    threshold: Annotated[Maybe[Text], 'where the check fails, as in `"0.99"`'] = None
    severity: Annotated[Maybe[Severity], "what a failure means"] = None
    origin: Annotated[Maybe[Text], "the tool that runs it, as in dbt or soda"] = None
    description: Annotated[Maybe[Text], "why it is checked"] = None


@value_class
class Quality(Value):
    """The quality checks of the data. Results are observations."""

    minimum_score: Annotated[Maybe[Amount], "the quality score below which the data is unfit"] = (
        None
    )
    checks: Annotated[tuple[Check, ...], Keyed("name"), "what is checked, by name"] = ()


@value_class
class Sla(Value):
    """The service levels promised to consumers; durations in ISO 8601."""

    freshness: Annotated[Maybe[Text], "how old the newest data may be, as in PT6H"] = None
    latency: Annotated[Maybe[Text], "how long data takes from its source to here, as in PT15M"] = (
        None
    )
    availability: Annotated[Maybe[Amount], "the percentage of time in which it can be read"] = None
    completeness: Annotated[Maybe[Amount], "the percentage of expected rows that arrive"] = None


@value_class
class Schedule(Value):
    """When the dataset is updated."""

    cron: Annotated[Maybe[Text], "when it is made, as a cron expression"] = None
    every: Annotated[Maybe[Text], "how often it is made, as an ISO 8601 duration"] = None
    timezone: Annotated[Maybe[Text], "the zone that the cron expression is read in"] = None
    sla: Annotated[Sla, "what consumers are promised over time"] = field(default_factory=Sla)

"""Policy requirements on the current state of datasets, independent of changes."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from lumos_snap.documents.patterns import PatternError, regular_expression
from lumos_snap.schema import Maybe, Range, Text, Value, value_class

G = TypeVar("G", bound=Mapping[str, Any])

RequirementLevel = Literal["block", "warn"]
Need = Literal["classification", "owner", "masking"]


@value_class
class Exemption(Value):
    """Datasets that a requirement does not apply to, and why."""

    match: Annotated[Text, "a pattern of dataset paths"]
    reason: Annotated[Text, "why nothing is asked of them"]


@value_class
class Requirement(Value):
    """The datasets that a requirement applies to, and its level."""

    KEY_ORDER: ClassVar[tuple[str, ...]] = (
        *("what", "of", "pattern", "needs", "type", "group", "least", "days", "by"),
        *("match", "level", "except"),
    )

    match: Annotated[Text, "a pattern of dataset paths, as in `s3/lake/gold/**`"] = "**"
    level: Annotated[RequirementLevel, "whether it fails a verdict, as what breaks does"] = "block"
    except_: Annotated[tuple[Exemption, ...], "datasets that it is not asked of"] = ()


@value_class
class MetadataRequirement(Requirement):
    """Required metadata, by its path in the model."""

    what: Annotated[
        Text, "as in `documentation.description`; below `….fields` it is asked of every column"
    ]


@value_class
class OwnerRequirement(Requirement):
    """Required owners."""

    type: Annotated[Maybe[Text], "only owners in this role count, as in DATA_STEWARD"] = None
    group: Annotated[bool, "whether only groups count: people leave, teams stay"] = False
    least: Annotated[int, Range(least=1, most=100), "how many of them there must be"] = 1


@value_class
class PersonalDataRequirement(Requirement):
    """Required metadata of personal data, which is marked `pii`."""

    needs: Annotated[tuple[Need, ...], "what each such column, or its dataset, must have"] = (
        "classification",
        "owner",
    )


@value_class
class FreshnessRequirement(Requirement):
    """The maximum age of data."""

    days: Annotated[int, Range(least=0, most=36_500), "the most days since then"]
    by: Annotated[
        Literal["data", "observation"], "when data was last written, or when somebody last looked"
    ] = "data"


@value_class
class NamingRequirement(Requirement):
    """A required naming pattern."""

    of: Annotated[Literal["datasets", "columns"], "whose names"]
    pattern: Annotated[
        Text,
        "a regular expression that the whole name must match, without look-around and "
        "backreferences; a name of over 255 characters matches none",
    ]

    @staticmethod
    def consistent(given: G) -> G:
        """Check that the pattern can be matched in linear time."""
        try:
            regular_expression(given["pattern"])
        except PatternError as exc:
            shown = given["pattern"][:100]
            raise ValueError(f"unsupported regular expression `{shown}`: {exc}") from exc
        return given

"""What a policy asks of datasets as they stand, whether they change or not."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from lumos_snap.documents.patterns import PatternError, regular_expression
from lumos_snap.schema import Maybe, Range, Text, Value, value_class

G = TypeVar("G", bound=Mapping[str, Any])

RequirementLevel = Literal["block", "warn"]
Need = Literal["classification", "owner", "masking"]


@value_class
class Exemption(Value):
    """Datasets that a demand is not made of, and why."""

    match: Annotated[Text, "a pattern of dataset paths"]
    reason: Annotated[Text, "why nothing is asked of them"]


@value_class
class Requirement(Value):
    """Of which datasets something is asked, and how firmly."""

    KEY_ORDER: ClassVar[tuple[str, ...]] = (
        *("what", "of", "pattern", "needs", "type", "group", "least", "days", "by"),
        *("match", "level", "except"),
    )

    match: Annotated[Text, "a pattern of dataset paths, as in `s3/lake/gold/**`"] = "**"
    level: Annotated[RequirementLevel, "whether it fails a verdict, as what breaks does"] = "block"
    except_: Annotated[tuple[Exemption, ...], "datasets that it is not asked of"] = ()


@value_class
class MetadataRequirement(Requirement):
    """Something that must be said, by its path in the model."""

    what: Annotated[
        Text, "as in `documentation.description`; below `….fields` it is asked of every column"
    ]


@value_class
class OwnerRequirement(Requirement):
    """Owners that there must be."""

    type: Annotated[Maybe[Text], "only owners in this role count, as in DATA_STEWARD"] = None
    group: Annotated[bool, "whether only groups count: people leave, teams stay"] = False
    least: Annotated[int, Range(least=1, most=100), "how many of them there must be"] = 1


@value_class
class PersonalDataRequirement(Requirement):
    """What data about persons, marked `pii`, must have."""

    needs: Annotated[tuple[Need, ...], "what each such column, or its dataset, must have"] = (
        "classification",
        "owner",
    )


@value_class
class FreshnessRequirement(Requirement):
    """How old data may be."""

    days: Annotated[int, Range(least=0, most=36_500), "the most days since then"]
    by: Annotated[
        Literal["data", "observation"], "when data was last written, or when somebody last looked"
    ] = "data"


@value_class
class NamingRequirement(Requirement):
    """How names must be formed."""

    of: Annotated[Literal["datasets", "columns"], "whose names"]
    pattern: Annotated[
        Text,
        "a regular expression that the whole name must match, without look-around and "
        "backreferences; a name of over 255 characters matches none",
    ]

    @staticmethod
    def consistent(given: G) -> G:
        """The pattern is one that is matched in linear time."""
        try:
            regular_expression(given["pattern"])
        except PatternError as exc:
            shown = given["pattern"][:100]
            raise ValueError(f"unsupported regular expression `{shown}`: {exc}") from exc
        return given

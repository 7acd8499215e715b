"""What a consumer's cast makes of a change of type."""

from enum import Enum


class Cast(Enum):
    """What a cast does about a change of type."""

    NONE = "it does not cast the column"
    HOLDS = "every value of the new type becomes one of the type that it casts to"
    DOUBTFUL = "it casts the column, and not every value may fit"

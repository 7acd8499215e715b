"""What the server refuses, in words that each wire mode turns into a status of its own."""

from enum import Enum


class Why(Enum):
    """Why something was refused, with the title that the OpenAPI answers give it."""

    INVALID = "Validation Error"
    FORBIDDEN = "Authorization Error"
    PRECONDITION = "Precondition Error"
    ABSENT = "Not Found"


class Refusal(Exception):  # noqa: N818 - it is an answer, not an error of ours
    """Nothing of the request is stored."""

    def __init__(self, why: Why, message: str) -> None:
        super().__init__(message)
        self.why = why
        self.message = message


class BadUrn(Refusal):
    """What should be a urn is none."""

    def __init__(self, urn: str) -> None:
        super().__init__(Why.INVALID, f"Invalid urn!: {urn}")


class Dropped(Refusal):
    """Refused by OpenAPI; left out in silence by rest.li, which then says that all went well."""

    def __init__(self, message: str) -> None:
        super().__init__(Why.INVALID, message)

"""Scalar types that documents share: urns, field paths, versions, timestamps, amounts."""

from typing import Annotated

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.schema import Chars, NameKind, Text, Unordered

# `$(?!\n)`: in Python alone, `$` also matches before a final newline.
END = r"$(?!\n)"

PLATFORM_PATTERN = r"[a-z][a-z0-9_-]*"
_NUMBER = "(0|[1-9][0-9]*)"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
_ZONE = "(Z|[+-][0-9]{2}:[0-9]{2})"
# A patch version changes no document's meaning: all versions of 1.0 can read 1.0.7.
_KNOWN = FORMAT_VERSION.rpartition(".")[0].replace(".", r"\.")

_URN = Chars(
    pattern=rf"^lumos://{PLATFORM_PATTERN}(/[^/\x00-\x1f\x7f]+)+{END}",
    form="a urn, lumos://platform/…/name",
)
OwnUrn = Annotated[str, _URN]
"""A document's own urn, which has a validation rule of its own."""
UrnText = Annotated[str, _URN, NameKind.DATASET]
PathText = Annotated[Text, NameKind.FIELD]
Platform = Annotated[
    str,
    Chars(
        pattern=rf"^{PLATFORM_PATTERN}{END}",
        form="a platform such as s3: lower-case letters, digits, `_` and `-`",
    ),
]
Version = Annotated[
    str,
    Chars(
        pattern=rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-[0-9A-Za-z.-]+)?{END}",
        form="a version such as 2.1.0",
    ),
]
FormatVersion = Annotated[
    str,
    Chars(
        pattern=rf"^{_KNOWN}\.[0-9]+{END}", form=f"a version of the format such as {FORMAT_VERSION}"
    ),
]
Moment = Annotated[
    str, Chars(pattern=f"^{_DAY}T{_TIME}{_ZONE}{END}", form="a moment such as 2026-01-15T10:00:00Z")
]
Day = Annotated[str, Chars(pattern=f"^{_DAY}{END}", form="a date such as 2026-01-15")]
Amount = Annotated[
    str, Chars(pattern=rf"^-?{_NUMBER}(\.[0-9]+)?{END}", form="a number such as 98.5")
]

Words = Annotated[tuple[Text, ...], Unordered()]
Columns = tuple[PathText, ...]

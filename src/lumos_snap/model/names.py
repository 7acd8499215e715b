"""The words that documents share: urns, versions, moments, amounts."""

from typing import Annotated

from lumos_snap.shape import Chars

# `$(?!\n)`: Python alone lets `$` match before a final newline.
END = r"$(?!\n)"

PLATFORM_PATTERN = r"[a-z][a-z0-9_-]*"

UrnText = Annotated[
    str,
    Chars(pattern=rf"^lumos://{PLATFORM_PATTERN}(/[^/\x00-\x1f\x7f]+)+{END}"),
]
Platform = Annotated[str, Chars(pattern=rf"^{PLATFORM_PATTERN}{END}")]
Version = Annotated[
    str,
    Chars(
        pattern=rf"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?{END}".replace(
            r"\d", "[0-9]"
        )
    ),
]
FormatVersion = Annotated[str, Chars(pattern=rf"^1\.[0-9]+\.[0-9]+{END}")]
Moment = Annotated[
    str,
    Chars(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?"
        rf"(Z|[+-][0-9]{{2}}:[0-9]{{2}}){END}"
    ),
]
Day = Annotated[str, Chars(pattern=rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{END}")]
Amount = Annotated[str, Chars(pattern=rf"^-?(0|[1-9][0-9]*)(\.[0-9]+)?{END}")]

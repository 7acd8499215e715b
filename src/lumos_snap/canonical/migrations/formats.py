"""Documents of older versions of the format: a row per step, from each version to the next.

A step is a pure function of one document, and frozen as all migrations are. The patch number of a
version changes no document, so that steps lead from one major and minor number to another.
"""

import re
from collections.abc import Callable, Mapping

from lumos_snap.canonical.migrations.upgraded import Document

Format = tuple[int, int]
Step = Callable[[str, Document], Document]  # what a document of a kind (snapshot, user, …) becomes

STEPS: Mapping[Format, tuple[Format, Step]] = {}
"""By the version that a document is in: the version after it, and the step that leads there."""


def format_of(version: str) -> Format | None:
    """The format that a version names; its patch number plays no part."""
    match = re.fullmatch(r"([0-9]{1,18})\.([0-9]{1,18})\.[0-9]+", version)
    return (int(match[1]), int(match[2])) if match else None


def in_format(
    document: Document,
    kind: str,
    to: Format,
    steps: Mapping[Format, tuple[Format, Step]] = STEPS,
) -> Document | None:
    """The document in a later format, or None where no steps lead there."""
    version = document.get("lumos_version")
    at = format_of(version) if isinstance(version, str) else None
    while at is not None and at < to:
        if at not in steps:
            return None
        at, step = steps[at]
        document = {**step(kind, document), "lumos_version": f"{at[0]}.{at[1]}.0"}
    return document if at == to else None

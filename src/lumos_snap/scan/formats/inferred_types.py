"""Shared by text formats: schemas with inferred types, and notes."""

from collections.abc import Mapping, Sequence
from typing import Any

from lumos_snap.model.snapshot import Schema
from lumos_snap.model.types import Field
from lumos_snap.scan.schemas.supertype import DatasetSchema

MOST_NOTES = 50
"""Maximum number of columns with a note of their own: a file may have thousands."""

_UNNAMED = {
    "utf-8 with a mark": "the text begins with a byte-order mark",
    "utf-8 with damage": "some characters are not valid UTF-8",
}
_FLAGS = {"truncated": "the compressed stream ends early: only its beginning was read"}


def replace_surrogates(name: str) -> str:
    """Replace lone surrogates, which JSON allows, so that a name can be encoded."""
    return name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def describe_text_file(
    fields: Sequence[Field],
    evidence: Mapping[str, Any],
    *,
    options: Mapping[str, str],
    notes: Sequence[str],
    flags: Mapping[str, str],
) -> DatasetSchema:
    """Describe a text file, with a note for each flag and doubt."""
    encoding = evidence.get("encoding")
    of_file = [{**_FLAGS, **flags}[flag] for flag in evidence["flags"]]
    if encoding in _UNNAMED:
        of_file.insert(0, _UNNAMED[encoding])
    more = len(notes) - MOST_NOTES
    rest = [f"{more} more columns have values of several kinds"] if more > 0 else []
    return DatasetSchema(
        Schema(inferred=True, fields=tuple(fields)),
        options=options,
        encoding=None if encoding in _UNNAMED else encoding,
        notes=(*of_file, *notes[:MOST_NOTES], *rest),
    )

"""The result of a probe for one file."""

import json
from typing import NamedTuple


class ProbeResult(NamedTuple):
    """One file's evidence. Files with equal `format` and `schema` are described once."""

    format: str
    schema: str
    """JSON text: the file's column metadata in the terms of its format. No data values."""
    rows: int | None = None
    version: str = ""
    codecs: tuple[str, ...] = ()


def encode_evidence(evidence: object) -> str:
    """Encode evidence as text; equal evidence has equal text."""
    return json.dumps(evidence, ensure_ascii=True, separators=(",", ":"))  # noqa: TID251 - no document of ours

"""What a probe says of one file."""

import json
from typing import Any, NamedTuple


class ProbeResult(NamedTuple):
    """One file's evidence. Files with equal `format` and `schema` are described once."""

    format: str
    schema: str
    """JSON text: what the file says of its columns, as the format says it. No data values."""
    rows: int | None = None
    version: str = ""
    codecs: tuple[str, ...] = ()


def encode_evidence(evidence: Any) -> str:
    """Evidence as text: equal evidence is equal text."""
    return json.dumps(evidence, ensure_ascii=True, separators=(",", ":"))  # noqa: TID251 - no document of ours

"""One completed change of a Hudi table: JSON, or, since version 8, a record in an Avro file."""

from collections.abc import Mapping
from typing import Any

from lumos_snap.scan.probe import avro
from lumos_snap.scan.probe.tables import text
from lumos_snap.scan.probe.tables.avro_record import first_record


def commit(held: bytes) -> tuple[str, Mapping[str, str]]:
    """The operation, and what was stated beside it."""
    if held.startswith(avro.MAGIC):
        said = first_record(held)
    else:
        said = text.parsed(held, is_cut=not held.rstrip().endswith(b"}"))
    extra = said.get("extraMetadata")
    stated = extra.items() if isinstance(extra, dict) else ()
    operation = _text(said.get("operationType"))
    return operation.upper(), {name: one for name, one in stated if isinstance(one, str)}


def _text(held: Any) -> str:
    return held if isinstance(held, str) else ""

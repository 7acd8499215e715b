"""The probe of Arrow IPC: the footer of a file (Feather V2), or the first message of a stream.

By the specification a file begins with that message too, but Polars frames it differently there.
"""

from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.stores.store import BadFileError, RangedFile

MAGIC = b"ARROW1"
MAGIC_FEATHER_1 = b"FEA1"
MAGIC_STREAM = b"\xff\xff\xff\xff"
"""Start of a message since Arrow 0.15; before, a message starts with its length."""

MOST_FOOTER = 64 * 1024 * 1024
MOST_SCHEMA = 16 * 1024 * 1024
MOST_TEXT = 4096
"""Longer descriptions are truncated."""

_START = MAGIC + bytes(2)  # padded to eight bytes
_TRAILER = 10  # the length of the footer, and the magic
_ABOUT = (b"description", b"comment")
_EXTENSION = b"ARROW:extension:name"
_FIELD_ID = b"PARQUET:field_id"

FieldEvidence = JsonObject


def probe(file: RangedFile) -> ProbeResult:
    """Read the columns of a file."""
    _require_bytes(file)
    head = file.head()
    if head.startswith(MAGIC_FEATHER_1):
        raise BadFileError(
            error_codes.DAMAGED, "Feather V1 is not read: write it again as Arrow IPC (Feather V2)"
        )
    if not head.startswith(MAGIC):
        raise BadFileError(error_codes.DAMAGED, "it does not begin as an Arrow file does")
    return ProbeResult(
        "arrow", encode_evidence({"fields": _decode_fields(_read_footer(file), _footer_schema)})
    )


def probe_stream(file: RangedFile) -> ProbeResult:
    """Read the columns of a stream of messages that is stored as a file."""
    _require_bytes(file)
    schema = encode_evidence({"fields": decode_fields(_read_message(file))})
    return ProbeResult("arrow", schema, version="stream")


def _require_bytes(file: RangedFile) -> None:
    if not file.size:
        raise BadFileError(error_codes.EMPTY, "it has no bytes")


def _read_footer(file: RangedFile) -> bytes:
    """Return the footer as a file without data: pyarrow reads nothing else to open it."""
    tail = file.tail()
    if file.size < len(_START) + _TRAILER or not tail.endswith(MAGIC):
        raise BadFileError(error_codes.TRUNCATED, "it does not end as an Arrow file does")
    length = int.from_bytes(tail[-_TRAILER : -len(MAGIC)], "little", signed=True)
    if not 0 < length <= file.size - len(_START) - _TRAILER:
        raise BadFileError(error_codes.DAMAGED, f"its footer cannot have {length} bytes")
    if length > MOST_FOOTER:
        raise BadFileError(error_codes.TOO_LARGE, f"its footer has {length} bytes")
    whole = file.tail(length + _TRAILER)
    if len(whole) < length + _TRAILER:
        raise BadFileError(error_codes.TRUNCATED, "it ended while it was read")
    return _START + whole


def _read_message(file: RangedFile) -> bytes:
    """Read the first message of a stream; a schema message has no body."""
    head = file.head()[:8]
    words = 8 if head.startswith(MAGIC_STREAM) else 4
    if len(head) < words:
        raise BadFileError(error_codes.TRUNCATED, "it ends before its schema")
    length = int.from_bytes(head[words - 4 : words], "little", signed=True)
    if length <= 0:
        raise BadFileError(error_codes.DAMAGED, f"its schema cannot have {length} bytes")
    if words + length > file.size:
        raise BadFileError(error_codes.TRUNCATED, "it ends inside its schema")
    if length > MOST_SCHEMA:
        raise BadFileError(error_codes.TOO_LARGE, f"its schema has {length} bytes")
    return file.head(words + length)


def decode_fields(message: bytes) -> list[FieldEvidence]:
    """Decode the fields of the schema in a message, without the schema's own metadata.

    That depends on the data, as pandas' index ranges do.
    """
    return _decode_fields(message, _message_schema)


def _footer_schema(pa: Any, data: bytes) -> Any:
    return pa.ipc.open_file(pa.BufferReader(data)).schema


def _message_schema(pa: Any, data: bytes) -> Any:
    return pa.ipc.read_schema(pa.py_buffer(data))


def _decode_fields(data: bytes, schema_in: Callable[[Any, bytes], Any]) -> list[FieldEvidence]:
    import pyarrow as pa

    try:
        return [_field(field) for field in schema_in(pa, data)]
    except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise BadFileError(
            error_codes.DAMAGED, f"its schema cannot be decoded: {reason}"
        ) from error


def _field(field: Any) -> FieldEvidence:
    found: dict[str, object] = {"name": field.name, **_type(field.type)}
    if not field.nullable:
        found["nullable"] = False
    metadata = field.metadata or {}
    about = next((text for key in _ABOUT if (text := metadata.get(key))), b"")
    if about:
        found["about"] = about.decode("utf-8", "backslashreplace")[:MOST_TEXT]
    if _EXTENSION in metadata:  # an unknown extension type
        found["extension"] = metadata[_EXTENSION].decode("utf-8", "backslashreplace")[:MOST_TEXT]
    number = metadata.get(_FIELD_ID, b"")
    if number.isdigit() and len(number) < 10:  # noqa: PLR2004 - an id has 32 bits
        found["id"] = int(number)
    return found


def _type(given: Any) -> FieldEvidence:
    """Convert a type to a tree; dictionaries and runs are encodings of their value type."""
    extension = getattr(given, "extension_name", None)
    if extension is not None:
        return {**_type(given.storage_type), "extension": str(extension)[:MOST_TEXT]}
    read = _PARAMETERS.get(type(given).__name__)
    return read(given) if read else {"type": str(given)}


def _clock(name: str) -> Callable[[Any], FieldEvidence]:
    return lambda given: {"type": name, "unit": given.unit}


def _timestamp(given: Any) -> FieldEvidence:
    zone = {} if given.tz is None else {"zone": given.tz[:MOST_TEXT]}
    return {"type": "timestamp", "unit": given.unit, **zone}


def _decimal(given: Any) -> FieldEvidence:
    return {"type": "decimal", "precision": given.precision, "scale": given.scale}


def _list(given: Any) -> FieldEvidence:
    return {"type": "list", "element": _field(given.value_field)}


def _list_with_length(given: Any) -> FieldEvidence:
    return {**_list(given), "type": "fixed_size_list", "length": given.list_size}


def _struct(name: str) -> Callable[[Any], FieldEvidence]:
    return lambda given: {
        "type": name,
        "members": [_field(given.field(i)) for i in range(given.num_fields)],
    }


def _map(given: Any) -> FieldEvidence:
    return {"type": "map", "key": _field(given.key_field), "value": _field(given.item_field)}


_PARAMETERS: Mapping[str, Callable[[Any], FieldEvidence]] = {
    **dict.fromkeys(
        ("Decimal32Type", "Decimal64Type", "Decimal128Type", "Decimal256Type"), _decimal
    ),
    **dict.fromkeys(("ListType", "LargeListType", "ListViewType", "LargeListViewType"), _list),
    **dict.fromkeys(("UnionType", "DenseUnionType", "SparseUnionType"), _struct("union")),
    **dict.fromkeys(("DictionaryType", "RunEndEncodedType"), lambda t: _type(t.value_type)),
    "FixedSizeListType": _list_with_length,
    "FixedSizeBinaryType": lambda t: {"type": "fixed_size_binary", "length": t.byte_width},
    "TimestampType": _timestamp,
    "Time32Type": _clock("time"),
    "Time64Type": _clock("time"),
    "DurationType": _clock("duration"),
    "StructType": _struct("struct"),
    "MapType": _map,
}

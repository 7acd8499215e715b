"""The probe of Parquet: schema, row count, codecs and writers' metadata from the footer.

It has its own decoder, because pyarrow's crashes the process on some damaged footers, allocates
whatever a footer of a hundred bytes claims, and supports only the types of its version. A footer is
decoded up to its first row group; after that, only writers' metadata is searched.
"""

from typing import Any

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult, encode_evidence
from lumos_snap.scan.formats.parquet import metadata, thrift
from lumos_snap.scan.stores.store import BadFileError, RangedFile

MAGIC = b"PAR1"
MAGIC_ENCRYPTED = b"PARE"

MOST_FOOTER = 64 * 1024 * 1024
MOST_COLUMNS = 100_000
MOST_CHUNKS = 10
"""Number of columns of the first row group whose codec is read: writers rarely mix codecs."""
MOST_KNOWN = 32
LARGEST_KNOWN = 64 * 1024

_TRAILER = 8  # the length of the footer, and the magic
_VERSION, _SCHEMA, _ROWS, _GROUPS = 1, 2, 3, 4
_NUMBERS = {
    1: "type", 2: "length", 3: "repetition", 5: "children", 6: "converted", 7: "scale",
    8: "precision", 9: "id",
}  # fmt: skip
_ELEMENT = {
    **{number: (name, thrift.I32) for number, name in _NUMBERS.items()},
    4: ("name", thrift.BINARY),
    10: ("logical", thrift.STRUCT),
}
_NOTHING = ("", -1)
_REPEATED = 2
_MOST_ROWS = 2**53
_CODECS = ("uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4_raw")
_CHUNK_META, _CHUNK_CRYPTO, _META_CODEC = 3, 8, 4

_known: dict[bytes, tuple[str, str]] = {}
"""Cache of version and columns as text, by the first bytes of a footer up to the schema."""


def probe(file: RangedFile) -> ProbeResult:
    """Read the footer of a file."""
    footer = _read_footer(file)
    try:
        return _decode_footer(footer)
    except (thrift.ThriftError, IndexError) as error:
        detail = str(error) if isinstance(error, thrift.ThriftError) else "it ends too early"
        raise BadFileError(
            error_codes.DAMAGED, f"its footer cannot be decoded: {detail}"
        ) from error


def _read_footer(file: RangedFile) -> bytes:
    if not file.size:
        raise BadFileError(error_codes.EMPTY, "it has no bytes")
    tail = file.tail()
    magic = tail[-4:]
    if magic == MAGIC_ENCRYPTED:
        raise BadFileError(error_codes.ENCRYPTED, "its footer is encrypted")
    if magic != MAGIC:
        if file.head(4) in (MAGIC, MAGIC_ENCRYPTED):
            raise BadFileError(error_codes.TRUNCATED, "it begins as Parquet and has no footer")
        raise BadFileError(error_codes.DAMAGED, "it does not end as Parquet does")
    length = int.from_bytes(tail[-_TRAILER:-4], "little")
    if not 0 < length <= file.size - _TRAILER - len(MAGIC):
        raise BadFileError(error_codes.DAMAGED, f"its footer cannot have {length} bytes")
    if length > MOST_FOOTER:
        raise BadFileError(error_codes.TOO_LARGE, f"its footer has {length} bytes")
    whole = file.tail(length + _TRAILER)
    if len(whole) < length + _TRAILER:
        raise BadFileError(error_codes.TRUNCATED, "it ended while it was read")
    return whole[:-_TRAILER]


def _decode_footer(footer: bytes) -> ProbeResult:
    reader = thrift.CompactReader(footer)
    version, columns = _read_columns(footer, reader)
    rows: int | None = None
    codecs: set[str] = set()
    encrypted = False
    for number, kind in reader.fields(_SCHEMA):
        if number == _ROWS and kind in thrift.INTEGERS:
            rows = reader.integer()
        elif number == _GROUPS and kind == thrift.LIST:
            codecs, encrypted = _read_chunks(reader)
            break  # the rest is only searched
        else:
            reader.skip(kind)
    said = metadata.read_writer_metadata(footer, reader.at)
    if encrypted:
        said["encrypted"] = True
    schema = f'{{"columns":{columns}}}'
    if said:
        schema = f"{schema[:-1]},{encode_evidence(said)[1:]}"
    rows = rows if rows is not None and 0 <= rows < _MOST_ROWS else None
    return ProbeResult("parquet", schema, rows, version, tuple(sorted(codecs)))


def _read_columns(footer: bytes, reader: thrift.CompactReader) -> tuple[str, str]:
    """Read the version and the columns as text; the reader is after them then."""
    for prefix, found in tuple(_known.items()):
        if footer.startswith(prefix):
            reader.at = len(prefix)
            return found
    version = ""
    for number, kind in reader.fields():
        if number == _VERSION and kind in thrift.INTEGERS:
            version = str(reader.integer())
        elif number == _SCHEMA and kind == thrift.LIST:
            found = version, encode_evidence(_read_elements(reader))
            _remember(footer[: reader.at], found)
            return found
        else:
            reader.skip(kind)
    raise BadFileError(error_codes.DAMAGED, "its footer has no schema")


def _remember(prefix: bytes, found: tuple[str, str]) -> None:
    if len(prefix) <= LARGEST_KNOWN:
        if len(_known) >= MOST_KNOWN:
            _known.pop(next(iter(_known)), None)
        _known[prefix] = found


def _read_elements(reader: thrift.CompactReader) -> list[JsonObject]:
    """Read the columns in depth-first order, without the root, whose name has no meaning."""
    count, kind = reader.items()
    if count > MOST_COLUMNS:
        raise BadFileError(error_codes.TOO_LARGE, f"its schema has {count} elements")
    if kind != thrift.STRUCT or not count:
        raise BadFileError(error_codes.DAMAGED, "its schema has no elements")
    root, *elements = [_read_element(reader) for _ in range(count)]
    open_ = root.get("children", 0)
    for element in elements:
        if open_ <= 0:
            raise BadFileError(error_codes.DAMAGED, "its schema is no tree")
        open_ += element.get("children", 0) - 1
    if open_:
        raise BadFileError(error_codes.DAMAGED, "its schema is no tree")
    return elements


def _read_element(reader: thrift.CompactReader) -> JsonObject:
    found: dict[str, Any] = {}
    for number, kind in reader.fields():
        name, expected = _ELEMENT.get(number, _NOTHING)
        if kind != expected:
            reader.skip(kind)
        elif kind == thrift.I32:
            found[name] = _read_int32(reader)
        else:
            found[name] = reader.value(kind)
    if "name" not in found:
        raise BadFileError(error_codes.DAMAGED, "its schema has an element without a name")
    if found.get("children", 0) < 0 or not 0 <= found.get("repetition", 0) <= _REPEATED:
        raise BadFileError(error_codes.DAMAGED, "its schema has an impossible element")
    return found


def _read_int32(reader: thrift.CompactReader) -> int:
    number = reader.integer()
    if not -(2**31) <= number < 2**31:
        raise BadFileError(error_codes.DAMAGED, "its schema has a number of more than 32 bits")
    return number


def _read_chunks(reader: thrift.CompactReader) -> tuple[set[str], bool]:
    """Read the codecs of the first columns in the first row group, and whether one is encrypted."""
    count, kind = reader.items()
    if not count or kind != thrift.STRUCT:
        return set(), False
    codecs: set[str] = set()
    for number, inner in reader.fields():
        if number == 1 and inner == thrift.LIST:
            chunks, _ = reader.items()
            found = [_read_chunk(reader) for _ in range(min(chunks, MOST_CHUNKS))]
            codecs.update(codec for codec, _ in found if codec)
            return codecs, any(crypto for _, crypto in found)
        reader.skip(inner)
    return codecs, False


def _read_chunk(reader: thrift.CompactReader) -> tuple[str, bool]:
    codec, encrypted = "", False
    for number, kind in reader.fields():
        if number == _CHUNK_META and kind == thrift.STRUCT:
            codec = _read_codec(reader)
        else:
            encrypted = encrypted or number == _CHUNK_CRYPTO
            reader.skip(kind)
    return codec, encrypted


def _read_codec(reader: thrift.CompactReader) -> str:
    found = ""
    for number, kind in reader.fields():
        if number == _META_CODEC and kind == thrift.I32:
            code = reader.integer()
            found = _CODECS[code] if 0 <= code < len(_CODECS) else f"codec-{code}"
        else:
            reader.skip(kind)
    return found

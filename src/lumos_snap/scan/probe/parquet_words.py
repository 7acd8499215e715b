"""The words of writers beside a Parquet schema: Spark, Arrow, Avro, Iceberg and pandas.

They are looked up instead of decoded, because they stand behind the row groups, which are nearly
all of a footer.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from lumos_snap.scan.probe import parquet_arrow, parquet_avro, parquet_spark, thrift
from lumos_snap.scan.probe.parquet_tree import UnreadableError, an_object

MOST_WORDS = 2 * 1024 * 1024
"""Longer metadata is not read."""
MOST_CHANCES = 16
"""How often bytes may look like an entry and be none."""
MOST_KNOWN = 32
LARGEST_KNOWN = 64 * 1024

_known: dict[tuple[str, bytes], Any] = {}
"""By writer and its words: what they were reduced to."""


def said(footer: bytes, start: int) -> dict[str, Any]:
    """By writer, what it says in the key-value metadata that stands somewhere after `start`."""
    found: dict[str, Any] = {}
    unread = []
    for writer, (keys, read) in _READERS.items():
        text = next((text for key in keys if (text := _entry(footer, start, key))), b"")
        if not text:
            continue
        try:
            reduced = _reduced(writer, text, read)
        except (UnreadableError, ValueError, RecursionError):
            unread.append(writer)
        else:
            found |= {writer: reduced} if reduced else {}
    return {**found, "unread": unread} if unread else found


def _reduced(writer: str, text: bytes, read: Callable[[bytes], Any]) -> Any:
    if len(text) > MOST_WORDS:
        raise UnreadableError
    key = (writer, text)
    found = _known.get(key)
    if found is None:
        found = read(text)
        if len(text) <= LARGEST_KNOWN:
            if len(_known) >= MOST_KNOWN:
                _known.pop(next(iter(_known)), None)
            _known[key] = found
    return found


def _entry(footer: bytes, start: int, key: bytes) -> bytes:
    """The value of a key: the last place where it is framed as an entry of the metadata."""
    framed = b"\x18" + bytes((len(key),)) + key + b"\x18"
    end = len(footer)
    for _ in range(MOST_CHANCES):
        place = footer.rfind(framed, start, end)
        if place < 0:
            break
        text = _framed_value(footer, place + len(framed))
        if text is not None:
            return text
        end = place + len(framed) - 1
    return b""


def _framed_value(footer: bytes, place: int) -> bytes | None:
    reader = thrift.Compact(footer, place)
    try:
        text = reader.binary()
        return text if footer[reader.at] == thrift.STOP else None
    except (thrift.ThriftError, IndexError):
        return None  # these bytes stand there by chance


def _pandas(text: bytes) -> list[str]:
    """The columns that were an index: a range is none, and what else is said follows the data."""
    columns = an_object(json.loads(text)).get("index_columns")
    return [one for one in columns if isinstance(one, str)] if isinstance(columns, list) else []


_READERS: Mapping[str, tuple[tuple[bytes, ...], Callable[[bytes], Any]]] = {
    "spark": ((b"org.apache.spark.sql.parquet.row.metadata",), parquet_spark.tree),
    "arrow": ((b"ARROW:schema",), parquet_arrow.tree),
    "avro": ((b"parquet.avro.schema", b"avro.schema"), parquet_avro.tree),
    "iceberg": ((b"iceberg.schema",), parquet_spark.iceberg_tree),
    "pandas": ((b"pandas",), _pandas),
}

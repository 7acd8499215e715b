"""The structure of stored values: one set of frozen dataclasses for encoder and validator.

A stored document is described once, by dataclasses that derive from `Value`. From these come the
key order and line layout of canonical bytes (`fields`), validation (`validation`) and the published
JSON Schemas (`json_schema`).
"""

from lumos_snap.schema.base import (
    Document,
    Value,
    document_of,
    sortable,
    value_class,
    value_of,
)
from lumos_snap.schema.fields import (
    Chars,
    Holds,
    Json,
    Key,
    Keyed,
    Maybe,
    NameKind,
    Natural,
    Range,
    Some,
    Text,
    Unordered,
    keys_of,
    prepare,
)

__all__ = [
    "Chars",
    "Document",
    "Holds",
    "Json",
    "Key",
    "Keyed",
    "Maybe",
    "NameKind",
    "Natural",
    "Range",
    "Some",
    "Text",
    "Unordered",
    "Value",
    "document_of",
    "keys_of",
    "prepare",
    "sortable",
    "value_class",
    "value_of",
]

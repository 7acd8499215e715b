"""What Arrow says beside a Parquet schema: types that Parquet lacks, and metadata of fields."""

import binascii
from typing import Any

from lumos_snap.scan.probe import arrow
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.parquet_tree import Tree, UnreadableError, members, node


def tree(text: bytes) -> Tree:
    """A schema in base64, reduced to what adds to a Parquet schema."""
    try:
        fields = arrow.fields(binascii.a2b_base64(text))
    except (binascii.Error, BadFileError) as error:
        raise UnreadableError from error
    return node(None, "", members([_member(field) for field in fields]))


def _member(field: dict[str, Any]) -> tuple[str, Tree]:
    return field["name"], _node(field)


def _node(field: dict[str, Any]) -> Tree:
    inside = members([_member(one) for one in field.get("members", ())])
    inside |= {name: _node(field[name]) for name in ("element", "key", "value") if name in field}
    found = node(field.get("about"), "", inside)
    adds: Tree = {name: field[name] for name in ("extension", "zone") if name in field}
    if field["type"] == "duration":
        adds |= {"type": "duration", "unit": field["unit"]}
    if field["type"] == "fixed_size_list":
        adds |= {"length": field["length"]}
    return {**found, **adds}

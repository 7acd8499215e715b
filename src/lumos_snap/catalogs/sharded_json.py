"""What a base says by path beside its documents, in some hundred files, so that few change."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from lumos_snap.documents import RefusedError, json_text
from lumos_snap.git import Entry, Repository, blobs, custom_refs
from lumos_snap.schema import Document

_LAYOUT = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2


def all_of(repository: Repository, files: Mapping[str, Entry], folder: str) -> dict[str, Any]:
    """All that is said in a folder, by path."""
    shards = [one.oid for path, one in files.items() if path.startswith(f"{folder}/")]
    found: dict[str, Any] = {}
    for _, content in blobs(repository, shards):
        found |= parsed(content) or {}
    return found


def renewed(
    repository: Repository, files: Mapping[str, Entry], folder: str, said: Mapping[str, object]
) -> Iterator[tuple[str, bytes | None]]:
    """The files of a folder in which something is said anew; what says nothing is left out."""
    touched: dict[str, dict[str, object]] = {}
    for path, one in said.items():
        name = custom_refs.blob_id(repository, path.encode())[:2]
        touched.setdefault(f"{folder}/{name}.json", {})[path] = one
    for shard, anew in sorted(touched.items()):
        entry = files.get(shard)
        before = parsed(next(blobs(repository, [entry.oid]))[1]) if entry else None
        kept = {path: one for path, one in {**(before or {}), **anew}.items() if one}
        yield shard, orjson.dumps(kept, option=_LAYOUT) + b"\n" if kept else None


def parsed(content: bytes) -> Document | None:
    """A file of a base; what is damaged is forgotten."""
    try:
        found = json_text.parse(content)
    except RefusedError:
        return None
    return found if isinstance(found, dict) else None

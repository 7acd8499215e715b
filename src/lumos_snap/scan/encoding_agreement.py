"""One encoding for the CSV files of a dataset where it is uncertain in some of them.

A file with few letters beyond ASCII may be read in another encoding than the files beside it. Its
columns would have other names, as if the columns of the others were absent from it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lumos_snap.json_object import JsonObject
from lumos_snap.scan.dataset import FileGroup
from lumos_snap.scan.executors.probe_result import encode_evidence
from lumos_snap.scan.formats.legacy_encoding import ENCODINGS
from lumos_snap.scan.formats.text_encoding import DETECTED, UNCERTAIN

_CODECS: Mapping[str, str] = {one.name: one.codec for one in ENCODINGS}
_RANKS: Mapping[str, int] = {one.name: rank for rank, one in enumerate(ENCODINGS)}


def agree_on_encoding(said: Iterable[FileGroup]) -> Sequence[FileGroup]:
    """Read files of an uncertain encoding in that of the files beside them, if they allow it."""
    said = tuple(said)
    if not any(_has(one, UNCERTAIN) for one in said):
        return said
    detected = _count_files(said, DETECTED)
    counts = detected or _count_files(said, UNCERTAIN)
    chosen = min(counts, key=lambda name: (-counts[name], _RANKS[name]))
    doubt = DETECTED if detected else UNCERTAIN
    return tuple(_recode(one, chosen, doubt) if _has(one, UNCERTAIN) else one for one in said)


def _has(one: FileGroup, flag: str) -> bool:
    return one.format == "csv" and f'"{flag}"' in one.schema and flag in _flags(one)


def _flags(one: FileGroup) -> Sequence[str]:
    flags: Sequence[str] = json.loads(one.schema)["flags"]
    return flags


def _count_files(said: Iterable[FileGroup], flag: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in said:
        if _has(one, flag):
            counts[json.loads(one.schema)["encoding"]] += one.files
    return counts


def _recode(one: FileGroup, encoding: str, doubt: str) -> FileGroup:
    evidence: JsonObject = json.loads(one.schema)
    before, after = _CODECS[evidence["encoding"]], _CODECS[encoding]
    try:
        names = [column["name"].encode(before).decode(after) for column in evidence["columns"]]
    except UnicodeError:
        return one
    columns = zip(evidence["columns"], names, strict=True)
    changed = {
        **evidence,
        "encoding": encoding,
        "columns": [{**column, "name": name} for column, name in columns],
        "flags": [doubt if flag == UNCERTAIN else flag for flag in evidence["flags"]],
    }
    return replace(one, schema=encode_evidence(changed))

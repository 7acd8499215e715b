"""A document with conflicts, as a file: it says what is to be decided, and every reader refuses it.

It is canonical JSON with one section more, which comes first.
"""

import json
from typing import Any

from lumos_snap.canonical.encode import STEP, encode_document
from lumos_snap.canonical.rules import CONFLICTS
from lumos_snap.merging.versions import ABSENT, Conflict, Merged


def conflicted(merged: Merged, cls: type) -> bytes:
    """The bytes of a document with its conflicts; without any, its canonical bytes."""
    plain = encode_document(merged.document, cls)
    if not merged.conflicts:
        return plain
    blocks = ",\n".join(map(_block, merged.conflicts))
    section = f'{{\n{STEP}"{CONFLICTS}": [\n{blocks}\n{STEP}],\n'
    return section.encode() + plain.removeprefix(b"{\n")


def _block(conflict: Conflict) -> str:
    """What each side says, a line each; what is absent on a side is left out."""
    versions = {"base": conflict.base, "ours": conflict.ours, "theirs": conflict.theirs}
    said = {name: held for name, held in versions.items() if held is not ABSENT}
    lines = {"at": conflict.at, "why": conflict.why, **said}
    inner = ",\n".join(f'{STEP * 3}"{name}": {_line(held)}' for name, held in lines.items())
    return f"{STEP * 2}{{\n{inner}\n{STEP * 2}}}"


def _line(held: Any) -> str:
    """A value as it would stand in the document, but on one line: as it can be copied from."""
    return json.dumps(held, ensure_ascii=False)  # noqa: TID251 - a part of any class

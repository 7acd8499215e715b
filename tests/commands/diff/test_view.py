"""Lines that follow from the layout are those that a reader of the text would name."""

import random
from typing import Any

import orjson
from hypothesis import given

from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.read import read_fast
from lumos_snap.commands.diff.view import line_of
from lumos_snap.documents.json_text import locate
from lumos_snap.model.snapshot import Snapshot
from tests.strategies import LAW
from tests.strategies.edits import snapshot_documents
from tests.strategies.layouts import shuffled, shuffles

ITEMS = ("fields", "branches", "columns")


@LAW
@given(snapshot_documents())
def test_every_pointer_that_opens_a_line_leads_to_it(document: dict[str, Any]) -> None:
    raw = encode_document(document, Snapshot)
    lines = raw.decode().split("\n")
    pointers = list(_pointers(document))
    places = locate(raw, pointers)
    for pointer in pointers:
        assert line_of(lines, pointer) == places[pointer].line, pointer


def _pointers(document: dict[str, Any]) -> Any:
    """What has a line of its own: sections, their keys, the items of lists, nested columns."""
    for section, held in document.items():
        yield (section,)
        if not isinstance(held, dict):
            continue
        for key, value in held.items():
            yield (section, key)
            if isinstance(value, list) and all(isinstance(one, dict) for one in value):
                for index, item in enumerate(value):
                    yield (section, key, index)
                    yield from _inside((section, key, index), item)


def _inside(at: tuple[Any, ...], item: dict[str, Any]) -> Any:
    for name in ITEMS:
        for index, inner in enumerate(item.get(name) or ()):
            if isinstance(inner, dict):
                yield (*at, name, index)
                yield from _inside((*at, name, index), inner)


@LAW
@given(snapshot_documents())
def test_canonical_bytes_prove_their_document(document: dict[str, Any]) -> None:
    raw = encode_document(document, Snapshot)
    assert read_fast(raw, Snapshot) == document
    assert read_fast(raw, Snapshot, document) == document
    assert read_fast(raw[: len(raw) // 2], Snapshot) is None


@LAW
@given(snapshot_documents(), shuffles)
def test_what_is_proven_is_equal_to_its_canonical_form(
    document: dict[str, Any], chance: random.Random
) -> None:
    found = read_fast(orjson.dumps(shuffled(document, Snapshot, chance)), Snapshot)
    assert found is None or found == document

"""Published schemas change in their structure only where somebody means it."""

from pathlib import Path

import orjson
import pytest

from lumos_snap.commands.schema import CATALOG, read_schema
from tests.published.structure import digest_of, structure_of

GOLDEN = Path(__file__).parent / "structure.json"


def test_structures_are_those_that_were_published(request: pytest.FixtureRequest) -> None:
    found = {name: digest_of(orjson.loads(read_schema(name))) for name in sorted(CATALOG)}
    if request.config.getoption("--rewrite-golden"):
        GOLDEN.write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
    assert found == orjson.loads(GOLDEN.read_bytes()), (
        "if documents shall be accepted that were not, or the other way round: `make golden`"
    )


SCHEMA = {
    "title": "Dataset",
    "properties": {"title": {"$ref": "#/$defs/Text"}, "of": {"$ref": "#/$defs/Dataset"}},
    "required": ["title"],
    "$defs": {
        "Dataset": {"$ref": "#/$defs/Text", "description": "another"},
        "Text": {"type": "string", "description": "a text"},
    },
}


def test_words_and_names_of_definitions_are_no_structure() -> None:
    other = orjson.loads(
        orjson.dumps(SCHEMA)
        .replace(b"/Text", b"/String")
        .replace(b'"Text"', b'"String"')
        .replace(b"a text", b"some words")
        .replace(b'"title":"Dataset",', b"")
    )
    assert other != SCHEMA
    assert digest_of(other) == digest_of(SCHEMA)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"string"', b'"integer"'),
        (b'"required":["title"]', b'"required":[]'),
        (b'"title":{', b'"name":{'),
        (b'"of":{"$ref":"#/$defs/Dataset"}', b'"of":{"$ref":"#/$defs/Text"}'),
    ],
)
def test_everything_else_is_structure(old: bytes, new: bytes) -> None:
    raw = orjson.dumps(SCHEMA)
    assert old in raw
    other = orjson.loads(raw.replace(old, new))
    assert structure_of(other) != structure_of(SCHEMA)

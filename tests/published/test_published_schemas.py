"""The files in `snapshot-schema/` say exactly what the classes accept."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lumos_snap.commands.schema import CATALOG, file_of, generate_schema, read_schema
from lumos_snap.schema.validation import misfits
from tests.published.schema_documents import documents

NAMES = sorted(CATALOG)
READ = [name for name in NAMES if not name.startswith("output/")]
"""What is read: of what is printed, no class is the judge."""


@pytest.mark.parametrize("name", NAMES)
def test_the_published_schema_is_fresh(name: str, root: Path) -> None:
    assert (root / "snapshot-schema" / file_of(name)).read_bytes() == generate_schema(name), (
        "run `make docs`"
    )


def test_every_published_schema_is_in_the_catalog(root: Path) -> None:
    there = {
        str(p.relative_to(root / "snapshot-schema"))
        for p in root.glob("snapshot-schema/**/*.schema.json")
    }
    assert there == {file_of(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_published_schema_is_valid_2020_12(name: str) -> None:
    schema = orjson.loads(read_schema(name))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("name", READ)
@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_model_and_schema_accept_the_same_documents(name: str, data: st.DataObject) -> None:
    schema = orjson.loads(read_schema(name))
    document = data.draw(documents(schema))
    accepted = Draft202012Validator(schema).is_valid(document)
    assert _model_accepts(name, document) == accepted


@pytest.mark.parametrize("name", READ)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_generator_of_documents_often_makes_accepted_ones(
    name: str, data: st.DataObject
) -> None:
    """Without this, the agreement above might be about refusals only."""
    schema = orjson.loads(read_schema(name))
    document = data.draw(documents(schema, mistakes=False))
    assert Draft202012Validator(schema).is_valid(document)
    assert _model_accepts(name, document)


UNSTATED = "unsupported regular expression "
"""What JSON Schema cannot state: that a text is a pattern of linear time."""


def _model_accepts(name: str, document: Any) -> bool:
    found = misfits(document, CATALOG[name].cls)
    return all(one.message.startswith(UNSTATED) for one in found)


def test_what_a_schema_cannot_state_is_a_pattern_alone() -> None:
    def settings_with(pattern: str, **more: Any) -> dict[str, Any]:
        naming = {"of": "datasets", "pattern": pattern, **more}
        return {"version": 1, "policy": {"naming": [naming]}}

    (found,) = misfits(settings_with("["), CATALOG["lumos-yaml"].cls)
    assert found.message.startswith(UNSTATED)
    assert not misfits(settings_with("[a-z]+"), CATALOG["lumos-yaml"].cls)
    assert not _model_accepts("lumos-yaml", settings_with("[", unknown=1))

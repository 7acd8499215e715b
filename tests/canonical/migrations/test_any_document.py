"""Whatever an older document holds: nothing is raised, nothing is lost, and all is sound."""

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lumos_snap.canonical.migrations import SHAPES, shape_of
from lumos_snap.canonical.read import read
from tests.canonical.migrations.golden import SAMPLES, files, kind_of, parsed
from tests.canonical.migrations.scalar_places import missing

DOCUMENTS = [parsed(sample) for sample in SAMPLES]
DATASETS = [
    item for one in DOCUMENTS for item in one.get("lumos_snapshot", one)["datasets"]
]  # fmt: skip

telling = st.sampled_from(
    [
        "urn:li:dataset:(urn:li:dataPlatform:hive,db.table,PROD)",
        "urn:li:dataset:(csv,user_data,DEV)",
        "urn:li:dataset:(csv,a,b,PROD)",
        "urn:li:dataset:()",
        "urn:li:corpuser:",
        "urn:li:corpGroup:team",
        "lumos://s3//twice//",
        "lumos://S3/a b/%zz%2f%ff",
        "lumos://s3/data-lake-prod/raw/events/user_clicks",
        "lumos://",
        "2024-01-15T10:30:00Z",
        "2024-99-99T99:99:99+00:00",
        "array<struct<a:int not null,`b c`:map<string,decimal(3,1)>>>",
        "decimal(9999,1)",
        "year={yyyy}/x={event_id}",
        "STRUCT",
        "ARRAY",
        "1e3",
        "user_id",
        "imported",
        "[0]",
        "a.`b`",
        "",
    ]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.integers(0, 100)
    | telling
    | st.text(max_size=8)
)
keys = st.sampled_from(
    ["urn", "name", "type", "fields", "imported", "pii", "tags", "label", "url", "user", "[0]"]
) | st.text(max_size=5)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)


def places(value: object, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    return [at, *(place for key, held in entries for place in places(held, (*at, key)))]


def split(place: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], Any]:
    return place[:-1], place[-1]


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A sample with some of its parts replaced, removed, repeated or added."""
    root: Any = [copy.deepcopy(draw(st.sampled_from(DOCUMENTS + DATASETS)))]
    for _ in range(draw(st.integers(0, 5))):
        way, last = split(draw(st.sampled_from(places(root)[1:])))
        holder: Any = root
        for step in way:
            holder = holder[step]
        change = draw(st.sampled_from(["replace", "remove", "repeat", "add"]))
        if change == "remove" and way:
            del holder[last]
        elif change == "repeat" and way and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif change == "add" and isinstance(holder, dict):
            holder[draw(keys)] = draw(anything)
        else:
            holder[last] = draw(anything)
    return root[0]


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mutated())
def test_a_changed_sample_loses_nothing_and_becomes_sound(document: object):
    shape = shape_of(document)
    if shape is None:
        return
    result = shape.upgrade(document)
    assert missing(document, result) == []
    made = files(result)
    for path, content in made.items():
        if path.endswith(".json"):
            # Which of two columns of one name is meant is for a person to say.
            wrong = {one.rule for one in read(content, kind_of(path)).problems}
            assert wrong <= {"repeated-column"}
    assert files(shape.upgrade(copy.deepcopy(document))) == made


@given(anything)
def test_every_shape_judges_any_value(document: object):
    for shape in SHAPES:
        if shape.recognises(document):
            shape.upgrade(document)


@given(st.text())
def test_a_document_may_hold_any_text_that_json_can_write(text: str):
    half = json.loads(f'"\\ud800{json.dumps(text)[1:]}')
    document = {"urn": "lumos://s3/a", "name": half, half: half, "tags": [half]}
    (snapshot,) = SHAPES[2].upgrade(document).snapshots
    assert "\\ud800" in snapshot["documentation"]["title"]

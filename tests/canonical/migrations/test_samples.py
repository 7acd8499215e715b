"""The samples of both older shapes: what is made of them, byte for byte."""

from pathlib import Path
from typing import Any

import pytest

from lumos_snap.canonical.migrations import shape_of
from lumos_snap.canonical.read import ReadResult, read
from tests.canonical.migrations.golden import EXPECTED, SAMPLES, files, kind_of, parsed, upgraded
from tests.canonical.migrations.scalar_places import missing

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


@each_sample
def test_a_sample_becomes_the_expected_tree(sample: Path):
    expected = EXPECTED / sample.name
    found = files(upgraded(parsed(sample)))
    kept = {str(p.relative_to(expected)): p for p in expected.rglob("*") if p.is_file()}
    assert sorted(found) == sorted(kept)
    for path, content in found.items():
        assert content.decode() == kept[path].read_text()


@each_sample
def test_every_document_of_a_sample_is_sound_and_canonical(sample: Path):
    for path, content in files(upgraded(parsed(sample))).items():
        if path.endswith(".json"):
            reading: ReadResult[Any] = read(content, kind_of(path))
            assert reading.problems == ()
            assert reading.canonical == content


@each_sample
def test_nothing_of_a_sample_is_lost(sample: Path):
    document = parsed(sample)
    assert missing(document, upgraded(document)) == []


@each_sample
def test_what_was_upgraded_is_no_older_shape_any_more(sample: Path):
    result = upgraded(parsed(sample))
    for document in (*result.snapshots, *result.observations):
        assert shape_of(document) is None


@each_sample
def test_a_dataset_alone_becomes_the_same_snapshot(sample: Path):
    document = parsed(sample)
    together = upgraded(document).snapshots
    for item in document.get("lumos_snapshot", document)["datasets"]:
        (alone,) = upgraded(item).snapshots
        assert alone in together


def test_samples_of_both_shapes_are_there():
    shapes = [shape_of(parsed(sample)) for sample in SAMPLES]
    assert [shape and shape.name for shape in shapes] == ["json-export", "yaml-snapshot"]

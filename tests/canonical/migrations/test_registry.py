"""Steps from one version of the format to the next."""

import pytest

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.migrations.registry import STEPS, format_of, in_format


def first(kind, document):
    return {**document, "steps": [kind]}


def second(kind, document):
    return {**document, "steps": [*document["steps"], f"{kind} again"]}


FAKE = {(0, 8): ((0, 9), first), (0, 9): ((1, 0), second)}


def test_a_document_goes_from_version_to_version():
    older = {"lumos_version": "0.8.3", "id": "a"}
    assert in_format(older, "user", (1, 0), FAKE) == {
        "lumos_version": "1.0.0",
        "id": "a",
        "steps": ["user", "user again"],
    }
    assert older == {"lumos_version": "0.8.3", "id": "a"}


def test_it_stops_at_the_version_that_is_asked_for():
    older = {"lumos_version": "0.8.3"}
    assert in_format(older, "job", (0, 9), FAKE) == {"lumos_version": "0.9.0", "steps": ["job"]}


def test_what_is_there_already_stays_as_it_is():
    present = {"lumos_version": "1.0.7"}
    assert in_format(present, "job", (1, 0), FAKE) == present


@pytest.mark.parametrize("version", ["0.7.0", "1.1.0", "2.0.0", "1.0", "", None, 1])
def test_what_no_step_leads_on_from_is_not_upgraded(version):
    assert in_format({"lumos_version": version}, "job", (1, 0), FAKE) is None


def test_every_step_leads_on_towards_the_present_format():
    present = format_of(FORMAT_VERSION)
    assert present is not None
    for start, (end, _) in STEPS.items():
        assert start < end <= present
        assert end == present or end in STEPS

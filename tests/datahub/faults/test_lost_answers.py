"""Answers that get lost: what was stored is not stored again, and nobody's word is lost."""

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub
from tests.gms import Gms

NAMES = ("a", "b", "c")


@pytest.fixture
def changed(home: Home, gms: Gms) -> Home:
    """After a first push: a change of each, with a check more."""
    for name in NAMES:
        home.put(name, governance={"tags": ["raw"]})
    home.push()
    for name in NAMES:
        home.change(name, governance={"tags": ["gold"]}, quality={"checks": [{"name": "fresh"}]})
    gms.asked.clear()
    return home


def is_as_undisturbed(home: Home, gms: Gms) -> None:
    """Each aspect was changed once, whatever got lost."""
    for name in NAMES:
        urn = home.urn(name)
        (tag,) = gms.value(urn, "globalTags")["tags"]
        assert tag["tag"] == "urn:li:tag:gold"
        assert gms.version(urn, "globalTags") == 2
        assert gms.version(urn, "datasetProperties") == 2
        assert gms.version(urn, "schemaMetadata") == 1
    checks = [urn for urn in gms.dump() if urn.startswith("urn:li:assertion:")]
    assert len(checks) == 3
    assert {gms.version(urn, "assertionInfo") for urn in checks} == {1}
    assert home.is_settled()


LOSSES = {
    "cut before": lambda gms, at: gms.faults.cut_before(writes=True, skip=at),
    "cut after": lambda gms, at: gms.faults.cut_after(writes=True, skip=at),
    "cut inside": lambda gms, at: gms.faults.cut_inside(writes=True, skip=at),
    "502 after storing": lambda gms, at: gms.faults.lose(502, writes=True, skip=at),
    "504 after storing": lambda gms, at: gms.faults.lose(504, writes=True, skip=at),
    "500 before storing": lambda gms, at: gms.faults.answer(500, writes=True, skip=at),
    "408 after storing": lambda gms, at: gms.faults.lose(408, writes=True, skip=at),
}


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("loss", LOSSES)
def test_a_lost_answer_leaves_no_trace(changed: Home, gms: Gms, loss: str, at: int) -> None:
    fault = LOSSES[loss](gms, at)
    assert "failed" not in changed.push().out
    assert fault.happened == 1
    is_as_undisturbed(changed, gms)


def test_a_batch_of_which_half_was_stored_is_completed(changed: Home, gms: Gms) -> None:
    fault = gms.faults.half(times=3)
    changed.push()
    assert fault.happened == 3
    is_as_undisturbed(changed, gms)


def test_a_first_push_of_which_half_was_stored_is_completed(home: Home, gms: Gms) -> None:
    for name in NAMES:
        home.put(name, governance={"tags": ["raw"]}, quality={"checks": [{"name": "fresh"}]})
    fault = gms.faults.half(times=2)
    home.push()
    assert fault.happened == 2
    assert {row["version"] for aspects in gms.dump().values() for row in aspects.values()} == {1}
    assert home.is_settled()


def test_an_edit_between_reading_and_writing_is_not_lost(changed: Home, gms: Gms) -> None:
    urn = changed.urn("b")
    theirs = {"tags": [*gms.value(urn, "globalTags")["tags"], {"tag": "urn:li:tag:theirs"}]}
    gms.faults.edit(urn, "globalTags", theirs, urn=urn)
    changed.push()
    there = {one["tag"] for one in gms.value(urn, "globalTags")["tags"]}
    assert there == {"urn:li:tag:gold", "urn:li:tag:theirs"}


def test_an_edit_of_another_aspect_while_ours_is_written_is_not_lost(
    changed: Home, gms: Gms, hub: Hub
) -> None:
    urn = changed.urn("b")
    gms.faults.edit(urn, "editableDatasetProperties", {"description": "By Jane"}, urn=urn)
    changed.push()
    assert hub.value(urn, "editableDatasetProperties")["description"] == "By Jane"
    assert gms.version(urn, "globalTags") == 2


def test_what_is_changed_again_and_again_is_left_and_named_and_the_rest_goes_on(
    changed: Home, gms: Gms
) -> None:
    gms.faults.stale(urn=changed.urn("b"), times=None)
    ran = changed.sync("--apply", "--yes")
    assert ran.code == 1
    assert "2 written, 1 in conflict" in ran.out
    (line,) = [one for one in ran.out.splitlines() if "again and again" in one]
    assert "changed" in line
    gms.faults.clear()
    assert changed.sync("--resume").code == 0
    is_as_undisturbed(changed, gms)

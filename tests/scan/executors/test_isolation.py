"""Files are looked at in processes that they may end: here, and in the workers of Spark."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.scan.executors.file_task import EvidenceLine, FileProber, FileTask
from lumos_snap.scan.stores.store import Store
from tests.scan.executors.deadly_stores import (
    LETHAL,
    Deadly,
    asked,
    by_file,
    in_children,
    in_processes,
)

Look = Callable[[list[FileTask], Store], list[EvidenceLine]]


PLACES = pytest.mark.parametrize("look", [in_processes, in_children])


@PLACES
def test_they_say_what_one_process_says(look: Look) -> None:
    files = asked(*(f"t/{number}.csv" for number in range(1_234)))
    with FileProber((Deadly(),)) as looking:
        alone = looking.lines(files)
    assert by_file(look(files, Deadly())) == by_file(alone)


@PLACES
@settings(max_examples=5, deadline=None)
@given(bad=st.sets(st.integers(0, 249), min_size=1, max_size=4))
def test_a_file_that_ends_its_process_is_reported_and_no_other(look: Look, bad: set[int]) -> None:
    paths = [f"{LETHAL if number in bad else 'fine'}/{number}.csv" for number in range(250)]
    found = by_file(look(asked(*paths), Deadly()))
    assert sorted(found) == list(range(250))
    lost = {number: json.loads(said) for number, (_, said, _) in found.items() if "reason" in said}
    assert set(lost) == bad
    for said in lost.values():
        assert said["reason"] == "damaged"
        assert said["detail"] == "ends the process that reads it: ended by signal 9"


@PLACES
def test_an_unexpected_error_is_reported_in_its_own_words(look: Look) -> None:
    found = by_file(look(asked("fine", "wrong", "wrong and foreseen"), Deadly()))
    details = {number: json.loads(said).get("detail") for number, (_, said, _) in found.items()}
    assert details == {
        0: None,
        1: "ends the process that reads it: SystemError: wrong",
        2: "cannot be understood (ZeroDivisionError)",
    }

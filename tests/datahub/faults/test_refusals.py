"""What the server does not take: named by dataset, in one line, and the rest goes on."""

from typing import Any

import pytest

from tests.datahub.home import Home
from tests.gms import Gms


def lines(text: str, word: str) -> list[str]:
    return [one.strip() for one in text.splitlines() if word in one]


def finished(home: Home, gms: Gms) -> None:
    """The rest of the run can be done as soon as the server is willing."""
    gms.faults.clear()
    assert home.sync("--resume").code == 0
    assert home.is_settled()


def test_a_rejected_aspect_is_named_and_nothing_else_of_the_dataset_is_stored(
    home: Home, gms: Gms
) -> None:
    for name in "abc":
        home.put(name, governance={"tags": ["raw"]})
    gms.faults.reject("globalTags", urn=home.urn("b"))
    ran = home.sync("--apply", "--yes")
    assert ran.code == 3
    assert "2 written, 1 failed" in ran.out
    assert len(lines(ran.out, "globalTags is not to be written")) == 1
    assert home.urn("b") not in gms.dump()
    finished(home, gms)


def test_who_may_not_write_is_told_so_by_dataset(home: Home, gms: Gms) -> None:
    home.put("a")
    home.put("b")
    gms.faults.answer(403, writes=True, urn=home.urn("a"), times=None)
    ran = home.sync("--apply", "--yes")
    assert ran.code == 3
    assert len(lines(ran.out, "does not let this token do that")) == 1
    finished(home, gms)


def wide(columns: int, words: str) -> dict[str, Any]:
    fields = [
        {"name": f"c{number}", "type": "STRING", "nullable": True, "description": words}
        for number in range(columns)
    ]
    return {"fields": fields}


def test_a_schema_that_is_too_large_is_named_and_never_sent_in_parts(home: Home, gms: Gms) -> None:
    home.put("a")
    home.put("large", schema=wide(2_000, "word " * 1_600))
    ran = home.sync("--apply", "--yes")
    assert ran.code == 3
    assert "1 written, 1 failed" in ran.out
    assert len(lines(ran.out, "MB")) == 1
    assert home.urn("large") not in gms.dump()
    assert home.sync("--resume").code == 3, "what was to be written then is as large as ever"
    home.put("large", schema=wide(10, "word"))
    home.push()
    assert home.is_settled()


def test_aspects_that_are_too_large_together_are_not_sent_in_two_requests(
    home: Home, gms: Gms
) -> None:
    home.put("a")
    notes = {f"note{number}": "word " * 16_000 for number in range(98)}
    home.put("large", schema=wide(1_000, "word " * 1_700), properties=notes)
    ran = home.sync("--apply", "--yes")
    assert ran.code == 3
    assert len(lines(ran.out, "MB")) == 1
    assert home.urn("large") not in gms.dump()


@pytest.mark.slow
def test_what_just_fits_is_sent_at_once(home: Home, gms: Gms) -> None:
    urn = home.put("large", schema=wide(1_000, "word " * 2_400))
    home.push()
    assert len(gms.asked.writes()) == 1
    assert len(gms.value(urn, "schemaMetadata")["fields"]) == 1_000
    assert home.is_settled()


def test_hundreds_of_checks_are_all_there(home: Home, gms: Gms) -> None:
    checks = [{"name": f"check {number}", "expression": "x > 0"} for number in range(450)]
    home.put("t", quality={"checks": checks})
    home.put("u")
    home.push()
    assert sum(urn.startswith("urn:li:assertion:") for urn in gms.dump()) == 450
    assert home.is_settled()
    home.change("t", quality=None)
    home.push()
    assert home.is_settled()


def test_a_urn_that_is_too_long_is_named_before_anything_is_asked(home: Home, gms: Gms) -> None:
    home.put("a")
    long = "x" * 180
    home.put(f"{long}/{long}/{long}", name=long)
    ran = home.sync("--apply", "--yes")
    assert ran.code == 1
    assert len(lines(ran.out, "longer than 512 bytes")) == 1
    assert "1 written" in ran.out
    assert [urn for urn in gms.dump() if "dataset" in urn] == [home.urn("a")]


def test_a_urn_with_an_environment_that_datahub_does_not_know_is_named(
    home: Home, gms: Gms
) -> None:
    home.put("a")
    strange = "urn:li:dataset:(urn:li:dataPlatform:hive,x,MOON)"
    home.put_foreign(strange)
    ran = home.sync("--apply", "--yes")
    assert ran.code == 1
    assert len(lines(ran.out, "DataHub has no environment MOON")) == 1
    assert "1 written" in ran.out
    assert strange not in gms.dump()


@pytest.mark.parametrize(
    "theirs", ["urn:li:dataset:((", "urn:li:dataset:x", "urn:li:dataset:(a,b)"]
)
def test_a_urn_that_is_none_is_named_and_the_rest_goes_on(
    home: Home, gms: Gms, theirs: str
) -> None:
    home.put("a")
    home.put_foreign(theirs)
    ran = home.sync("--apply", "--yes")
    assert ran.code in (1, 3)
    assert "1 written" in ran.out
    assert home.urn("a") in gms.dump()


def test_a_dataset_that_the_server_cannot_read_is_named_and_the_rest_goes_on(
    home: Home, gms: Gms
) -> None:
    for name in "abcd":
        home.put(name, governance={"tags": ["raw"]})
    home.push()
    for name in "abcd":
        home.change(name, governance={"tags": ["gold"]})
    gms.faults.unreadable(home.urn("c"))
    ran = home.sync("--apply", "--yes")
    assert ran.code == 1
    assert "3 written" in ran.out
    assert [gms.version(home.urn(name), "globalTags") for name in "abcd"] == [2, 2, 1, 2]
    gms.faults.clear()
    home.push()
    assert home.is_settled()


def test_what_others_damaged_is_unreadable_for_that_dataset_alone(home: Home, gms: Gms) -> None:
    for name in "abc":
        home.put(name, governance={"tags": ["raw"]})
    home.push()
    stamp = {"time": 1, "actor": "urn:li:corpuser:x"}
    nothing = {"dataset": "", "type": "TRANSFORMED", "auditStamp": stamp}
    gms.edit(home.urn("a"), "upstreamLineage", {"upstreams": [nothing]})
    for name in "abc":
        home.change(name, governance={"tags": ["gold"]})
    ran = home.sync("--apply", "--yes")
    assert ran.code == 1
    assert "2 written" in ran.out
    (line,) = lines(ran.out, "an aspect there is not what DataHub writes")
    assert home.urn("a") in line
    assert [gms.version(home.urn(name), "globalTags") for name in "abc"] == [1, 2, 2]

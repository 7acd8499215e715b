"""`/lumos waive …`: what a comment may say, and what it may not."""

import datetime

import pytest

from lumos_snap.ci.waive_instruction import WaiveInstruction, waive_of
from lumos_snap.errors import LumosError

TODAY = datetime.date(2026, 3, 1)
UNTIL = datetime.date(2026, 12, 31)


@pytest.mark.parametrize(
    "body",
    [
        "/lumos waive 3F2A91c0 until=2026-12-31 reason=agreed with finance",
        "/lumos  waive 3f2a91c0  until=2026-12-31  reason=  agreed with finance  ",
        '/lumos waive 3f2a91c0 until=2026-12-31 reason="agreed with finance"\r\nThanks!',
        "  /lumos waive 3f2a91c0 until=2026-12-31 reason='agreed with finance'\n/lumos waive x",
    ],
)
def test_a_command_is_read(body: str) -> None:
    assert waive_of(body, TODAY) == WaiveInstruction("3f2a91c0", UNTIL, "agreed with finance")


def test_a_ticket_may_be_named_and_a_reason_may_hold_anything_that_is_shown() -> None:
    reason = "$(rm -rf /) `id` ${{ secrets.TOKEN }} until=1 <b> ::error:: naïve 漢字"
    found = waive_of(f"/lumos waive 3f2a until=2026-12-31 ticket=DATA-12 reason={reason}", TODAY)
    assert found == WaiveInstruction("3f2a", UNTIL, reason, "DATA-12")


@pytest.mark.parametrize(
    "body", ["", "Looks good", "see /lumos waive 3f2a", "/lumosity", "> /lumos waive 3f2a", "\n"]
)
def test_a_comment_to_people_is_none(body: str) -> None:
    assert waive_of(body, TODAY) is None


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("/lumos", "`waive` is the only command"),
        ("/lumos approve 3f2a", "`waive` is the only command"),
        ("/lumos waive", "the fingerprint of a finding comes first"),
        ("/lumos waive 3f2", "the fingerprint of a finding comes first"),
        ("/lumos waive ../../x until=2026-12-31 reason=x", "the fingerprint"),
        (f"/lumos waive {'a' * 65} until=2026-12-31 reason=x", "the fingerprint"),
        ("/lumos waive 3f2a reason=x", "until= needs the last day"),
        ("/lumos waive 3f2a until=tomorrow reason=x", "until= needs the last day"),
        ("/lumos waive 3f2a until=2026-02-30 reason=x", "there is no day 2026-02-30"),
        ("/lumos waive 3f2a until=2026-02-28 reason=x", "2026-02-28 is in the past"),
        ("/lumos waive 3f2a until=\uff12026-12-31 reason=x", "until= needs the last day"),
        ("/lumos waive 3f2a until=2026-12-31", "reason= says why"),
        ("/lumos waive 3f2a until=2026-12-31 reason=", "reason= says why"),
        ('/lumos waive 3f2a until=2026-12-31 reason="  "', "reason= says why"),
        (f"/lumos waive 3f2a until=2026-12-31 reason={'x' * 501}", "the reason is longer"),
        (f"/lumos waive 3f2a until=2026-12-31 reason={'x' * 60_000}", "the line is longer"),
        ("/lumos waive 3f2a until=2026-12-31 until=2027-12-31 reason=x", "is given twice"),
        ("/lumos waive 3f2a silent=true until=2026-12-31 reason=x", "write until="),
        ("/lumos waive 3f2a until=2026-12-31 ticket=$(id) reason=x", "ticket= takes"),
        ("/lumos waive 3f2a until=2026-12-31 reason=a\x1b[2Jb", "not shown"),
        ("/lumos waive 3f2a until=2026-12-31 reason=a\u202eb", "not shown"),
        ("/lumos waive 3f2a until=2026-12-31 reason=a\u2028waivers: []", "not shown"),
        ("/lumos waive 3f2a until=2026-12-31 reason=a\ud800b", "not shown"),
        ("/lumos waive 3f2a until=2026-12-31 reason=a\rb", "not shown"),
    ],
)
def test_anything_else_is_refused(body: str, why: str) -> None:
    with pytest.raises(LumosError) as refused:
        waive_of(body, TODAY)
    assert why in refused.value.message
    assert refused.value.hint.startswith("/lumos waive FINGERPRINT until=")


def command(reason: str = "x", until: str = "2026-03-01", **more: str) -> str:
    settings = " ".join(f"{name}={value}" for name, value in more.items())
    return f"/lumos waive 3f2a until={until} {settings} reason={reason}"


def test_a_waiver_may_end_today() -> None:
    found = waive_of(command(), TODAY)
    assert found is not None
    assert found.until == TODAY


@pytest.mark.parametrize(
    ("longest", "longer", "why"),
    [
        (command("r" * 500), command("r" * 501), "the reason is longer than 500"),
        (command(ticket="t" * 100), command(ticket="t" * 101), "ticket= takes"),
        (
            command("'r'") + " " * (2_000 - len(command("'r'"))) + "\n",
            command("r") + "\t" * (2_000 - len(command("r"))) + "r",
            "the line is longer than 2,000",
        ),
        (f"/lumos waive {'a' * 64} until=2026-03-01 reason=x", f"/lumos waive {'a' * 65}", "first"),
    ],
)
def test_each_part_may_be_so_long(longest: str, longer: str, why: str) -> None:
    assert waive_of(longest, TODAY)
    with pytest.raises(LumosError, match=why):
        waive_of(longer, TODAY)


@pytest.mark.parametrize(
    ("written", "read"), [("'", "'"), ("''a'", "'a"), ("'a\"", "'a\""), ("a'", "a'"), ('"a"', "a")]
)
def test_only_a_pair_of_quotes_is_taken_off(written: str, read: str) -> None:
    found = waive_of(command(written), TODAY)
    assert found is not None
    assert found.reason == read

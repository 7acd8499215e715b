"""What a comment says stays inert and within GitHub's limit, whatever names and trees there are."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lumos_snap.ci import runner
from lumos_snap.ci.aggregate import describe_verdict, gate_trees, merge_diffs, verdict_of
from lumos_snap.ci.comment_body import MOST, body_of, says_something
from lumos_snap.ci.runner import command, escape_commands, outputs
from lumos_snap.report.gate import TreeResult
from tests.ci.differences import difference, judged, undecided

HOSTILE = (
    "@everyone",
    "](javascript:alert(1))",
    "::error::x",
    "<script>alert(1)</script>",
    "<!-- lumos-snap other -->",
    "\x1b[31mred",
    "two\nlines\r\n::set-output name=x::y",
    "x" * 10_000,
    "\ud800 and \udcff",
    "`code` | cell | **bold**",
    "</details></sub>\n# A title",
    "https://evil.example",
    "\u202etxt.exe",
)
NAMES = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(), min_size=1, max_size=40))


RESULTS = st.lists(
    st.one_of(
        st.builds(judged, NAMES),
        st.builds(judged, NAMES, NAMES),
        st.builds(judged, NAMES, NAMES, NAMES),
        st.builds(undecided, NAMES, NAMES),
    ),
    min_size=1,
    max_size=6,
)


@given(RESULTS, st.sampled_from([2_000, MOST]))
def test_it_always_fits_and_is_plain_text(results: list[TreeResult], most: int) -> None:
    body = body_of(results, run_url="https://github.example/run", most=most)
    assert len(body) <= most
    body.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", body)


@given(RESULTS)
def test_nothing_in_a_name_is_obeyed(results: list[TreeResult]) -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(body_of(results))
    tags = set(re.findall(r"</?([a-zA-Z]\w*)", html))
    known = "h2 h3 h4 p table thead tbody tr th td b strong em code br details summary ul li hr sub"
    assert tags <= set(known.split())
    assert "<!--" not in html
    assert "href=" not in html
    plain = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert not re.search(r"@[A-Za-z]", plain)


@given(RESULTS)
def test_a_log_and_its_annotations_obey_only_us(results: list[TreeResult]) -> None:
    report = gate_trees(results)
    for line in runner.text(report).split("\n"):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", line)
    for line in runner.annotations(report).splitlines():
        assert re.match(r"::(error|warning|notice) [a-z]|(PASS|FAIL|UNDECIDED)\b", line)


def test_many_large_trees_all_get_a_word() -> None:
    names = [f"column_{number}" for number in range(300)]
    results = [judged(f"teams/{number}", *names) for number in range(9)]
    body = body_of(results)
    assert MOST * 0.9 < len(body) <= MOST
    for number in range(9):
        assert f"`teams/{number}`" in body
    assert body.count("There is more") == 9


def test_a_thousand_trees_fit() -> None:
    results = [judged(f"t{number}", "gone") for number in range(1_000)]
    body = body_of(results)
    assert len(body) <= MOST
    assert "1000 trees: 1000 fail" in body
    assert "There is more" in body


def test_the_worst_comes_first() -> None:
    body = body_of([judged("fine"), undecided("odd", "why"), judged("bad", "gone")])
    assert body.index("`bad`") < body.index("`odd`") < body.index("`fine`")


@pytest.mark.parametrize(
    ("length", "is_cut"),
    [(1, False), (199, False), (200, False), (201, True), (10_000, True)],
)
def test_the_name_of_a_tree_is_cut_where_it_is_very_long(length: int, is_cut: bool) -> None:
    body = body_of([judged("t" * length, "gone"), judged("other")])
    assert ("t" * min(length, 200) + "…`" in body) == is_cut
    assert ("`" + "t" * length + "`" in body) != is_cut


def test_a_tree_that_cannot_be_judged_says_why_and_what_to_do() -> None:
    told = undecided("a", "it is lost")
    body = body_of([told])
    assert "it is lost" in body
    assert "What to do: it is lost" in body
    assert "What to do" not in body_of([replace(told, hint="")])
    assert "nothing is known" in body_of([replace(told, problem="")])


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        ([judged("a")], "pass"),
        ([judged("a"), judged("b", "gone")], "fail"),
        ([undecided("a", "why"), judged("b", "gone")], "fail"),
        ([judged("a"), undecided("b", "why")], "undecided"),
        ([], "undecided"),
    ],
)
def test_no_verdict_is_better_than_the_worst_tree(results: list[TreeResult], verdict: str) -> None:
    assert verdict_of(results) == verdict
    assert gate_trees(results).verdict == verdict


def test_all_trees_are_told_as_one_diff() -> None:
    found = merge_diffs([judged("a", "x"), undecided("b", "why"), judged("c", "y", "z")])
    assert found is not None
    assert [one.path for one in found.datasets] == ["x", "y"]
    assert (found.counts.breaking, found.verdict) == (3, "fail")
    assert [(one.path, one.message) for one in found.damaged] == [("b/lumos.yaml", "why")]
    clean = merge_diffs([judged("a"), undecided("b", "why")])
    assert clean is not None
    assert (clean.verdict, clean.reasons) == ("undecided", ("b: why",))
    assert merge_diffs([undecided("b", "why")]) is None


def test_a_clean_tree_has_nothing_to_say() -> None:
    assert not says_something(judged("a"))
    assert says_something(judged("a", "x"))
    assert says_something(undecided("a", "why"))
    clean = difference()
    waived = replace(clean, verdict="undecided")
    assert says_something(TreeResult(name="a", difference=waived, exit=3))


def test_a_status_says_why_in_a_line() -> None:
    assert describe_verdict([judged("a")]) == "no dataset changed"
    assert describe_verdict([judged("a", "x")]) == "1 breaking changes"
    assert (
        describe_verdict([judged("a", "x"), undecided("b", "lost")])
        == "a: 1 breaking changes; b: lost"
    )


def test_outputs_hold_one_line_each() -> None:
    assert outputs({"a": "1\nb=2\r\n", "c": "%0A"}) == "a=1 b=2  \nc=%0A\n"


def test_commands_hold_nothing_but_their_words() -> None:
    said = command("error", "50% of\n::set-output::x\r", title="a:b,c%")
    assert said == "::error title=a%3Ab%2Cc%25::50%25 of%0A::set-output::x%0D"


def test_a_shielded_text_cannot_end_its_shield() -> None:
    assert (
        escape_commands("::error::x", "secret")
        == "::stop-commands::secret\n::error::x\n::secret::\n"
    )

"""Markdown that is cut stays Markdown, and fits."""

import re

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.ci.comment_body import shares, shorten_markdown

LINES = st.sampled_from([
    "### a dataset", "| a | row |", "- an item", "", "<details open><summary>3 changes</summary>",
    "</details>", "```", "x" * 400, "text <details><summary>in a line</summary></details>",
])  # fmt: skip
MORE = "**There is more.**"


def balanced(lines: list[str]) -> str:
    """A text whose sections and fences are closed, as renderers write it."""
    found, opened, fenced = [], 0, False
    for line in lines:
        if line == "```":
            fenced = not fenced
        elif fenced and "details" in line:
            continue
        elif line == "</details>":
            if not opened:
                continue
            opened -= 1
        elif line.startswith("<details"):
            opened += 1
        found.append(line)
    return "\n".join([*found, *(["```"] if fenced else []), *["</details>"] * opened])


@given(st.lists(LINES, max_size=60).map(balanced), st.integers(200, 3000))
def test_what_is_cut_fits_and_is_closed(text: str, most: int) -> None:
    cut = shorten_markdown(text, most, MORE)
    assert len(cut) <= most
    assert cut.count("<details") == cut.count("</details>")
    assert len(re.findall("^```", cut, re.MULTILINE)) % 2 == 0
    assert (cut == text) if len(text) <= most else cut.rstrip().endswith(MORE)


def test_one_line_that_is_too_long_leaves_the_word_that_there_is_more() -> None:
    assert shorten_markdown("x" * 10_000, 1_000, MORE).strip() == MORE


@given(st.lists(st.integers(0, 10_000), max_size=20), st.integers(0, 60_000))
def test_room_is_shared_fairly(lengths: list[int], room: int) -> None:
    given_to = shares(lengths, room)
    assert sum(given_to) <= room
    assert all(got <= length for got, length in zip(given_to, lengths, strict=True))
    short = [got for got, length in zip(given_to, lengths, strict=True) if got < length]
    if short:
        assert max(given_to) <= min(short) + 1


def test_what_fits_beside_a_reserve_is_kept() -> None:
    text = "\n".join(["a" * 9] * 50)
    most = len("more") + 100 + 5 * 10
    kept = [shorten_markdown(text, most + spare, "more").count("a" * 9) for spare in (-1, 0, 9, 10)]
    assert kept == [4, 5, 5, 6]


def test_a_fence_with_a_language_is_closed() -> None:
    cut = shorten_markdown("```json\n" + "{}\n" * 500 + "```", 300, MORE)
    assert len(re.findall("^```", cut, re.MULTILINE)) == 2


def test_the_ends_of_many_open_sections_fit() -> None:
    for most in range(400, 900, 50):
        cut = shorten_markdown("<details>\n" * 500 + "</details>\n" * 500, most, MORE)
        assert len(cut) <= most
        assert cut.count("<details") == cut.count("</details>") > 0

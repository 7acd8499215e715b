"""The reference page: complete, and the same each time."""

import re

from docs.engines_page import SHOWN, page
from lumos_snap.engines import engine_names


def test_every_engine_has_a_section_with_a_square_matrix() -> None:
    sections = page().split("\n## ")[1:]
    assert [section.partition("\n")[0] for section in sections] == list(engine_names())
    for section in sections:
        lines = [line for line in section.splitlines() if line.startswith("|")]
        assert len(lines) == len(SHOWN) + 2
        assert {line.count("|") for line in lines} == {len(SHOWN) + 2}


def test_a_footnote_stands_under_the_matrix_that_points_to_it() -> None:
    for section in page().split("\n## ")[1:]:
        pointed = set(re.findall(r"<sup>(\d+)</sup>", section))
        assert pointed == set(re.findall(r"^(\d+)\. ", section, flags=re.MULTILINE))


def test_a_witness_breaks_no_line() -> None:
    assert not re.search(r"`[^`]*\n[^`]*→", page().split("\n## ", 1)[1])


def test_the_page_is_the_same_each_time() -> None:
    assert page() == page()

import re
from pathlib import Path

import pytest

from tests.docs.scale import numbers, tables


def test_the_tables_follow_from_what_the_page_assumes(
    root: Path, request: pytest.FixtureRequest
) -> None:
    page = root / "docs/scale.md"
    text = page.read_text()
    for name, table in tables().items():
        mark = rf"(?<=<!-- computed: {name} -->\n)(\|.*\n)+"
        assert re.search(mark, text), name
        text = re.sub(mark, table.replace("\\", r"\\"), text)
    if request.config.getoption("--rewrite-golden"):
        page.write_text(text)
    assert page.read_text() == text


@pytest.mark.parametrize(("what", "said"), numbers().items())
def test_the_sentences_say_the_same_numbers(root: Path, what: str, said: str) -> None:
    assert said in " ".join((root / "docs/scale.md").read_text().split()), what

"""Each format of a few diffs, byte by byte."""

from pathlib import Path

import pytest

from lumos_snap.render.diff_formats import FORMATS, DiffStyle
from tests.render.samples import HUGE, SAMPLES

ENDINGS = {
    "text": "txt",
    "json": "json",
    "ndjson": "ndjson",
    "markdown": "md",
    "html": "html",
    "github": "txt",
    "gitlab": "json",
    "azure": "txt",
    "junit": "xml",
    "sarif": "sarif",
    "summary": "md",
    "env": "txt",
}
GOLDEN = Path(__file__).parent / "golden"


def test_every_format_has_golden_files() -> None:
    assert set(ENDINGS) == set(FORMATS)


def same(path: Path, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_as_it_was(name: str, sample: str, request: pytest.FixtureRequest) -> None:
    text = FORMATS[name](SAMPLES[sample], DiffStyle())
    same(GOLDEN / name / f"{sample}.{ENDINGS[name]}", text, request)


@pytest.mark.parametrize("name", ["github", "markdown"])
def test_what_is_too_much_is_cut_as_it_was(name: str, request: pytest.FixtureRequest) -> None:
    same(GOLDEN / name / f"huge.{ENDINGS[name]}", FORMATS[name](HUGE, DiffStyle()), request)


@pytest.mark.parametrize("name", FORMATS)
def test_a_diff_is_shown_alike_each_time(name: str) -> None:
    first = FORMATS[name](SAMPLES["rich"], DiffStyle(everything=True))
    assert FORMATS[name](SAMPLES["rich"], DiffStyle(everything=True)) == first

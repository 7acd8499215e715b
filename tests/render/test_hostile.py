"""Whatever text stands in whatever place: no output obeys it."""

import json
import re
from xml.etree.ElementTree import Element

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from lumos_snap.render import html
from lumos_snap.render.diff_formats import FORMATS, DiffStyle
from lumos_snap.render.markdown_escape import escape_markdown_prose
from lumos_snap.report.diff import DiffReport
from lumos_snap.text import escape_surrogates
from tests.render.dom import parsed, plain_texts, rendered, shape, tags
from tests.render.random_diffs import HOSTILE, all_hostile, differences

ALL = DiffStyle(everything=True, limit=0)
LINKED = DiffStyle(everything=True, files="https://git.example/blob/0123/")
HARMLESS = all_hostile("harmless")
PAGES = ("markdown", "summary")
COMMANDS = ("github", "azure")
hostile = pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))


def shown(name: str, report: DiffReport, style: DiffStyle = ALL) -> str:
    return FORMATS[name](report, style)


def obeyed(text: str) -> list[str]:
    """The lines that GitHub, Azure or a terminal takes for more than text."""
    return [
        line
        for line in re.split(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)
        if line.lstrip().startswith("::")
        or re.search(r"##\w*\[", line)
        or re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", line)
    ]


def looks(markdown: str) -> Element:
    return parsed(rendered(markdown))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in COMMANDS])
@hostile
def test_no_log_obeys_what_is_printed(name: str, text: str) -> None:
    assert obeyed(shown(name, all_hostile(text))) == []


@pytest.mark.parametrize("name", FORMATS)
@hostile
def test_every_output_is_utf8(name: str, text: str) -> None:
    shown(name, all_hostile(text)).encode()


@hostile
def test_there_are_as_many_workflow_commands_as_annotations(text: str) -> None:
    report = all_hostile(text)
    lines = obeyed(shown("github", report))
    for line in lines:
        command = re.fullmatch(r"::(error|warning|notice) ([^:]*)::([^:].*|:.*)", line)
        assert command, line
        names = [pair.partition("=")[0] for pair in command[2].split(",")]
        assert names in (["file", "line", "title"], ["file", "title"])
    words = [line.split(" ")[0] for line in lines]
    # Two files that cannot be read, and what blocks; a setting, a waiver, a remark; what is
    # waived, and three additions.
    assert (words.count("::error"), words.count("::warning")) == (3, 3)
    assert words.count("::notice") == 4


@hostile
def test_there_are_as_many_logging_commands_as_issues(text: str) -> None:
    lines = obeyed(shown("azure", all_hostile(text)))
    assert len(lines) == 10
    for line in lines:
        assert line.count("##") - line.count("####") >= 1
        assert len(re.findall(r"##\w*\[", line)) == 1
        command = re.match(r"##vso\[task\.logissue ((?:[a-z]+=[^;\]]*;)+)\](.+)", line)
        assert command, line
        names = [pair.partition("=")[0] for pair in command[1].strip(";").split(";")]
        assert set(names) <= {"type", "sourcepath", "linenumber", "code"}
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name", PAGES)
@hostile
def test_markdown_is_what_it_would_be_with_a_harmless_name(name: str, text: str) -> None:
    page = looks(shown(name, all_hostile(text)))
    assert not tags(page) & {"script", "img", "svg", "a", "iframe", "style", "form", "input", "pre"}
    if len(text) < 1_000:  # a long one leaves no room for some sections
        assert shape(page) == shape(looks(shown(name, HARMLESS)))
    assert not [one for one in page.iter() for key in one.attrib if key != "open"]


@pytest.mark.parametrize(
    "name", ["`a b`", "``a`b``", "`![x](http://evil.example)`", "`</details>`"]
)
def test_a_name_that_has_backticks_leaves_the_rest_of_a_sentence_as_it_was(name: str) -> None:
    said = rendered(escape_markdown_prose(f"keep `{name}` and deprecate it, in `contract.fields`"))
    assert said.count("<code>") == 2
    assert "</code> and deprecate it, in <code>contract.fields</code>" in said
    assert tags(parsed(said)) == tags(parsed(rendered("keep `a` and deprecate it, in `b`")))
    page = html.escape_html_prose(f"keep `{name}` and deprecate it, in `contract.fields`")
    assert page.endswith("</code> and deprecate it, in <code>contract.fields</code>")


def test_a_list_in_markdown_is_as_flat_as_it_was_written() -> None:
    page = looks(shown("markdown", HARMLESS))
    assert not [one for one in page.iter("ul") if list(one.iter("ul")) != [one]]


@hostile
def test_markdown_mentions_nobody_and_nothing(text: str) -> None:
    page = looks(shown("markdown", all_hostile(text)))
    told = " ".join(plain_texts(page))
    assert not re.search(r"@\w", told)
    assert not re.search(r"(^|[^\w&])[#!]\d", told)
    assert not re.search(r"GH-\d|:octocat:|://|www\.", told)


@hostile
def test_links_in_markdown_lead_to_the_repository_only(text: str) -> None:
    page = looks(shown("markdown", all_hostile(text), LINKED))
    links = [one.attrib["href"] for one in page.iter("a")]
    assert links or len(text) > 1_000  # a long one leaves no room for what has a link
    assert all(link.startswith(LINKED.files) for link in links)


@pytest.mark.parametrize("style", [ALL, LINKED])
@hostile
def test_a_page_is_what_it_would_be_with_a_harmless_name(text: str, style: DiffStyle) -> None:
    page = parsed(shown("html", all_hostile(text), style))
    assert shape(page) == shape(parsed(shown("html", HARMLESS, style)))
    assert not tags(page) & {"script", "img", "svg", "iframe", "form", "link", "object", "base"}
    for one in page.iter():
        assert set(one.attrib) <= {
            "class", "open", "lang", "charset", "http-equiv", "content", "name", "href"
        }  # fmt: skip
        assert one.attrib.get("href", "https://git.example/").startswith("https://git.example/")


def test_a_page_forbids_scripts_and_requests() -> None:
    page = parsed(shown("html", HARMLESS))
    policies = [
        one.attrib["content"]
        for one in page.iter("meta")
        if one.attrib.get("http-equiv") == "Content-Security-Policy"
    ]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policies[0]


@hostile
def test_junit_is_what_it_would_be_with_a_harmless_name(text: str) -> None:
    top, plain = (
        [one.tag for one in etree.fromstring(shown("junit", report).encode()).iter()]
        for report in (all_hostile(text), HARMLESS)
    )
    assert top == plain


@hostile
def test_json_says_the_very_text(text: str) -> None:
    said = json.loads(shown("json", all_hostile(text)))
    assert said["datasets"][0]["urn"] == escape_surrogates(text)
    first = shown("ndjson", all_hostile(text)).partition("\n")[0]
    assert json.loads(first)["diff"]["base"]["name"] == escape_surrogates(text)


@hostile
def test_sarif_and_gitlab_are_what_they_would_be_with_a_harmless_name(text: str) -> None:
    for name in ("sarif", "gitlab"):
        said, plain = (json.loads(shown(name, one)) for one in (all_hostile(text), HARMLESS))
        assert _keys(said) == _keys(plain), name
    (run,) = json.loads(shown("sarif", all_hostile(text)))["runs"]
    messages = [one["message"]["text"] for one in run["results"]]
    assert not [one for one in messages if "](" in one]


def _keys(held: object) -> object:
    if isinstance(held, dict):
        return {key: _keys(value) for key, value in held.items()}
    return [_keys(item) for item in held] if isinstance(held, list) else type(held).__name__


@settings(suppress_health_check=list(HealthCheck), max_examples=60)
@given(report=differences())
def test_nothing_obeys_any_diff(report: DiffReport) -> None:
    for name in FORMATS:
        text = shown(name, report)
        text.encode()
        if name not in COMMANDS:
            assert obeyed(text) == [], name
    for name in PAGES:
        page = looks(shown(name, report))
        assert not tags(page) & {"script", "img", "svg", "a", "iframe", "style", "form", "input"}
    assert not tags(parsed(shown("html", report))) & {"script", "img", "svg", "a", "iframe", "form"}


@pytest.mark.parametrize("name", ["markdown", "summary"])
def test_a_page_keeps_to_its_size_whatever_it_holds(name: str) -> None:
    most = {"markdown": 60_000, "summary": 1_000_000}[name]
    for text in ("@" * 10_000, "<" * 10_000, "é" * 10_000, "👩" * 10_000):
        assert len(shown(name, all_hostile(text)).encode()) <= most

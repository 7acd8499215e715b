"""What a standard is for is held against it: each output of any diff at all."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator
from lxml import etree

from lumos_snap.commands.schema import read_schema
from lumos_snap.render.diff_formats import FORMATS, DiffStyle
from lumos_snap.report.diff import DiffReport
from tests.render.random_diffs import HOSTILE, all_hostile, differences, findings
from tests.render.samples import HUGE, SAMPLES, dataset, diff

SCHEMAS = Path(__file__).parent / "schemas"
SARIF = Draft7Validator(json.loads((SCHEMAS / "sarif-2.1.0.schema.json").read_text()))
GITLAB = Draft202012Validator(json.loads((SCHEMAS / "gitlab-code-quality.schema.json").read_text()))
JSON = Draft202012Validator(orjson.loads(read_schema("output/diff")))
LINE = Draft202012Validator(orjson.loads(read_schema("output/diff-line")))
JUNIT = etree.XMLSchema(etree.parse(SCHEMAS / "junit-10.xsd"))
STYLES = (DiffStyle(), DiffStyle(everything=True))
any_style = st.sampled_from(STYLES)


def sarif(report: DiffReport, style: DiffStyle) -> Any:
    """The log, after the checks that every log must stand."""
    log = json.loads(FORMATS["sarif"](report, style))
    SARIF.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for one in run["results"]:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        (place,) = one["locations"]
        assert place["physicalLocation"]["region"]["startLine"] >= 1
        assert not place["physicalLocation"]["artifactLocation"]["uri"].startswith(("/", "\\"))
    prints = [one["partialFingerprints"]["lumosFingerprint/v1"] for one in run["results"]]
    assert len(prints) == len(set(prints))
    assert all(len(rule["properties"]["tags"]) <= 20 for rule in rules)
    return run


def junit(report: DiffReport, style: DiffStyle) -> etree._Element:
    top = etree.fromstring(FORMATS["junit"](report, style).encode())
    JUNIT.assertValid(top)
    for counted in (top, *top.iter("testsuite")):
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(counted.get(name, "")) == len(list(counted.iter(tag)))
    return top


def gitlab(report: DiffReport, style: DiffStyle) -> list[dict[str, Any]]:
    issues: list[dict[str, Any]] = json.loads(FORMATS["gitlab"](report, style))
    GITLAB.validate(issues)
    prints = [one["fingerprint"] for one in issues]
    assert len(prints) == len(set(prints))
    return issues


def held_against_all(report: DiffReport, style: DiffStyle) -> None:
    sarif(report, style)
    junit(report, style)
    gitlab(report, style)
    JSON.validate(json.loads(FORMATS["json"](report, style)))
    for line in FORMATS["ndjson"](report, style).splitlines():
        LINE.validate(json.loads(line))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_as_the_standards_ask(name: str, style: DiffStyle) -> None:
    held_against_all(SAMPLES[name], style)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_hostile_texts_are_as_the_standards_ask(text: str) -> None:
    held_against_all(all_hostile(text), DiffStyle(everything=True))


@settings(suppress_health_check=list(HealthCheck))
@given(report=differences(), style=any_style)
def test_any_diff_is_as_the_standards_ask(report: DiffReport, style: DiffStyle) -> None:
    held_against_all(report, style)


@pytest.mark.slow
@settings(max_examples=1_000, suppress_health_check=list(HealthCheck))
@given(finding=findings, style=any_style)
def test_a_thousand_findings_are_as_the_standards_ask(finding: Any, style: DiffStyle) -> None:
    held_against_all(diff(dataset(finding)), style)


class TestLimits:
    def test_sarif_holds_what_github_shows(self) -> None:
        run = sarif(HUGE, DiffStyle())
        assert len(run["results"]) == 5_000
        assert run["results"][-1]["message"]["text"].startswith("4,001 more, none graver")

    def test_gitlab_and_junit_are_cut_alike(self) -> None:
        assert len(gitlab(HUGE, DiffStyle())) == 5_000
        top = junit(HUGE, DiffStyle())
        assert top.get("failures") == "5000"

    def test_json_is_never_cut(self) -> None:
        assert len(json.loads(FORMATS["json"](HUGE, DiffStyle()))["datasets"]) == 1_500
        assert FORMATS["ndjson"](HUGE, DiffStyle()).count('"finding":') == 9_000


class TestNeverGreen:
    """What is not decided, and what fails for any reason, is told in each format."""

    REPORTS: Mapping[str, DiffReport] = {
        "undecided": SAMPLES["undecided"],
        "undecided without a file": diff(verdict="undecided"),
        "failed without a finding": diff(verdict="fail", reasons=("a waiver expired",)),
    }

    @pytest.mark.parametrize("name", REPORTS)
    def test_sarif(self, name: str) -> None:
        run = sarif(self.REPORTS[name], DiffStyle())
        assert any(one["level"] == "error" for one in run["results"])
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] == name.startswith("failed")
        assert invocation["toolExecutionNotifications"]
        assert invocation["exitCode"] == (1 if name.startswith("failed") else 3)

    @pytest.mark.parametrize("name", REPORTS)
    def test_junit(self, name: str) -> None:
        top = junit(self.REPORTS[name], DiffStyle())
        assert int(top.get("errors", "")) == 1

    @pytest.mark.parametrize("name", REPORTS)
    def test_gitlab(self, name: str) -> None:
        assert gitlab(self.REPORTS[name], DiffStyle())[0]["severity"] == "blocker"

    @pytest.mark.parametrize("name", REPORTS)
    def test_github(self, name: str) -> None:
        assert FORMATS["github"](self.REPORTS[name], DiffStyle()).startswith("::error ")

    @pytest.mark.parametrize("name", REPORTS)
    def test_azure(self, name: str) -> None:
        assert "[task.logissue type=error;" in FORMATS["azure"](self.REPORTS[name], DiffStyle())

    @pytest.mark.parametrize("name", REPORTS)
    @pytest.mark.parametrize("page", ["markdown", "summary", "html", "text", "ndjson", "json"])
    def test_pages(self, name: str, page: str) -> None:
        text = FORMATS[page](self.REPORTS[name], DiffStyle())
        assert self.REPORTS[name].verdict in text.lower()
        assert "✅" not in text
        assert "✓" not in text


def test_a_quiet_diff_is_green_everywhere() -> None:
    report = SAMPLES["nothing"]
    (run,) = json.loads(FORMATS["sarif"](report, DiffStyle()))["runs"]
    assert (run["results"], run["invocations"][0]["executionSuccessful"]) == ([], True)
    top = junit(report, DiffStyle())
    assert (top.get("failures"), top.get("errors")) == ("0", "0")
    assert int(top.get("tests", "")) > 50
    assert gitlab(report, DiffStyle()) == []
    assert (
        FORMATS["github"](report, DiffStyle()) == FORMATS["azure"](report, DiffStyle()) == "PASS\n"
    )

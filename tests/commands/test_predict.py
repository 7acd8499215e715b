"""What a proposed schema would mean."""

import datetime
import json
from typing import Any

import pytest

from lumos_snap.commands.import_reader import IncomingDocument
from lumos_snap.commands.predict import next_version, predict
from lumos_snap.errors import LumosError
from lumos_snap.report.history import PredictReport
from lumos_snap.rules.rule import Bump
from tests.history.conftest import CLICKS, Scripted, column, content, document, struct

TODAY = datetime.date(2026, 3, 1)


def _predict(made: Scripted, proposal: Any, **settings: Any) -> PredictReport:
    raw = proposal if isinstance(proposal, bytes) else json.dumps(proposal, indent=2).encode()
    incoming = IncomingDocument("schema.json", raw)
    return predict(made.tree, "clicks", incoming, **{"fail_on": None, "today": TODAY, **settings})


def _said(report: PredictReport) -> list[tuple[str, str | None]]:
    return [(one.slug, one.field) for one in report.changes]


@pytest.fixture
def clicks(made: Scripted) -> Scripted:
    held = document(
        column("a", nullable=False),
        column("n", "DECIMAL", precision=12, scale=2),
        struct("page", column("url")),
        versioning={"schema_version": "1.4.2"},
    )
    held["schema"]["primary_key"] = ["a"]
    made.put(held)
    return made


FIELDS: list[dict[str, Any]] = [
    {"name": "a", "type": "STRING", "nullable": False},
    {"name": "n", "type": "DECIMAL(12,2)"},
    {"name": "page", "type": "STRUCT<url: STRING>"},
]


@pytest.mark.parametrize(
    "proposal",
    [
        FIELDS,
        {"fields": FIELDS},
        {"schema": {"fields": FIELDS}},
        [{**FIELDS[0], "type": "STRING NOT NULL"}, *FIELDS[1:]],
        [
            *FIELDS[:2],
            {"name": "page", "type": "STRUCT", "fields": [{"name": "url", "type": "string"}]},
        ],
    ],
    ids=["list", "section", "partial", "not null", "nested"],
)
def test_every_form_says_the_same(clicks: Scripted, proposal: Any) -> None:
    report = _predict(clicks, proposal)
    assert (_said(report), report.verdict, report.bump) == ([], "pass", "none")
    assert (report.schema_version, report.next_version) == ("1.4.2", None)


def test_a_whole_snapshot_is_judged_whole(clicks: Scripted) -> None:
    held = json.loads((clicks.root / CLICKS).read_bytes())
    held["documentation"] = {"description": "x"}
    held["versioning"] = {"schema_version": "9.9.9"}
    assert [slug for slug, _ in _said(_predict(clicks, held))] == ["documentation-changed"]


def test_what_breaks_fails_and_names_the_version_that_follows(clicks: Scripted) -> None:
    report = _predict(clicks, FIELDS[:2])
    assert _said(report) == [("field-removed", "page")]
    assert (report.verdict, report.bump, report.next_version) == ("fail", "major", "2.0.0")
    before = (clicks.root / CLICKS).read_bytes()
    assert (clicks.root / CLICKS).read_bytes() == before


def test_what_fails_is_chosen(clicks: Scripted) -> None:
    wider = [*FIELDS, {"name": "x", "type": "INT64"}]
    assert _predict(clicks, wider).verdict == "pass"
    assert _predict(clicks, wider, fail_on="non-breaking").verdict == "fail"
    assert _predict(clicks, FIELDS[:1], fail_on="none").verdict == "pass"
    (clicks.root / "lumos.yaml").write_text("version: 1\npolicy:\n  fail_on: non-breaking\n")
    assert _predict(clicks, wider).verdict == "fail"


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "schema.json:1:1: is empty"),
        (b"[\n {]", "schema.json:2:3: is not valid JSON"),
        (b"7", "schema.json:1:1: is no schema"),
        (b'{"columns": []}', "schema.json:1:1: is no schema"),
        (b'{"fields": [], "fields": []}', "schema.json:1:16: the key `fields` stands there twice"),
        (b'[{"name": "a",\n  "type": "INTEGRE"}]', "schema.json:2:3: 'INTEGRE' is no type"),
        (b'[{"name": "a",\n  "type": "DECIMAL(2"}]', "schema.json:2:3: 'DECIMAL"),
        (b'[{"name": "a"}]', "schema.json:1:2: "),
        (b'{"fields": [{"name": "a", "type": "INT64",\n "nullable": 1}]}', "schema.json:2:2: "),
        (b'{"fields": [{"name": "a", "type": "INT64"},\n 3]}', "schema.json:2:2: "),
        (b'[{"name": "a", "type": "REF", "ref": "x"}]', "schema.json:1:"),
        (b'{"urn": "lumos://s3/other", "name": "x"}', "schema.json:1:2: describes lumos://s3/other"),
        (b"[" * 5000 + b"]" * 5000, "schema.json:1:"),
        (b'{"fields": ' + b"[" * 900 + b"]" * 900 + b"}", "schema.json:1:"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_named_with_its_place(
    clicks: Scripted, raw: bytes, says: str
) -> None:
    with pytest.raises(LumosError) as caught:
        _predict(clicks, raw)
    assert caught.value.message.startswith(says)
    assert caught.value.exit_code == 2
    assert caught.value.hint


def test_a_key_column_that_is_gone_breaks(clicks: Scripted) -> None:
    for proposal in (FIELDS[1:], {"fields": FIELDS[1:]}, {"schema": {"fields": FIELDS[1:]}}):
        report = _predict(clicks, proposal)
        assert (report.verdict, report.bump) == ("fail", "major")
    with pytest.raises(LumosError, match="no column `a`"):
        _predict(clicks, {"fields": FIELDS[1:], "primary_key": ["a"]})


def test_what_a_schema_does_not_say_stays(clicks: Scripted) -> None:
    assert _said(_predict(clicks, {"fields": FIELDS})) == []
    said = _said(_predict(clicks, {"fields": FIELDS, "primary_key": []}))
    assert [slug for slug, _ in said] != []


def test_a_day_decides_what_is_past(clicks: Scripted) -> None:
    held = json.loads((clicks.root / CLICKS).read_bytes())
    promised = {"path": "n", "deprecated": "use x", "sunset": "2026-02-01"}
    clicks.put({**held, "contract": {"fields": [promised]}})
    fields = [FIELDS[0], FIELDS[2]]
    early = _predict(clicks, fields, today=datetime.date(2026, 1, 1))
    assert (early.verdict, _predict(clicks, fields).verdict) == ("fail", "pass")


@pytest.mark.parametrize(
    ("version", "step", "follows"),
    [
        (None, Bump.MAJOR, "1.0.0"),
        ("1.4.2", Bump.MAJOR, "2.0.0"),
        ("1.4.2", Bump.MINOR, "1.5.0"),
        ("1.4.2-rc.1", Bump.PATCH, "1.4.2"),
        ("1.4.2", Bump.NONE, None),
    ],
)
def test_a_step_leads_to_a_version(version: str | None, step: Bump, follows: str | None) -> None:
    assert next_version(version, step) == follows


def test_content_helper_is_canonical(clicks: Scripted) -> None:
    held = json.loads((clicks.root / CLICKS).read_bytes())
    assert content(held) == (clicks.root / CLICKS).read_bytes()

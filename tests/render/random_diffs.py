"""Diffs that Hypothesis builds: any text in any place, and the texts that once did harm."""

# ruff: noqa: E501 - texts that do harm stand in rows

from typing import Any

from hypothesis import strategies as st

from lumos_snap.report.consumers import Compatibility, Consumer, Impact, Reach
from lumos_snap.report.diff import (
    BumpWord,
    ChangedDataset,
    ChangeFinding,
    ChangeWord,
    DecisionStep,
    DiffReport,
    LevelWord,
    NewWaiver,
    PolicyChange,
    Remark,
)
from lumos_snap.report.envelope import FileFinding
from tests.render.samples import HERE, MAIN, diff
from tests.strategies.texts import odd_texts

HOSTILE = (
    "@everyone",
    "@org/team",
    "[a](javascript:alert(1))",
    "](javascript:alert(1))",
    "![x](http://evil.example/pixel.png)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</style></title></textarea><script>alert(1)</script>",
    "</details></details><h1>PASS</h1>",
    '"><svg onload=alert(1)>',
    "<!-- ", "-->", "]]>", "&lt;script&gt;", "&#60;script&#62;",
    "::error::pwned", "\n::error::pwned", "\r\n::set-output name=x::y", "%0A::error::pwned",
    "::stop-commands::x", "##[error]pwned", "##vso[task.setvariable variable=x]y",
    "a\n##vso[task.complete result=Succeeded;]", "];type=warning]",
    "\x1b[31mred\x1b]0;title\x07", "\x9b31m", "\x00", "\ufffe\uffff", "\u202egnp.exe",
    "\u2028::error::x", "\ud800", "a\udcffb", "\udbff\udfff", "```\n# PASS\n```", "`` ` ``", "|a|b|",
    "\n\n# ✅ Pass\n\n", "\n- [x] done", "http://evil.example/x", "www.evil.example", "a@evil.example",
    ":octocat:", "#1", "GH-1", "!1", "owner/repo#1", "x" * 10_000, "@" * 10_000, "<" * 10_000,
    "\\", "a\\|b", "{0}", "%s %(x)s {x}", "$(id)", "`id`", " ", "---", "===", "> q", "1. x", "    x",
    "~~~", "<details>", "<b", "a`b", "``", "\u200b", "section_start:1:x\r\x1b[0K",
)  # fmt: skip
texts = st.one_of(st.sampled_from(HOSTILE), odd_texts, st.text(min_size=1, max_size=12))
natural = st.integers(0, 5_000)
few: dict[str, Any] = {"max_size": 3}


consumers = st.builds(
    Consumer,
    urn=texts,
    depth=natural,
    through=st.lists(texts, **few).map(tuple),
    columns=st.lists(texts, **few).map(tuple),
    is_known=st.booleans(),
    compatibility=st.sampled_from(Compatibility),
    reason=texts,
    owners=st.lists(texts, **few).map(tuple),
    domain=st.none() | texts,
    tier=st.none() | texts,
)
impacts = st.builds(
    Impact,
    consumers=st.lists(consumers, **few).map(tuple),
    advice=st.lists(texts, **few).map(tuple),
)
json_values = st.none() | texts | st.dictionaries(texts, texts, max_size=2)
steps = st.builds(DecisionStep, by=texts | st.just("waiver"), says=texts)
findings = st.builds(
    ChangeFinding,
    fingerprint=texts,
    rule=texts | st.sampled_from(("SC001", "TY014", "DS001")),
    slug=texts,
    family=texts,
    level=st.sampled_from(LevelWord),
    silent=st.booleans(),
    bump=st.sampled_from(BumpWord),
    blocks=st.booleans(),
    waived=st.booleans(),
    urn=texts,
    field=st.none() | texts,
    item=st.none() | texts,
    subject=texts,
    action=texts,
    old=json_values,
    new=json_values,
    message=texts,
    reader=st.none() | texts,
    reads=st.none() | texts,
    shows=st.none() | texts,
    details=st.lists(texts, **few).map(tuple),
    why=texts,
    fix=texts,
    path=texts,
    line=natural,
    decisions=st.lists(steps, **few).map(tuple),
    impact=st.none() | impacts,
)
unread = st.builds(
    FileFinding, path=texts, line=natural, column=natural, rule=texts, message=texts, hint=texts
)
remarks = st.builds(Remark, path=texts, message=texts)
edits = st.builds(
    PolicyChange,
    path=texts,
    setting=texts,
    old=texts,
    new=texts,
    effect=st.sampled_from(("looser", "stricter", "different")),
)
waivers = st.builds(
    NewWaiver,
    path=texts,
    change=st.sampled_from(("added", "changed", "moved")),
    fingerprint=st.none() | texts,
    rule=st.none() | texts,
    reason=texts,
    owner=texts,
    expires=texts,
    counts=st.booleans(),
    decision=texts,
)
reaches = st.builds(
    Reach, touched=natural, affected=natural, teams=st.lists(texts, **few).map(tuple), says=texts
)


def _datasets(most: int) -> st.SearchStrategy[ChangedDataset]:
    return st.builds(
        ChangedDataset,
        urn=texts,
        path=texts,
        change=st.sampled_from(ChangeWord),
        renamed_from=st.none() | texts,
        bump=st.sampled_from(BumpWord),
        readers=st.lists(texts, **few).map(tuple),
        findings=st.lists(findings, min_size=1, max_size=most).map(tuple),
    )


@st.composite
def differences(draw: st.DrawFn, most: int = 3) -> DiffReport:
    """Any diff at all, whatever it says."""
    datasets = tuple(draw(st.lists(_datasets(most), max_size=most)))
    return diff(
        *datasets,
        base=MAIN if draw(st.booleans()) else type(MAIN)(name=draw(texts), how=draw(texts)),
        head=HERE,
        root=draw(st.none() | texts),
        verdict=draw(st.sampled_from(("pass", "fail", "undecided"))),
        reasons=tuple(draw(st.lists(texts, **few))),
        policy_changes=tuple(draw(st.lists(edits, max_size=2))),
        new_waivers=tuple(draw(st.lists(waivers, max_size=2))),
        entities=tuple(draw(st.lists(findings, max_size=1))),
        damaged=tuple(draw(st.lists(unread, max_size=2))),
        undecided=tuple(draw(st.lists(unread, max_size=2))),
        remarks=tuple(draw(st.lists(remarks, max_size=2))),
        reach=draw(st.none() | reaches),
    )


def all_hostile(text: str) -> DiffReport:
    """A diff that says one text wherever there is a place for it."""
    consumer = Consumer(
        urn=text,
        depth=2,
        through=(text,),
        columns=(text,),
        is_known=True,
        compatibility=Compatibility.BREAKING,
        reason=text,
        owners=(text,),
        domain=text,
        tier=text,
    )

    def said(*, blocks: bool, level: LevelWord, waived: bool = False) -> ChangeFinding:
        return ChangeFinding(
            **dict.fromkeys(
                ("fingerprint", "rule", "slug", "family", "urn", "field", "item", "subject"), text
            ),
            **dict.fromkeys(("action", "old", "new", "message", "reader", "reads", "shows"), text),
            **dict.fromkeys(("why", "fix", "path"), text),
            level=level,
            silent=blocks,
            bump=BumpWord.MAJOR,
            blocks=blocks,
            waived=waived,
            details=(text,),
            line=3,
            decisions=(DecisionStep(by="waiver", says=text),),
            impact=Impact(consumers=(consumer,), advice=(text,)),
        )

    found = (
        said(blocks=True, level=LevelWord.BREAKING),
        said(blocks=False, level=LevelWord.BREAKING, waived=True),
        said(blocks=False, level=LevelWord.NON_BREAKING),
    )
    whole = ChangedDataset(
        urn=text,
        path=text,
        change=ChangeWord.RENAMED,
        renamed_from=text,
        bump=BumpWord.MAJOR,
        readers=(text,),
        findings=found,
    )
    quiet = ChangedDataset(
        urn=text,
        path=text,
        change=ChangeWord.CHANGED,
        bump=BumpWord.MINOR,
        readers=(),
        findings=found[2:],
    )
    bad = FileFinding(path=text, line=2, column=1, rule=text, message=text, hint=text)
    return diff(
        whole,
        quiet,
        base=type(MAIN)(name=text, commit=text, how=text),
        head=type(MAIN)(name=text, commit=text, how=text),
        root=text,
        reasons=(text,),
        entities=found[2:],
        damaged=(bad,),
        undecided=(bad,),
        policy_changes=(
            PolicyChange(path=text, setting=text, old=text, new=text, effect="looser"),
        ),
        new_waivers=(
            NewWaiver(
                **dict.fromkeys(("path", "fingerprint", "reason", "owner", "expires"), text),
                change="added",
                counts=False,
                decision=text,
            ),
        ),
        remarks=(Remark(path=text, message=text),),
        reach=Reach(touched=1, affected=1, teams=(text,), says=text),
    )

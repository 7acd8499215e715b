"""Diffs as values: one that has all a diff can have, and those at the edges."""

from collections.abc import Mapping
from typing import Any

from lumos_snap.report.consumers import Compatibility, Consumer, Impact, Reach
from lumos_snap.report.diff import (
    BumpWord,
    ChangedDataset,
    ChangeFinding,
    ChangeWord,
    ComparedSide,
    Counts,
    DecisionStep,
    DiffReport,
    LevelWord,
    NewWaiver,
    PolicyChange,
    Remark,
)
from lumos_snap.report.envelope import FileFinding

ORDERS = "lumos://postgres/shop/public/orders"
RAW = "lumos://s3/lake/raw/orders"
MAIN = ComparedSide(name="main", commit="8550e17c4a" + "0" * 30, how="merge base of main and HEAD")
HERE = ComparedSide(name="the working tree")


def change(**more: Any) -> ChangeFinding:
    """A removed column, or what is said instead."""
    said: dict[str, Any] = {
        "fingerprint": "110f000b272bd067",
        "rule": "SC001",
        "slug": "field-removed",
        "family": "readers",
        "level": LevelWord.BREAKING,
        "silent": False,
        "bump": BumpWord.MAJOR,
        "blocks": True,
        "waived": False,
        "urn": ORDERS,
        "field": "coupon",
        "subject": "field",
        "action": "removed",
        "old": {"name": "coupon", "type": "STRING", "nullable": True},
        "message": "coupon was removed",
        "why": "Every query that names the column fails.",
        "fix": "keep it and deprecate it in `contract.fields` with a `sunset`",
        "path": "snapshots/postgres/shop/public/orders.json",
        "line": 14,
        "decisions": (DecisionStep(by="rule", says="SC001 field-removed"),),
    }
    return ChangeFinding(**(said | more))


def dataset(*found: ChangeFinding, **more: Any) -> ChangedDataset:
    """A dataset with these findings."""
    said: dict[str, Any] = {
        "urn": found[0].urn,
        "path": found[0].path,
        "change": ChangeWord.CHANGED,
        "bump": max((one.bump for one in found), key=list(BumpWord).index),
        "readers": ("spark-4",),
        "findings": found,
    }
    return ChangedDataset(**(said | more))


def diff(*datasets: ChangedDataset, **more: Any) -> DiffReport:
    """A diff with these datasets, and the verdict that follows."""
    found = [one for changed in datasets for one in changed.findings]
    failing = sum(one.blocks for one in found)
    said: Mapping[str, Any] = {
        "base": MAIN,
        "head": HERE,
        "verdict": "fail" if failing else "pass",
        "reasons": (f"{failing} breaking changes",) if failing else (),
        "fail_on": "breaking",
        "bump": max(
            (one.bump for one in datasets), key=list(BumpWord).index, default=BumpWord.NONE
        ),
        "counts": _counts(datasets, found),
        "datasets": datasets,
        "entities": (),
        "damaged": (),
        "undecided": (),
        "remarks": (),
    }
    return DiffReport(**{**said, **more})


def _counts(datasets: tuple[ChangedDataset, ...], found: list[ChangeFinding]) -> Counts:
    return Counts(
        datasets=len(datasets),
        silent=sum(one.silent for one in found),
        breaking=sum(one.level is LevelWord.BREAKING and not one.silent for one in found),
        non_breaking=sum(one.level is LevelWord.NON_BREAKING for one in found),
        informational=sum(one.level is LevelWord.INFORMATIONAL for one in found),
        waived=sum(one.waived for one in found),
    )


def broken(**more: Any) -> FileFinding:
    """A file that cannot be read."""
    said: dict[str, Any] = {
        "path": "snapshots/s3/lake/broken.json",
        "line": 3,
        "column": 9,
        "rule": "structure",
        "message": "`type` must be one of the types",
        "hint": "run `lumos snap validate`",
    }
    return FileFinding(**(said | more))


_MART = Consumer(
    urn="lumos://bigquery/mart/daily_orders",
    depth=1,
    columns=("coupon_share",),
    is_known=True,
    compatibility=Compatibility.BREAKING,
    reason="coupon_share is made from coupon",
    owners=("analytics", "jane.smith"),
    domain="sales",
    tier="tier-1",
)
_BOARD = Consumer(
    urn="lumos://looker/boards/revenue",
    depth=2,
    through=("lumos://bigquery/mart/daily_orders",),
    is_known=False,
    compatibility=Compatibility.AT_RISK,
    reason="only the table is known to be read",
    owners=("finance",),
)
_FEED = Consumer(
    urn="lumos://kafka/prod/orders.feed",
    depth=1,
    columns=("id",),
    is_known=True,
    compatibility=Compatibility.COMPATIBLE,
    reason="it reads other columns",
)
_IMPACT = Impact(
    consumers=(_MART, _BOARD, _FEED),
    advice=(
        "tell `analytics` and `finance` before you merge",
        "add the new column first, and deprecate the old one",
    ),
)
_FLIPPED = change(
    fingerprint="af3741e82bf8007a",
    rule="TY014",
    slug="timezone-flipped",
    silent=True,
    urn=RAW,
    field="placed_at",
    subject="field.type",
    action="changed",
    old={"type": "TIMESTAMP", "unit": "us", "timezone": "UTC"},
    new={"type": "TIMESTAMP", "unit": "us"},
    message="placed_at was TIMESTAMP(us, UTC) and is TIMESTAMP(us)",
    reader="spark-4",
    reads="spark-4 reads other values and says nothing: 12:34:56Z → 12:34:56",
    shows="12:34:56Z → 12:34:56",
    why="It takes UTC for local time: in a session of any other time zone the values shift.",
    fix="keep it as it is, and convert into a column beside it where the zone is known",
    path="snapshots/s3/lake/raw/orders.json",
    line=24,
)
WAIVED = change(
    fingerprint="fded8d6c92fc7f2c",
    rule="TY003",
    slug="type-narrowed",
    blocks=False,
    waived=True,
    urn=RAW,
    field="customer_id",
    subject="field.type",
    action="changed",
    message="customer_id was INT64 and is INT16",
    why="Stored values may not fit into the new type.",
    fix="keep the wider type",
    path="snapshots/s3/lake/raw/orders.json",
    line=19,
    decisions=(
        DecisionStep(by="rule", says="TY003 type-narrowed"),
        DecisionStep(by="waiver", says="waivers/ids.yaml: all fit (sales, until 2999-12-31)"),
    ),
)


def added(
    name: str, urn: str = RAW, path: str = "snapshots/s3/lake/raw/orders.json"
) -> ChangeFinding:
    """A column that breaks nothing."""
    return change(
        fingerprint=f"added-{name}",
        rule="SC003",
        slug="field-added",
        level=LevelWord.NON_BREAKING,
        bump=BumpWord.MINOR,
        blocks=False,
        urn=urn,
        field=name,
        action="added",
        message=f"{name} was added: STRING",
        why="Readers do not know it yet.",
        fix="nothing",
        path=path,
        line=30,
    )


_REMOVED = change(
    fingerprint="0d5e7ed000000001",
    rule="DS001",
    slug="dataset-removed",
    urn="lumos://s3/lake/old",
    field=None,
    subject="dataset",
    old=None,
    message="the dataset was removed",
    path="snapshots/s3/lake/old.json",
    line=0,
)
_USER = change(
    fingerprint="0e00000000000001",
    rule="OW009",
    slug="entity-changed",
    level=LevelWord.INFORMATIONAL,
    bump=BumpWord.NONE,
    blocks=False,
    urn="entities/users/jane.smith.json",
    field=None,
    subject="user",
    message="user jane.smith was added",
    path="entities/users/jane.smith.json",
    line=0,
)
RICH = diff(
    dataset(_FLIPPED, WAIVED, added("channel"), added("a_very_long_name_of_a_column_" * 3)),
    dataset(change(impact=_IMPACT)),
    dataset(_REMOVED, change=ChangeWord.REMOVED),
    dataset(added("note", urn="lumos://s3/lake/events", path="snapshots/s3/lake/events.json")),
    root="data/trees/prod",
    reasons=("1 silent change", "2 breaking changes", "1 file cannot be read"),
    entities=(_USER,),
    damaged=(broken(),),
    undecided=(broken(path="snapshots/s3/lake/was-broken.json", line=7),),
    policy_changes=(
        PolicyChange(
            path="lumos.yaml",
            setting="policy.fail_on",
            old="breaking",
            new="none",
            effect="looser",
        ),
    ),
    new_waivers=(
        NewWaiver(
            path="waivers/ids.yaml",
            change="changed",
            fingerprint="282c1a577696b32f",
            reason="all fit",
            owner="sales",
            expires="2999-12-31",
            counts=True,
            decision="policy.new_waivers is count",
        ),
        NewWaiver(
            path="waivers/raw.yaml",
            change="added",
            rule="SC001",
            dataset="s3/lake/raw/**",
            reason="nobody reads them",
            owner="sales",
            expires="2999-12-31",
            counts=False,
            decision="policy.new_waivers is refuse: merge it into main first",
        ),
    ),
    remarks=(
        Remark(path="waivers/old.yaml", message="the waiver expired on 2026-01-31: delete it"),
    ),
    reach=Reach(
        touched=3,
        affected=3,
        teams=("analytics", "finance"),
        says="This change touches 3 datasets and affects 3 downstream datasets of 2 teams.",
    ),
)
NOTHING = diff()
UNDECIDED = diff(
    dataset(added("note")),
    verdict="undecided",
    undecided=(broken(path="snapshots/s3/lake/x.json"),),
)
ONLY_WAIVED = diff(dataset(WAIVED))
HUGE = diff(
    *(
        dataset(
            *(
                change(
                    urn=f"lumos://s3/lake/table_{number:04}",
                    path=f"snapshots/s3/lake/table_{number:04}.json",
                    field=f"column_{column}",
                    message=f"column_{column} was removed",
                    fingerprint=f"{number:08x}{column:08x}",
                )
                for column in range(6)
            )
        )
        for number in range(1_500)
    )
)
SAMPLES: Mapping[str, DiffReport] = {
    "rich": RICH,
    "nothing": NOTHING,
    "undecided": UNDECIDED,
    "waived": ONLY_WAIVED,
}

"""Who feels what, and why: each row of the table, and what must not be felt."""

from typing import Any

import pytest

from lumos_snap.lineage.change import LineageChange, changes_of
from lumos_snap.lineage.consumers import DatasetContext, impact
from lumos_snap.lineage.graph import Graph
from lumos_snap.lineage.impact_rules import find_impact
from lumos_snap.report.diff import BumpWord, ChangedDataset, ChangeFinding, ChangeWord, LevelWord
from lumos_snap.rules.registry import by_name
from tests.lineage.lineages import graph, urn


def finding(slug: str, subject: str, action: str, **more: Any) -> ChangeFinding:
    rule = by_name()[slug]
    given: dict[str, Any] = {"level": LevelWord.BREAKING, "silent": False, "urn": urn("a")} | more
    return ChangeFinding(
        fingerprint="f",
        rule=rule.id,
        slug=slug,
        family=rule.family.value,
        bump=BumpWord.MAJOR,
        blocks=True,
        waived=False,
        subject=subject,
        action=action,
        message=slug,
        why=rule.why,
        fix=rule.fix,
        path="p",
        line=1,
        **given,
    )


def changes(*found: ChangeFinding, renamed_from: str | None = None) -> list[LineageChange]:
    dataset = ChangedDataset(
        urn=urn("a"),
        path="p",
        change=ChangeWord.CHANGED,
        renamed_from=renamed_from,
        bump=BumpWord.MAJOR,
        readers=(),
        findings=found,
    )
    return list(changes_of(dataset))


def felt(where: Graph, change: LineageChange) -> dict[str, str]:
    return {
        one.urn.removeprefix(urn("")): f"{one.compatibility.value} {one.depth}: {one.reason}"
        for one in find_impact(where, change, most=1000).felt
    }


REMOVED = finding("field-removed", "field", "removed", field="x")


def test_who_uses_a_removed_column_breaks_and_others_do_not_feel_it() -> None:
    (change,) = changes(REMOVED)
    where = graph(uses="a x>y", other="a z>z", new="a >now")
    assert felt(where, change) == {"uses": "BREAKING 1: it uses `x` for `y`"}


def test_where_only_tables_are_known_it_may_be_felt() -> None:
    (change,) = changes(REMOVED)
    assert felt(graph(table="a", below="table x>x"), change) == {
        "table": "AT RISK 1: not known, table-level: its lineage does not say whether it uses `x`",
        "below": "AT RISK 2: it is made from s3/lake/table",
    }
    (one, below) = find_impact(graph(table="a", below="table x>x"), change, most=9).felt
    assert not one.columns
    assert not below.columns


def test_it_goes_on_through_the_columns_that_are_made_from_it() -> None:
    (change,) = changes(REMOVED)
    where = graph(b="a x>y; a z>z", c="b y>k; b z>z", d="b z>z", e="c k>v")
    assert felt(where, change) == {
        "b": "BREAKING 1: it uses `x` for `y`",
        "c": "AT RISK 2: it is made from s3/lake/b",
        "e": "AT RISK 3: it is made from s3/lake/c",
    }
    assert find_impact(where, change, most=9).felt[-1].columns == ("v",)


@pytest.mark.parametrize(
    ("changed", "used", "is_felt"),
    [
        ("p", "p", True),
        ("p", "p.q", True),
        ("p.q", "p", True),
        ("p.q", "p.r", False),
        ("p", "pq", False),
        ("items[].price", "items", True),
        ("items[].price", "items[].sku", False),
        ("`p`", "p", True),
        ("id#2", "id", False),
    ],
)
def test_columns_inside_of_each_other_are_one(changed: str, used: str, *, is_felt: bool) -> None:
    (change,) = changes(finding("field-removed", "field", "removed", field=changed))
    assert bool(felt(graph(b=f"a {used}>y"), change)) is is_felt


def test_a_column_that_was_renamed_is_felt_by_its_old_name() -> None:
    found = finding("field-renamed", "field", "renamed", field="n", was="x", old="x", new="n")
    (change,) = changes(found)
    assert felt(graph(old="a x>y", new="a n>y", both="a x>y n>z", other="a z>z"), change) == {
        "both": "BREAKING 1: it uses `x` for `y` and `z`",
        "new": "COMPATIBLE 1: its lineage has the new name already",
        "old": "BREAKING 1: it uses `x` for `y`",
    }


def test_other_changes_of_a_renamed_column_are_felt_by_its_old_name_too() -> None:
    renamed = finding("field-renamed", "field", "renamed", field="n", was="x", old="x", new="n")
    nullable = finding("became-nullable", "field.nullable", "changed", field="n.deep")
    _, change = changes(renamed, nullable)
    assert change.columns == {"n.deep", "x.deep"}
    assert list(felt(graph(b="a x>y", c="a n>y"), change)) == ["b", "c"]


def test_a_dataset_that_was_renamed_is_felt_by_its_old_name() -> None:
    found = finding("dataset-renamed", "dataset", "renamed")
    (change,) = changes(found, renamed_from=urn("old"))
    assert felt(graph(b="old x>y", c="a x>y", d="b y>z"), change) == {
        "b": "BREAKING 1: it reads the dataset",
        "c": "COMPATIBLE 1: its lineage has the new name already",
        "d": "AT RISK 2: it is made from s3/lake/b",
    }


def test_a_change_that_breaks_nothing_is_compatible_with_those_who_use_it() -> None:
    found = finding(
        "type-widened", "field.type", "changed", field="x", level=LevelWord.NON_BREAKING
    )
    (change,) = changes(found)
    assert felt(graph(b="a x>y", c="b y>z", d="a z>z"), change) == {
        "b": "COMPATIBLE 1: the change breaks no reader"
    }


def test_what_only_writers_must_know_breaks_no_consumer() -> None:
    found = finding("became-required", "field.nullable", "changed", field="x")
    (change,) = changes(found)
    assert felt(graph(b="a x>y"), change) == {
        "b": "COMPATIBLE 1: who knows the old schema reads new data as before"
    }


def _cast(new: dict[str, Any], by: str, *, silent: bool = False) -> dict[str, str]:
    from lumos_snap.lineage import ColumnLink, DatasetEdges, LineageLink, graph_of  # noqa: PLC0415
    from tests.lineage.lineages import path  # noqa: PLC0415

    found = finding("decimal-narrowed", "field.type", "changed", field="x", new=new, silent=silent)
    (change,) = changes(found)
    link = LineageLink(urn("a"), urn("b"), "job", (ColumnLink("x", "y", by),))
    below = LineageLink(urn("b"), urn("c"), "job", (ColumnLink("y", "y"),))
    said = [DatasetEdges(urn("b"), (link,)), DatasetEdges(urn("c"), (below,))]
    return felt(graph_of({path(one.urn): one for one in said}), change)


NARROWER = {"type": "DECIMAL", "precision": 10, "scale": 2}


def test_a_cast_that_still_holds_keeps_all_below_it_unharmed() -> None:
    assert _cast(NARROWER, "CAST(x AS DECIMAL(12,2))") == {
        "b": "COMPATIBLE 1: it casts the column to a type that still holds: "
        "`CAST(x AS DECIMAL(12,2))`"
    }


def test_a_cast_that_may_not_hold_is_a_risk() -> None:
    assert _cast({"type": "STRING"}, "CAST(x AS BIGINT)") == {
        "b": "AT RISK 1: it casts the column, and not every value may fit: `CAST(x AS BIGINT)`",
        "c": "AT RISK 2: it is made from s3/lake/b",
    }


def test_no_cast_helps_where_values_change_silently() -> None:
    assert _cast(NARROWER, "CAST(x AS STRING)", silent=True)["b"].startswith("BREAKING")


def test_marks_and_promises_are_a_risk_and_no_break() -> None:
    (pii,) = changes(finding("pii-removed", "governance.fields.pii", "removed", field="x"))
    (promise,) = changes(finding("sla-loosened", "schedule.sla.freshness", "changed"))
    (sunset,) = changes(finding("sunset-moved-earlier", "contract.sunset", "changed"))
    where = graph(b="a x>y", c="a z>z")
    said = {"c": "AT RISK 1: it relies on what was promised"}
    assert list(felt(where, pii)) == ["b"]
    assert felt(where, pii)["b"].startswith("AT RISK 1: it holds what is made from the data")
    assert felt(where, promise).items() >= said.items()
    assert felt(where, sunset).items() >= said.items()


def test_files_that_are_read_by_position_are_felt_by_all() -> None:
    (change,) = changes(finding("field-inserted", "field", "added", field="n"))
    assert felt(graph(b="a x>y"), change) == {"b": "BREAKING 1: it reads the dataset"}


def test_circles_and_self_edges_end_and_are_passed_through() -> None:
    (change,) = changes(REMOVED)
    where = graph(a="a x>y; c z>z", b="a y>y", c="b y>z")
    assert felt(where, change) == {
        "b": "AT RISK 2: it is made from s3/lake/a",
        "c": "AT RISK 3: it is made from s3/lake/b",
    }


def test_informational_changes_are_felt_by_nobody() -> None:
    assert (
        changes(finding("field-reordered", "field", "reordered", level=LevelWord.INFORMATIONAL))
        == []
    )


def advice(change: LineageChange, where: Graph, **owners: str) -> tuple[str, ...]:
    def ask(name: str) -> DatasetContext:
        owner = owners.get(name.rpartition("/")[2])
        return DatasetContext(groups=(owner,)) if owner else DatasetContext()

    return impact(change, find_impact(where, change, most=1000), ask).advice


def test_advice_stands_in_the_order_of_doing_it() -> None:
    (change,) = changes(REMOVED)
    where = graph(b="a x>y", c="a", d="b y>z")
    keep = "keep `x` and deprecate it, in `contract.fields` with a `sunset`"
    assert advice(change, where, b="sales", c="growth") == (
        "tell growth and sales: they own 2 datasets downstream",
        "find out who answers for s3/lake/d: nobody is named",
        f"{keep}; remove it when nobody reads it",
        "update these pipelines before: `job_b` and `job_c`",
        "find out which columns s3/lake/c uses: lineage tells tables only",
    )


DATASET_FIRST = "deprecate the dataset first, in `contract` with a `sunset`"
DEPRECATE = "deprecate `x`, in `contract.fields` with a `sunset`"


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (
            finding("field-renamed", "field", "renamed", field="n", was="x"),
            f"add `n` beside `x`, fill both, and {DEPRECATE}",
        ),
        (
            finding("type-narrowed", "field.type", "changed", field="x"),
            f"add a column of the new type beside `x` first, fill both, and {DEPRECATE}",
        ),
        (
            finding("dataset-removed", "dataset", "removed"),
            f"{DATASET_FIRST}, and remove it when nobody reads it",
        ),
        (
            finding("format-changed", "storage.format", "changed"),
            "keep the data readable as it was until all readers have moved",
        ),
        (
            finding("pii-removed", "governance.fields.pii", "removed", field="x"),
            "look at how the data made from it is marked: `s3/lake/b.y`",
        ),
        (
            finding("became-nullable", "field.nullable", "changed", field="x"),
            by_name()["became-nullable"].fix,
        ),
    ],
)
def test_advice_follows_from_what_changed(found: ChangeFinding, says: str) -> None:
    (change,) = changes(found)
    assert advice(change, graph(b="a x>y"), b="sales")[1] == says


def test_nobody_is_told_where_nobody_is_harmed() -> None:
    (change,) = changes(finding("became-required", "field.nullable", "changed", field="x"))
    assert advice(change, graph(b="a x>y"), b="sales") == ()

"""What a diff notices, and what it calls it."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from lumos_snap.canonical.encode import canonical_document
from lumos_snap.commands.diff.view import beside, pointer_to
from lumos_snap.diff import Action, diff
from lumos_snap.diff.fact import current_path
from lumos_snap.diff.renames import find_dataset_renames, find_suspected_renames
from lumos_snap.model.snapshot import Snapshot
from tests.diff.fact_kinds import subjects
from tests.strategies import LAW, SMALL
from tests.strategies.edits import crowded, edited

Document = dict[str, Any]
Edit = Callable[[Document], object]


def field(name: str, kind: str = "STRING", **more: Any) -> Document:
    return {"name": name, "type": kind, "nullable": True, **more}


def snapshot(*fields: Document, **sections: Any) -> Document:
    document = {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/lake/orders",
        "name": "orders",
        "platform": "s3",
        "schema": {"fields": list(fields)},
        **sections,
    }
    return canonical_document(document, Snapshot)


def told(old: Document, new: Document) -> list[tuple[str, str, str]]:
    return [(fact.subject, fact.action.value, fact.path) for fact in diff(old, new)]


ITEMS = field(
    "items",
    "ARRAY",
    element={"type": "STRUCT", "nullable": True, "fields": [field("price", "INT32")]},
)
ATTRS = field(
    "attrs",
    "MAP",
    key={"type": "INT32"},
    value={"type": "STRUCT", "nullable": True, "fields": [field("x")]},
)
CHOICE = field("choice", "UNION", branches=[{"type": "INT32"}, {"type": "STRING"}])


def within(field_at: int, *steps: str | int) -> Callable[[Document], Any]:
    def reach(document: Document) -> Any:
        held = document["schema"]["fields"][field_at]
        for step in steps:
            held = held[step]
        return held

    return reach


@pytest.mark.parametrize(
    ("at", "change", "expected"),
    [
        (within(0), {"type": "INT64"}, ("field.type", "changed", "id")),
        (within(0), {"nullable": False}, ("field.nullable", "changed", "id")),
        (within(0), {"description": "d"}, ("field.description", "added", "id")),
        (within(1, "element"), {"nullable": False}, ("element.nullable", "changed", "items[]")),
        (
            within(1, "element", "fields", 0),
            {"type": "INT64"},
            ("field.type", "changed", "items[].price"),
        ),
        (within(2, "key"), {"type": "INT64"}, ("key.type", "changed", "attrs{key}")),
        (
            within(2, "value", "fields", 0),
            {"nullable": False},
            ("field.nullable", "changed", "attrs{}.x"),
        ),
        (
            within(3, "branches", 0),
            {"native": "n"},
            ("branch.native", "added", "choice<INT32>"),
        ),
    ],
)
def test_fields_are_named_at_any_depth(
    at: Callable[[Document], Any], change: Document, expected: tuple[str, str, str]
) -> None:
    old = snapshot(field("id"), ITEMS, ATTRS, CHOICE)
    new = copy.deepcopy(old)
    at(new).update(change)
    assert told(old, new) == [expected]


def test_a_struct_that_is_dropped_is_one_fact() -> None:
    assert told(snapshot(field("id"), ITEMS), snapshot(field("id"))) == [
        ("field", "removed", "items")
    ]


@pytest.mark.parametrize(
    ("now", "renamed"),
    [
        ([("c", 1, "a"), ("b", 2, "b")], {("a", "c")}),
        ([("b", 1, "a"), ("a", 2, "b")], {("a", "b"), ("b", "a")}),
        ([("a", 1, "a"), ("b", 2, "b")], set()),
        ([("a", 3, "col-7"), ("b", 2, "b")], set()),  # dropped and added again
    ],
)
def test_names_in_files_pair_columns_that_were_not_mapped(
    now: list[tuple[str, int, str]], renamed: set[tuple[str, str]]
) -> None:
    """A table gets its column mapping and a rename between two scans."""
    columns = [field(name, id=number, physical_name=stored) for name, number, stored in now]
    facts = diff(snapshot(field("a"), field("b")), snapshot(*columns))
    found = {(fact.was, fact.path) for fact in facts if fact.action is Action.RENAMED}
    assert found == renamed


def test_a_type_and_its_parameters_are_one_fact() -> None:
    old = snapshot(field("total", "DECIMAL", precision=10, scale=2, native="numeric(10,2)"))
    new = snapshot(field("total", "DECIMAL", precision=12, scale=4, native="numeric(12,4)"))
    (fact,) = diff(old, new)
    assert fact.subject == "field.type"
    assert (fact.old["precision"], fact.new["precision"]) == (10, 12)


def test_a_type_of_another_kind_is_one_fact_with_all_it_holds() -> None:
    (fact,) = diff(snapshot(ITEMS), snapshot(field("items")))
    assert fact.subject == "field.type"
    assert fact.old["element"]["fields"][0]["name"] == "price"


class TestRenames:
    def test_an_id_makes_one_certain(self) -> None:
        (fact,) = diff(snapshot(field("a", id=1)), snapshot(field("b", id=1)))
        assert (fact.action, fact.was, fact.path, fact.id) == (Action.RENAMED, "a", "b", 1)

    def test_an_alias_leads_to_the_former_name(self) -> None:
        facts = diff(snapshot(field("a")), snapshot(field("b", aliases=["a", "z"])))
        renames = [(f.was, f.path) for f in facts if f.action is Action.RENAMED]
        assert renames == [("a", "b")]
        kept = diff(snapshot(field("a")), snapshot(field("a"), field("b", aliases=["a"])))
        assert [fact.action for fact in kept] == [Action.ADDED]

    def test_ids_may_be_swapped(self) -> None:
        facts = diff(
            snapshot(field("a", id=1), field("b", id=2)),
            snapshot(field("b", id=1), field("a", id=2)),
        )
        renames = {(f.was, f.path) for f in facts if f.action is Action.RENAMED}
        assert renames == {("a", "b"), ("b", "a")}

    @pytest.mark.parametrize(
        ("old", "new", "names"),
        [
            ((("a", 1), ("b", 2)), (("b", 1), ("a", 2)), {"a", "b"}),  # swapped
            ((("a", 1), ("b", 2)), (("a", 2),), {"a"}),  # dropped, and taken over
            ((("a", 1),), (("tmp", 1), ("a", 2)), {"a"}),  # renamed away, and added again
            ((("a", 1), ("b", 2)), (("b", 1), ("c", 2)), {"b"}),
            ((("a", 1), ("b", 2)), (("c", 1), ("b", 2)), set()),
            ((("a", 1), ("b", 2)), (("b", 2), ("a", 1)), set()),
            ((("a", 1),), (("a", 2),), set()),  # its id changed: a fact of its own
        ],
    )
    @pytest.mark.parametrize("is_nested", [False, True])
    def test_a_name_may_stand_for_another_column(
        self,
        old: tuple[tuple[str, int], ...],
        new: tuple[tuple[str, int], ...],
        names: set[str],
        is_nested: bool,
    ) -> None:
        def table(columns: tuple[tuple[str, int], ...]) -> Document:
            fields = [field(name, id=number) for name, number in columns]
            return (
                snapshot(field("s", "STRUCT", id=9, fields=fields))
                if is_nested
                else snapshot(*fields)
            )

        facts = diff(table(old), table(new))
        found = {fact.path.removeprefix("s.") for fact in facts if fact.subject == "field.name"}
        assert found == names

    def test_a_contract_makes_one_certain(self) -> None:
        old = snapshot(field("page", "STRUCT", fields=[field("url")]))
        new = snapshot(
            field("page", "STRUCT", fields=[field("link")]),
            contract={"fields": [{"path": "page.link", "renamed_from": "page.url"}]},
        )
        renames = [fact for fact in diff(old, new) if fact.action is Action.RENAMED]
        assert [(fact.was, fact.path) for fact in renames] == [("page.url", "page.link")]

    def test_letter_case_makes_one_certain(self) -> None:
        assert told(snapshot(field("Id")), snapshot(field("id"))) == [("field", "renamed", "id")]

    def test_a_likely_one_is_only_said_beside_both(self) -> None:
        removed, added = sorted(
            diff(snapshot(field("customer")), snapshot(field("customer_id"))),
            key=lambda fact: fact.action is Action.ADDED,
        )
        assert (removed.action, added.action) == (Action.REMOVED, Action.ADDED)
        assert removed.like is not None
        assert added.like is not None
        assert (removed.like.path, added.like.path) == ("customer_id", "customer")
        assert removed.like.score == added.like.score > 60

    @pytest.mark.parametrize("other", [field("zip"), field("customer_id", "INT64")])
    def test_what_is_unlike_is_not_said_to_be_alike(self, other: Document) -> None:
        assert all(f.like is None for f in diff(snapshot(field("customer")), snapshot(other)))

    def test_a_dropped_column_that_came_back_has_another_id(self) -> None:
        assert told(snapshot(field("a", id=1)), snapshot(field("a", id=5))) == [
            ("field.id", "changed", "a")
        ]

    def test_words_about_a_renamed_column_go_along(self) -> None:
        def side(name: str, **more: Any) -> Document:
            words = [{"path": f"{name}.x", "description": "d", **more}]
            page = field(name, "STRUCT", id=7, fields=[field("x")])
            return snapshot(page, documentation={"fields": words})

        assert told(side("old"), side("new", title="t")) == [
            ("documentation.fields.path", "changed", "new.x"),
            ("documentation.fields.title", "added", "new.x"),
            ("field", "renamed", "new"),
        ]

    def test_a_column_that_changes_its_parent_moved(self) -> None:
        old = snapshot(field("page", "STRUCT", fields=[field("a", id=2), field("b")]))
        new = snapshot(field("page", "STRUCT", fields=[field("b")]), field("a", id=2))
        (fact,) = diff(old, new)
        assert (fact.action, fact.was, fact.path) == (Action.MOVED, "page.a", "a")


class TestDatasets:
    @staticmethod
    def of(name: str, **sections: Any) -> Document:
        base = snapshot(field("a"), field("b"), **sections)
        return {**base, "urn": f"lumos://s3/lake/{name}", "name": name}

    def test_a_declared_rename_is_certain(self) -> None:
        new = self.of("b", contract={"renamed_from": "lumos://s3/lake/a"})
        assert find_dataset_renames({"x": self.of("a")}, {"y": new}) == {"y": "x"}

    def test_the_store_s_own_id_is_certain_unless_it_repeats(self) -> None:
        old, new = self.of("a", storage={"id": "7"}), self.of("b", storage={"id": "7"})
        assert find_dataset_renames({"x": old}, {"y": new}) == {"y": "x"}
        assert find_dataset_renames({"x": old, "z": {**old, "urn": "u"}}, {"y": new}) == {}
        assert find_dataset_renames({"x": old}, {"y": new, "z": {**new, "urn": "u"}}) == {}

    def test_else_it_is_suspected_with_a_score(self) -> None:
        found = find_suspected_renames({"x": self.of("orders")}, {"y": self.of("orders_v2")})
        assert found["x"].path == "lumos://s3/lake/orders_v2"
        assert found["y"].path == "lumos://s3/lake/orders"
        unlike = {**self.of("zip"), "schema": {"fields": [field("q")]}}
        assert find_suspected_renames({"x": self.of("orders")}, {"y": unlike}) == {}


@SMALL
@given(edited() | crowded())
def test_every_fact_is_of_a_known_sort(pair: tuple[Document, Document]) -> None:
    known = subjects()
    for fact in diff(*pair):
        assert (fact.subject, fact.action) in known


@LAW
@given(edited() | crowded())
def test_every_fact_is_seen_somewhere_in_the_new_document(pair: tuple[Document, Document]) -> None:
    old, new = pair
    facts = diff(*pair)
    for fact in facts:
        pointer = pointer_to(fact, new, lambda path: current_path(facts, path))
        held: Any = new
        for step in beside(fact, old, new, pointer):
            held = held[step]  # it exists
        held = new
        for step in pointer:
            held = held[step]
        if fact.subject == "field" and fact.action is Action.ADDED:
            assert held == fact.new

"""What words find, and in which order."""

from typing import Any

import pytest

from tests.search.conftest import Put, Searcher


def field(name: str, type_name: str = "STRING", **more: object) -> dict[str, object]:
    return {"name": name, "type": type_name, "nullable": True, **more}


@pytest.fixture(autouse=True)
def tree(make: Put) -> None:
    make(
        "userClicks",
        schema={"fields": [field("customer_id", "INT64"), field("orderTotal", "FLOAT64")]},
        documentation={"description": "Clicks as they arrive, in the café."},
        governance={"tags": ["tier-1"], "terms": ["click-stream"], "domain": "web"},
        ownership={"owners": [{"user": "jane.smith"}, {"group": "analytics"}]},
    )
    make(
        "orders",
        kind="TABLE",
        storage={"format": "parquet", "location": "s3://lake/orders"},
        schema={
            "fields": [
                field("id", "INT64", description="One number for each basket"),
                field("page", "STRUCT", fields=[field("url"), field("total", "INT32")]),
                field(
                    "items",
                    "ARRAY",
                    element={"type": "STRUCT", "nullable": True, "fields": [field("sku")]},
                ),
            ]
        },
        documentation={"title": "All baskets", "fields": [{"path": "id", "description": "Zebra"}]},
        governance={
            "tags": ["raw"],
            "fields": [{"path": "id", "tags": ["key"], "terms": ["order"]}],
        },
    )
    make("orders_archive", documentation={"description": "Old orders and clicks"})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("userClicks", ["userClicks"]),
        ("userclicks", ["userClicks"]),
        ("user_clicks", ["userClicks"]),
        ("user", ["userClicks"]),
        ("ordersArchive", ["orders_archive"]),
        ("ordersarchive", ["orders_archive"]),
        ("archive", ["orders_archive"]),
        ("arch", ["orders_archive"]),
        ("customer", ["userClicks"]),
        ("customerId", ["userClicks"]),
        ("order_total", ["userClicks"]),
        ("cafe", ["userClicks"]),
        ("CAFÉ", ["userClicks"]),
        ("arrive,", ["userClicks"]),
        ("jane.smith", ["userClicks"]),
        ("smith", ["userClicks"]),
        ("tier-1", ["userClicks"]),
        ("click-stream", ["userClicks"]),
        ("baskets", ["orders"]),
        ("zebra", ["orders"]),
        ("page.url", ["orders"]),
        ("sku", ["orders"]),
        ("parquet", []),
        ("lake/orders", ["orders", "orders_archive"]),
        ("lumos://s3/lake/userClicks", ["userClicks"]),
    ],
)
def test_words_find_datasets(searcher: Searcher, text: str, names: list[str]) -> None:
    assert sorted(searcher.names(text)) == names


def test_a_young_sign_beside_a_word_does_not_hide_it(searcher: Searcher, make: Put) -> None:
    make("robots", documentation={"description": "\U0001f916walks\U0001f916 about"})
    assert searcher.names("walks") == ["robots"]


def test_all_words_must_be_found_in_whatever_field(searcher: Searcher) -> None:
    assert searcher.names("clicks web") == ["userClicks"]
    assert searcher.names("clicks baskets") == []


def test_a_name_counts_more_than_a_word_of_a_description(searcher: Searcher) -> None:
    assert searcher.names("clicks") == ["userClicks", "orders_archive"]


def test_a_whole_word_counts_more_than_the_beginning_of_one(searcher: Searcher, make: Put) -> None:
    make("ordersheet")
    assert searcher.names("name:orders") == ["orders", "orders_archive", "ordersheet"]


def test_a_phrase_holds_words_together_as_they_are(searcher: Searcher) -> None:
    assert searcher.names('"orders and"') == ["orders_archive"]
    assert searcher.names('"and orders"') == []
    assert searcher.names('"old order"') == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("column:clicks", []),
        ("column:total", ["orders", "userClicks"]),
        ("name:clicks", ["userClicks"]),
        ("words:clicks", ["orders_archive", "userClicks"]),
        ("Description:clicks", ["orders_archive", "userClicks"]),
        ("owner:analytics", ["userClicks"]),
        ("tag:key", ["orders"]),
        ("term:order", ["orders"]),
        ("domain:web", ["userClicks"]),
        ("platform:s3 raw", ["orders"]),
        ('words:"as they"', ["userClicks"]),
        ("nofield:clicks", []),
        ("marks:raw", []),
    ],
)
def test_a_field_limits_where_a_word_is_looked_for(
    searcher: Searcher, text: str, names: list[str]
) -> None:
    assert sorted(searcher.names(text)) == sorted(names)


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"tags": ("raw",)}, ["orders"]),
        ({"tags": ("raw", "tier-1")}, ["orders", "userClicks"]),
        ({"tags": ("tier",)}, []),
        ({"tags": ("key",)}, []),
        ({"owners": ("analytics",)}, ["userClicks"]),
        ({"domains": ("web",), "tags": ("raw",)}, []),
        ({"platforms": ("s3",)}, ["orders", "orders_archive", "userClicks"]),
        ({"platforms": ("S3",)}, []),
        ({"kinds": ("table",)}, ["orders"]),
        ({"formats": ("Parquet",)}, ["orders"]),
        ({"columns": ("CUSTOMER_ID",)}, ["userClicks"]),
        ({"columns": ("customer",)}, []),
        ({"columns": ("page.total",)}, ["orders"]),
        ({"columns": ("total",)}, ["orders"]),
        ({"types": ("int64",)}, ["orders", "userClicks"]),
        ({"types": ("INT64",), "columns": ("id",)}, ["orders"]),
        ({"types": ("INT64",), "columns": ("total",)}, []),
        ({"types": ("INT64", "INT32"), "columns": ("total", "url")}, ["orders"]),
    ],
    ids=str,
)
def test_filters_hold_exactly_and_together(
    searcher: Searcher, filters: dict[str, Any], names: list[str]
) -> None:
    assert sorted(searcher.names(**filters)) == names


def test_words_and_filters_hold_together(searcher: Searcher) -> None:
    assert searcher.names("orders", tags=("raw",)) == ["orders"]


def test_it_is_said_where_the_words_were_found(searcher: Searcher) -> None:
    (hit,) = searcher("total", tags=("raw",)).hits
    assert [(match.field, match.text) for match in hit.matches] == [("column", "page.total")]


def test_the_limit_cuts_off_the_worst_and_the_total_stays(searcher: Searcher) -> None:
    found = searcher("clicks", limit=1)
    assert ([hit.name for hit in found.hits], found.total) == (["userClicks"], 2)
    assert len(searcher("clicks", limit=0).hits) == 2


@pytest.mark.parametrize(
    ("text", "like"),
    [("custoner", "customer"), ("cilcks", "clicks"), ("basket_s", "baskets"), ("qqqqqqqq", None)],
)
def test_words_that_are_nowhere_are_named_with_close_ones(
    searcher: Searcher, text: str, like: str | None
) -> None:
    found = searcher(f"orders {text}")
    assert found.total == 0
    (suggestion,) = found.suggestions
    assert suggestion.word == text
    assert (like in suggestion.like) if like else suggestion.like == ()

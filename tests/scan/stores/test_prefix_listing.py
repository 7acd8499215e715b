"""Prefixes cover every name once, and nothing unwanted where that is cheap."""

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.scan.stores.prefix_listing import find_prefixes

NAMES = st.sets(st.text("ab=0/é", max_size=6).map(lambda text: f"{text}/"), max_size=40)


@given(NAMES, NAMES, st.integers(1, 40))
def test_each_name_begins_with_exactly_one_prefix(
    names: set[str], unwanted: set[str], enough: int
) -> None:
    prefixes = find_prefixes(sorted(names), sorted(unwanted - names), enough)
    for name in names:
        assert len([one for one in prefixes if name.startswith(one)]) == 1
    assert all(any(name.startswith(one) for name in names) for one in prefixes)
    assert len(prefixes) <= max(1, 4 * enough)


def test_few_names_stand_for_themselves() -> None:
    assert find_prefixes(["a/", "b/", "bc/"], [], 4) == ["a/", "b/", "bc/"]


def test_many_names_are_grouped_by_what_they_begin_with() -> None:
    names = [f"day={n:03}/" for n in range(1_000)]
    assert find_prefixes(names, [], 5) == [f"day={n}" for n in range(10)]


def test_unwanted_names_are_spared_where_that_is_cheap() -> None:
    names = [f"day={n:03}/" for n in range(1_000) if n // 100 != 7]
    assert "day=7" not in find_prefixes(names, ["day=701/"], 5)
    mixed = find_prefixes(names, ["day=150/"], 5)
    assert not any("day=150/".startswith(prefix) for prefix in mixed) or "day=15" in mixed

"""What is kept of long lists is what going through them finds."""

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.documents.position import once, places


@given(st.lists(st.integers(0, 5), max_size=80), st.integers(0, 5))
def test_places_are_those_of_a_search(held: list[int], called: int) -> None:
    expected = [place for place, one in enumerate(held) if one == called]
    assert list(places(held, called, int)) == expected
    assert list(places(held, called, int)) == expected  # and so they are from memory


def test_a_long_list_is_gone_through_once() -> None:
    made = []
    held = list(range(1000))
    for _ in range(3):
        once(held, "sum", lambda: made.append(sum(held)))
    assert len(made) == 1
    once(held, "other", lambda: made.append(0))
    assert len(made) == 2


def test_lists_that_are_equal_have_each_their_own() -> None:
    one, other = [0] * 100, [0] * 100
    assert once(one, "id", lambda: "one") == "one"
    assert once(other, "id", lambda: "other") == "other"


def test_what_is_kept_is_bounded() -> None:
    lists = [[n] * 100 for n in range(200)]
    for held in lists:
        once(held, "first", lambda: "first")
    assert once(lists[0], "first", lambda: "again") == "again"

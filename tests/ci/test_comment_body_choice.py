"""Which comment is ours, and what becomes of it, whatever is there."""

import random

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.ci.comment_body import Comment, CommentDraft, mark, next_step
from lumos_snap.ci.environment import Run

NAMES = st.one_of(
    st.sampled_from(["lumos", "a", "a/b", "Snapshots/gate teams/lake", "-->", "a--b", "é@x"]),
    st.text(min_size=1, max_size=300),
)
RUNS = st.builds(Run, number=st.integers(1, 4), attempt=st.integers(1, 2))


def written(name: str, run: Run, text: str = "text") -> str:
    return CommentDraft(name, run, text, says_something=True).body


@st.composite
def threads(draw: st.DrawFn) -> list[Comment]:
    """Comments of a pull request: ours, those of other configurations, those of people."""
    body = st.one_of(
        st.builds(written, NAMES, st.one_of(RUNS, st.just(Run()))),
        st.just("I like it"),
        st.just("quoted:\n" + written("lumos", Run())),
    )
    bodies = draw(st.lists(body, max_size=8))
    ids = draw(
        st.lists(st.integers(1, 99), min_size=len(bodies), max_size=len(bodies), unique=True)
    )
    return [Comment(one, text) for one, text in zip(ids, bodies, strict=True)]


def applied(there: list[Comment], wanted: CommentDraft) -> list[Comment]:
    """The comments after one step."""
    step = next_step(there, wanted)
    gone = {one.id for one in step.delete}
    left = [one for one in there if one.id not in gone]
    if step.edit:
        left = [Comment(one.id, wanted.body) if one == step.edit else one for one in left]
    if step.create:
        left.append(Comment(max([0, *(one.id for one in there)]) + 1, wanted.body))
    return left


@given(threads(), NAMES, RUNS)
def test_one_comment_is_left_and_no_other_is_touched(
    there: list[Comment], name: str, run: Run
) -> None:
    wanted = CommentDraft(name, run, "new text", says_something=True)
    mine = mark(name, Run())[: -len(" -->")]

    def is_own(body: str) -> bool:
        return body.startswith((f"{mine} -->", f"{mine} run="))

    settled = applied(applied(there, wanted), wanted)
    assert [one for one in there if not is_own(one.body)] == [
        one for one in settled if not is_own(one.body)
    ]
    later = [one for one in there if is_own(one.body) and not next_step([one], wanted).edit]
    if not later:
        assert [one.body for one in settled if is_own(one.body)] == [wanted.body]
    assert next_step(settled, wanted) == next_step(applied(settled, wanted), wanted)


@given(threads(), NAMES, RUNS, st.randoms(use_true_random=False))
def test_the_oldest_is_kept_in_whatever_order_they_are_listed(
    there: list[Comment], name: str, run: Run, chance: random.Random
) -> None:
    there = [*there, *(Comment(one, written(name, Run())) for one in (120, 110))]
    chance.shuffle(there)
    step = next_step(there, CommentDraft(name, run, "new text", says_something=True))
    assert step.kept is not None
    assert step.kept.id <= 110
    assert all(one.id > step.kept.id for one in step.delete)
    assert step.edit in (step.kept, None)


@given(NAMES, NAMES)
def test_two_configurations_never_share_a_mark(one: str, other: str) -> None:
    assert (mark(one, Run()) == mark(other, Run())) == (one == other)


@given(NAMES, RUNS)
def test_nothing_in_a_name_ends_the_mark(name: str, run: Run) -> None:
    hidden = mark(name, run)
    assert hidden.isascii()
    assert hidden.count("-->") == hidden.count("<!--") == hidden.count("--!") + 1 == 1
    assert "--" not in hidden[4:-3]
    assert "\n" not in hidden
    assert (
        next_step([Comment(1, f"{hidden}\ntext")], CommentDraft(name, run, "text", True)).edit
        is None
    )


def test_nothing_to_say_is_said_only_where_something_was() -> None:
    quiet = CommentDraft("lumos", Run(2, 1), "all is well", says_something=False)
    assert not next_step([], quiet).create
    there = [Comment(5, written("lumos", Run(1, 1), "it breaks"))]
    assert next_step(there, quiet).edit == there[0]


def test_an_older_run_does_not_overwrite_a_later_one() -> None:
    there = [Comment(5, written("lumos", Run(9, 1)))]
    step = next_step(there, CommentDraft("lumos", Run(8, 1), "old news", says_something=True))
    assert step.is_late
    assert (step.edit, step.create, step.delete) == (None, False, ())
    again = next_step(there, CommentDraft("lumos", Run(9, 2), "once more", says_something=True))
    assert again.edit == there[0]


def test_what_is_there_already_is_not_sent_again() -> None:
    wanted = CommentDraft("lumos", Run(), "text\n", says_something=True)
    step = next_step([Comment(5, wanted.body.replace("\n", "\r\n"))], wanted)
    assert (step.edit, step.create) == (None, False)


def test_a_comment_without_a_run_is_older_than_any_run() -> None:
    name, first = "lumos", Run(number=1, attempt=1)
    unknown = Comment(1, written(name, Run()))
    step = next_step([unknown], CommentDraft(name, first, "new text", says_something=True))
    assert (step.edit, step.is_late) == (unknown, False)

"""What holds of every merge, whatever two branches did."""

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.read import read
from lumos_snap.commands.textconv import flat
from lumos_snap.json_object import JsonObject
from lumos_snap.merging import MergeResult, encode_conflicts, merge
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import Value, document_of
from tests.merging.changes import (
    LINE_EDITS,
    Document,
    branches,
    edited,
    is_ambiguous,
    starts,
    without_ids,
)
from tests.strategies.documents import STORED

EXAMPLES = settings(max_examples=60)


def raw(merged: MergeResult, cls: type[Value] = Snapshot) -> bytes:
    assert merged.conflicts == ()
    return encode_document(merged.document, cls)


@EXAMPLES
@given(branches())
def test_a_clean_merge_does_not_depend_on_which_side_is_ours(
    three: tuple[Document, Document, Document],
) -> None:
    base, ours, theirs = three
    one, other = merge(base, ours, theirs, Snapshot), merge(base, theirs, ours, Snapshot)
    event("conflicts" if one.conflicts else "clean")
    assert bool(one.conflicts) == bool(other.conflicts)
    if not one.conflicts:
        assert raw(one) == raw(other)


@EXAMPLES
@given(branches())
def test_what_comes_out_is_sound_and_what_is_open_is_refused_with_its_own_words(
    three: tuple[Document, Document, Document],
) -> None:
    merged = merge(*three, Snapshot)
    written = encode_conflicts(merged, Snapshot)
    reading = read(written, Snapshot)
    if merged.conflicts:
        assert [problem.rule for problem in reading.problems] == ["unresolved-conflict"] * len(
            merged.conflicts
        )
    else:
        assert reading.problems == ()
        assert reading.canonical == written


@EXAMPLES
@given(branches())
def test_merging_again_changes_nothing(three: tuple[Document, Document, Document]) -> None:
    base, ours, theirs = three
    assume(not any(map(is_ambiguous, three)))
    merged = merge(base, ours, theirs, Snapshot)
    if not merged.conflicts:
        for side in (ours, theirs):
            again = merge(base, merged.document, side, Snapshot)
            assert raw(again) == raw(merged)
            assert raw(merge(side, merged.document, side, Snapshot)) == raw(merged)


@EXAMPLES
@given(branches(LINE_EDITS))
def test_each_side_gets_what_it_added_and_loses_what_either_removed(
    three: tuple[Document, Document, Document],
) -> None:
    assume(not any(map(is_ambiguous, three)))
    base, ours, theirs = ({**one, "schema": without_ids(one.get("schema", {}))} for one in three)
    merged = merge(base, ours, theirs, Snapshot)
    if not merged.conflicts:
        before, here, there = (lines(one) for one in (base, ours, theirs))
        assert lines(merged.document) == (here & there) | (here - before) | (there - before)


def lines(document: JsonObject) -> set[bytes]:
    return set(flat(encode_document(document, Snapshot)).split(b"\n"))


@EXAMPLES
@given(starts().flatmap(lambda base: st.tuples(st.just(base), edited(base))))
def test_a_merge_with_an_ancestor_is_the_other_side(two: tuple[Document, Document]) -> None:
    base, changed = two
    wanted = encode_document(changed, Snapshot)
    assert raw(merge(base, base, changed, Snapshot)) == wanted
    assert raw(merge(base, changed, base, Snapshot)) == wanted
    assert raw(merge(base, changed, changed, Snapshot)) == wanted


@EXAMPLES
@given(branches())
def test_without_a_base_what_both_say_is_said_once(
    three: tuple[Document, Document, Document],
) -> None:
    _, ours, theirs = three
    assert raw(merge(None, ours, ours, Snapshot)) == encode_document(ours, Snapshot)
    one, other = merge(None, ours, theirs, Snapshot), merge(None, theirs, ours, Snapshot)
    assert bool(one.conflicts) == bool(other.conflicts)
    if not one.conflicts:
        assert raw(one) == raw(other)


@EXAMPLES
@given(st.data())
def test_documents_of_every_kind_can_be_merged(data: st.DataObject) -> None:
    cls = data.draw(st.sampled_from(sorted(STORED, key=str)))
    base, ours, theirs = (document_of(data.draw(STORED[cls])) for _ in range(3))
    one, other = merge(base, ours, theirs, cls), merge(base, theirs, ours, cls)
    assert bool(one.conflicts) == bool(other.conflicts)
    if one.conflicts:
        written = encode_conflicts(one, cls)
        assert {p.rule for p in read(written, cls).problems} == {"unresolved-conflict"}
    else:
        assert raw(one, cls) == raw(other, cls)

"""Urns, and field paths."""

from hypothesis import strategies as st

from lumos_snap.canonical.rule_checks import LONGEST_URN
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.urn import Urn
from tests.strategies.texts import names, short_texts, words

platforms = st.one_of(
    st.sampled_from(("s3", "kafka", "con", "file", "a-b_c")),
    st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True),
)

_parts = st.lists(st.one_of(words, names), min_size=1, max_size=4).map(tuple)
urns = st.builds(Urn, platforms, _parts).filter(lambda urn: len(str(urn)) <= LONGEST_URN)

_member_names = st.one_of(st.just(""), short_texts)
_numbers = st.one_of(st.just(1), st.integers(2, 30))
_members = st.builds(Part, st.just(Step.MEMBER), _member_names, _numbers)
_steps = st.one_of(
    _members,
    st.sampled_from((Part(Step.ELEMENT), Part(Step.KEY), Part(Step.VALUE))),
    st.builds(Part, st.just(Step.BRANCH), _member_names, _numbers),
)


def _path(first: Part, rest: list[Part]) -> FieldPath:
    return (first, *rest)


field_paths = st.builds(_path, _members, st.lists(_steps, max_size=4))
written_paths = field_paths.map(format_path)

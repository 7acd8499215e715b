"""What holds for every lineage, however tangled."""

import random

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.lineage import UnreadableSnapshot, graph_of
from lumos_snap.lineage.change import removal
from lumos_snap.lineage.edges import (
    DatasetEdges,
    EdgesOrUnreadable,
    LineageIndex,
    lines_of,
    pack_index,
    unpack_index,
    update_lines,
)
from lumos_snap.lineage.graph import Every, cycles, propagate_traces
from lumos_snap.lineage.impact_rules import find_impact
from tests.lineage.lineages import COLUMNS, NAMES, path, said, urn

_fields = st.sampled_from((None, *COLUMNS))
_names = st.sampled_from(NAMES)


def indexed(found: dict[str, DatasetEdges]) -> LineageIndex:
    index = unpack_index(pack_index("tree", lines_of(found.values())))
    assert index is not None
    return index


@given(said())
def test_downstream_is_upstream_turned_round(found: dict[str, DatasetEdges]) -> None:
    graph = graph_of(found)
    upstream = {(link, link.upstream) for one in found.values() for link in one.links}
    downstream = {
        (link, up) for up in map(urn, (*NAMES, "nowhere")) for link in graph.links_from(up)
    }
    assert upstream == downstream
    assert set(graph.all_links()) == {link for link, _ in upstream}


@given(said())
def test_an_index_knows_what_the_snapshots_say(found: dict[str, DatasetEdges]) -> None:
    graph, again = graph_of(found), graph_of({}, indexed(found))
    for name in map(urn, (*NAMES, "nowhere", "", "zz")):
        assert again.links_from(name) == graph.links_from(name)
        assert again.knows(name) == graph.knows(name)
    assert again.all_datasets() == graph.all_datasets()
    assert set(again.all_links()) == set(graph.all_links())


@given(said(), said(), st.sets(_names))
def test_an_index_that_is_renewed_is_the_one_built_at_once(
    before: dict[str, DatasetEdges], later: dict[str, DatasetEdges], broken: set[str]
) -> None:
    now: dict[str, EdgesOrUnreadable] = {
        **later,
        **{path(name): UnreadableSnapshot(path(name)) for name in broken},
    }
    changed = {one for one in before.keys() | now.keys() if before.get(one) != now.get(one)}
    lines = update_lines(indexed(before), changed, [now[one] for one in changed if one in now])
    assert pack_index("new", lines) == pack_index("new", lines_of(now.values()))


@given(said(), said())
def test_changes_on_top_of_an_index_count_instead_of_it(
    before: dict[str, DatasetEdges], later: dict[str, DatasetEdges]
) -> None:
    changed = {one: later.get(one) for one in before.keys() | later.keys()}
    graph, fresh = graph_of(changed, indexed(before)), graph_of(later)
    for name in map(urn, (*NAMES, "nowhere")):
        assert graph.links_from(name) == fresh.links_from(name)
        assert graph.knows(name) == fresh.knows(name)


@given(said(), _names, _fields, st.randoms(use_true_random=False))
def test_order_plays_no_part(
    found: dict[str, DatasetEdges], name: str, field: str | None, chance: random.Random
) -> None:
    shuffled = [
        DatasetEdges(one.urn, tuple(chance.sample(one.links, len(one.links))))
        for one in found.values()
    ]
    chance.shuffle(shuffled)
    other = graph_of({path(one.urn): one for one in shuffled})
    change = removal(urn(name), field)
    assert find_impact(other, change, most=1000) == find_impact(graph_of(found), change, most=1000)


@given(said(), _names, _fields)
def test_whoever_feels_a_change_is_downstream_of_it(
    found: dict[str, DatasetEdges], name: str, field: str | None
) -> None:
    graph = graph_of(found)
    felt = find_impact(graph, removal(urn(name), field), most=1000).felt
    depths = _depths(found, urn(name))
    for one in felt:
        assert one.depth >= depths[one.urn]
        assert len(one.through) == one.depth - 1
        assert one.urn != urn(name)
    if field is None:
        assert {one.urn for one in felt} == depths.keys() - {urn(name)}
        assert all(one.depth == depths[one.urn] or one.through[0] == urn(name) for one in felt)


def _depths(found: dict[str, DatasetEdges], start: str) -> dict[str, int]:
    """By brute force: relaxed until nothing changes."""
    depths = {start: 0}
    links = [link for one in found.values() for link in one.links]
    for _ in found:
        for link in links:
            if link.upstream in depths:
                depth = depths[link.upstream] + 1
                depths[link.consumer] = min(depth, depths.get(link.consumer, depth))
    return depths


@given(said(), st.lists(st.tuples(_names, st.sampled_from(COLUMNS)), min_size=1, max_size=3))
def test_several_changes_reach_what_each_of_them_reaches(
    found: dict[str, DatasetEdges], starts: list[tuple[str, str]]
) -> None:
    graph = graph_of(found)
    each = [
        propagate_traces(graph, {urn(name): frozenset((column,))})[0] for name, column in starts
    ]
    united: dict[str, set[str | Every]] = {}
    for name, column in starts:
        united.setdefault(urn(name), set()).add(column)
    together, is_complete = propagate_traces(
        graph, {one: frozenset(held) for one, held in united.items()}
    )
    assert is_complete
    traces: dict[str, set[str | Every]] = {}
    for one in each:
        for name, reached in one.items():
            traces.setdefault(name, set()).update(reached.traces)
    assert {name: reached.traces for name, reached in together.items()} == traces


@given(said(), st.integers(1, 4))
def test_of_very_many_the_nearest_are_found(found: dict[str, DatasetEdges], most: int) -> None:
    graph, starts = graph_of(found), {urn("a"): frozenset((Every.ALL,))}
    every, _ = propagate_traces(graph, starts)
    some, is_complete = propagate_traces(graph, starts, most=most)
    assert is_complete == (len(every) <= most)
    left = [one.depth for name, one in every.items() if name not in some]
    assert max(one.depth for one in some.values()) <= min(left, default=99)


@given(said())
def test_circles_are_those_that_lead_back(found: dict[str, DatasetEdges]) -> None:
    graph = graph_of(found)

    def consumers(name: str) -> set[str]:
        return {link.consumer for link in graph.links_from(name)}

    circles = cycles(map(urn, NAMES), consumers)
    for circle in circles:
        assert len(set(circle)) == len(circle) > 1
        assert min(circle) == circle[0]
        assert all(b in consumers(a) for a, b in zip(circle, (*circle[1:], circle[0]), strict=True))
    in_one = {name for circle in circles for name in circle}
    for name in map(urn, NAMES):
        others = [other for other in consumers(name) if other != name]
        if any(name in _depths(found, other) for other in others):
            assert in_one & _depths(found, name).keys()


def test_lineage_as_deep_as_it_likes_ends() -> None:
    names = [f"n{number:05d}" for number in range(5_000)]
    chain = {
        path(name): DatasetEdges(urn(name), _after(before, name))
        for before, name in zip((names[-1], *names), names, strict=False)
    }
    graph = graph_of(chain)
    felt = find_impact(graph, removal(urn(names[0]), None), most=10_000).felt
    assert len(felt) == len(names) - 1
    assert felt[-1].depth == len(names) - 1
    (circle,) = cycles(map(urn, names), lambda one: [x.consumer for x in graph.links_from(one)])
    assert len(circle) == len(names)


def _after(before: str, name: str):
    from lumos_snap.lineage.edges import LineageLink  # noqa: PLC0415

    return (LineageLink(urn(before), urn(name)),)

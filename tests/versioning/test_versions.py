import datetime
import itertools
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.config.settings import Policy
from lumos_snap.diff import compare
from lumos_snap.errors import LumosError
from lumos_snap.rules.finding import bump_of
from lumos_snap.rules.judge import judge
from lumos_snap.rules.rule import Bump
from lumos_snap.versioning import FIRST, ReleaseNames, Version, next_version, parse, step
from lumos_snap.versioning.release_record import (
    MOST_CHANGES,
    ReleaseRecord,
    change_lines,
    history_of,
    last_released_version,
    moment,
    record_release,
    restore_versions,
    without_versions,
)
from lumos_snap.versioning.versions import next_number

DAY = datetime.date(2026, 1, 15)
NUMBERS = st.integers(0, 12)
PRES = st.sampled_from(["", "", "rc.1", "rc.2", "rc.10", "alpha", "alpha.1", "0", "007", "a-b"])
VERSIONS = st.builds(Version, NUMBERS, NUMBERS, NUMBERS, PRES)
BUMPS = st.sampled_from(Bump)
STEPS = st.sampled_from([Bump.PATCH, Bump.MINOR, Bump.MAJOR])


class TestSteps:
    @pytest.mark.parametrize(
        ("version", "bump", "then"),
        [
            ("1.2.3", Bump.PATCH, "1.2.4"),
            ("1.2.3", Bump.MINOR, "1.3.0"),
            ("1.2.3", Bump.MAJOR, "2.0.0"),
            ("1.2.3", Bump.NONE, "1.2.3"),
            ("2.1.0-rc.1", Bump.NONE, "2.1.0-rc.1"),
            ("2.1.0-rc.1", Bump.PATCH, "2.1.0"),
            ("2.1.0-rc.1", Bump.MINOR, "2.1.0"),
            ("2.1.0-rc.1", Bump.MAJOR, "3.0.0"),
            ("2.0.0-rc.1", Bump.MAJOR, "2.0.0"),
            ("2.1.3-rc.1", Bump.MINOR, "2.2.0"),
            ("0.3.0", Bump.MAJOR, "1.0.0"),
        ],
    )
    def test_lead_to(self, version: str, bump: Bump, then: str) -> None:
        assert str(step(parse(version), bump)) == then

    @given(VERSIONS, STEPS)
    def test_always_go_up(self, version: Version, bump: Bump) -> None:
        assert step(version, bump).rank > version.rank

    @given(VERSIONS, STEPS, STEPS)
    def test_a_larger_one_goes_at_least_as_far(self, version: Version, a: Bump, b: Bump) -> None:
        small, large = sorted((a, b))
        assert step(version, small).rank <= step(version, large).rank

    @given(VERSIONS, STEPS)
    def test_end_at_no_pre_release(self, version: Version, bump: Bump) -> None:
        assert not step(version, bump).pre


class TestOrder:
    def test_is_that_of_the_standard(self) -> None:
        listed = [
            *("1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2"),
            *("1.0.0-beta.10", "1.0.0-beta.11", "1.0.0-beta.100", "1.0.0-rc.1", "1.0.0"),
            *("1.0.1", "1.1.0", "2.0.0-0", "2.0.0-007", "2.0.0-10", "2.0.0-a", "2.0.0"),
        ]
        ranks = [parse(one).rank for one in listed]
        assert all(one < other for one, other in itertools.pairwise(ranks))

    @given(VERSIONS)
    def test_a_version_reads_as_it_is_written(self, version: Version) -> None:
        assert parse(str(version)) == version

    @pytest.mark.parametrize(
        "text", ["", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3+b", "1.2.3-", "\u0661.\u0662.\u0663"]
    )
    def test_what_is_none_is_refused(self, text: str) -> None:
        with pytest.raises(LumosError):
            parse(text)

    @pytest.mark.parametrize(("length", "shown"), [(79, 79), (80, 80), (81, 80), (10_000, 80)])
    def test_only_the_beginning_of_what_is_none_is_shown(self, length: int, shown: int) -> None:
        with pytest.raises(LumosError) as caught:
            parse("x" * length)
        assert caught.value.message.startswith(f"{'x' * shown!r} is no version")

    def test_an_endless_number_is_refused(self) -> None:
        with pytest.raises(LumosError):
            parse(f"{'9' * 10_000}.0.0")


class TestNext:
    @pytest.mark.parametrize(
        ("released", "present", "then"),
        [
            (None, None, "1.0.0"),
            (None, "2.3.1", "2.3.1"),
            (None, "2.1.0-rc.1", "2.1.0-rc.1"),
            ("1.2.0", None, "1.3.0"),
            ("1.2.0", "1.2.0", "1.3.0"),
            ("1.2.0", "1.0.0", "1.3.0"),
            ("1.2.0", "4.0.0", "4.0.0"),
            ("1.2.0", "2.0.0-rc.1", "2.0.0"),
            ("1.2.0", "1.2.1", "1.3.0"),
        ],
    )
    def test_goes_on_from_the_last_release(
        self, released: str | None, present: str | None, then: str
    ) -> None:
        assert str(next_version(released, present, Bump.MINOR)) == then

    @given(VERSIONS, st.none() | VERSIONS, STEPS)
    def test_never_goes_down(self, released: Version, present: Version | None, bump: Bump) -> None:
        found = next_version(str(released), str(present) if present else None, bump)
        assert found.rank > released.rank
        assert present is None or found.rank >= present.rank

    @given(VERSIONS)
    def test_nothing_changed_is_no_step(self, released: Version) -> None:
        assert next_version(str(released), str(released), Bump.NONE) == released

    def test_the_first_one(self) -> None:
        assert str(FIRST) == "1.0.0"


class TestNumbers:
    @pytest.mark.parametrize(
        ("tag", "number"),
        [
            ("v/S-12", 12),
            ("v/S-012", None),
            ("v/S-0", None),
            ("v/S-", None),
            ("v/S-1.0", None),
            ("v/S-\u0661", None),
            ("S-12", None),
            ("v/R-12", None),
            ("v/S-" + "9" * 5_000, None),
        ],
    )
    def test_only_tags_of_releases_count(self, tag: str, number: int | None) -> None:
        assert ReleaseNames("S-", "v/").number_of_tag(tag) == number

    @given(st.integers(1, 10**12), st.text(max_size=3), st.text(min_size=1, max_size=3))
    def test_a_name_leads_back_to_its_number(self, number: int, tag: str, cloud: str) -> None:
        naming = ReleaseNames(cloud, tag)
        assert naming.number_of_tag(naming.tag(number)) == number
        assert naming.number_of_cloud(naming.cloud(number)) == number

    @given(st.frozensets(st.integers(1, 99)))
    def test_the_next_one_is_new_and_the_highest(self, known: frozenset[int]) -> None:
        assert next_number(known) > max(known, default=0)

    @pytest.mark.parametrize(("known", "number"), [((), 1), ((1,), 2), ((3, 1), 4), ((41, 7), 42)])
    def test_the_next_one_leaves_no_gap(self, known: tuple[int, ...], number: int) -> None:
        assert next_number(known) == number


def test_a_moment_is_in_utc() -> None:
    assert moment(0) == "1970-01-01T00:00:00Z"


# A chain of snapshots to which things are only ever done, never undone.
FIELDS = ("a", "b", "c", "d")
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(["x", "y", "z"]), st.booleans()),
        st.tuples(st.just("remove"), st.sampled_from(FIELDS), st.booleans()),
        st.tuples(st.just("tag"), st.sampled_from(["t1", "t2"]), st.booleans()),
        st.tuples(st.just("say"), st.sampled_from(FIELDS), st.booleans()),
    ),
    unique_by=lambda edit: edit[1],
    max_size=8,
)


def _start() -> dict[str, Any]:
    return {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/lake/t",
        "name": "t",
        "platform": "s3",
        "storage": {"format": "parquet"},
        "schema": {
            "fields": [{"name": name, "type": "STRING", "nullable": True} for name in FIELDS]
        },
    }


def _edited(document: dict[str, Any], kind: str, name: str, *, flag: bool) -> dict[str, Any]:
    fields = document["schema"]["fields"]
    match kind:
        case "add":
            added = {"name": name, "type": "INT32", "nullable": flag}
            return {**document, "schema": {"fields": [*fields, added]}}
        case "remove":
            return {**document, "schema": {"fields": [f for f in fields if f["name"] != name]}}
        case "tag":
            tags = document.get("governance", {}).get("tags", [])
            return {**document, "governance": {"tags": sorted({*tags, name})}}
        case _:
            said = document.get("documentation", {}).get("links", [])
            link = {"url": f"https://example.com/{name}", "title": name}
            return {**document, "documentation": {"links": [*said, link]}}


def _bump(old: dict[str, Any], new: dict[str, Any]) -> Bump:
    comparison = compare("lumos://s3/lake/t", old, new)
    return bump_of(judge(comparison, Policy(), DAY))


@given(EDITS)
def test_one_release_steps_at_least_as_far_as_each_of_many(edits: list[Any]) -> None:
    chain = [_start()]
    for kind, name, flag in edits:
        chain.append(_edited(chain[-1], kind, name, flag=flag))
    steps = [_bump(old, new) for old, new in itertools.pairwise(chain)]
    assert _bump(chain[0], chain[-1]) >= max(steps, default=Bump.NONE)


def test_changes_are_named_the_gravest_first_and_counted_when_too_many() -> None:
    old, new = _start(), _start()
    new["schema"]["fields"] = [
        *({"name": f"n{number}", "type": "INT32", "nullable": True} for number in range(12)),
        *(field for field in old["schema"]["fields"] if field["name"] != "b"),
    ]
    findings = judge(compare("lumos://s3/lake/t", old, new), Policy(), DAY)
    lines = change_lines(findings)
    assert lines[0].startswith("b ")
    assert len(lines) == MOST_CHANGES + 1
    assert lines[-1] == f"… and {len(findings) - MOST_CHANGES} more"


@pytest.mark.parametrize("count", [1, 9, 10, 11])
def test_changes_are_counted_only_where_they_are_more_than_are_named(count: int) -> None:
    old, new = _start(), _start()
    added = ({"name": f"n{n}", "type": "INT32", "nullable": True} for n in range(count))
    new["schema"]["fields"] = [*old["schema"]["fields"], *added]
    lines = change_lines(judge(compare("lumos://s3/lake/t", old, new), Policy(), DAY))
    named = [line for line in lines if line.startswith("n")]
    assert len(named) == min(count, 10)
    assert list(lines[len(named) :]) == (["… and 1 more"] if count > 10 else [])


def _with(version: str | None, *told: str) -> dict[str, Any]:
    """A snapshot that states a version, and whose history tells of others."""
    history = [{"schema_version": one, "cloud_version": "S-1"} for one in told]
    stated = {} if version is None else {"schema_version": version}
    return {**_start(), "versioning": {**stated, **({"history": history} if history else {})}}


@pytest.mark.parametrize(
    ("before", "now", "told", "version"),
    [
        (None, "2.0.0", ("2.0.0",), None),
        ("1.0.0", None, ("1.0.0",), "1.0.0"),
        ("1.0.0", "1.0.0", ("1.0.0",), "1.0.0"),
        ("1.0.0", "2.0.0", ("1.0.0",), "1.0.0"),  # raised by hand
        ("1.0.0", "2.0.0", ("1.0.0", "2.0.0"), "2.0.0"),  # released on a branch
        ("2.0.0", "1.0.0", ("1.0.0", "2.0.0"), "2.0.0"),
        ("2.0.0-rc.1", "2.0.0", ("2.0.0",), "2.0.0"),
        ("2.0.0-7", "2.0.0-07", ("2.0.0-07",), "2.0.0-7"),  # as late, and so not later
    ],
)
def test_a_release_goes_on_from_the_last_one(
    before: str | None, now: str | None, told: tuple[str, ...], version: str | None
) -> None:
    assert last_released_version(_with(before), _with(now, *told)) == version


@pytest.mark.parametrize(
    ("before", "now", "is_put_back"),
    [
        ("1.2.0", "1.2.0", False),
        ("1.2.0", "1.2.1", False),
        ("1.2.0", "1.1.9", True),
        ("1.2.0", "1.2.0-rc.1", True),
        ("1.2.0", None, True),
        (None, "1.0.0", False),
        (None, None, False),
    ],
)
def test_versions_that_were_lost_or_lowered_are_put_back(
    before: str | None, now: str | None, is_put_back: bool
) -> None:
    old, new = _with(before, "1.0.0"), {**_with(now), "documentation": {"description": "new"}}
    found = restore_versions(old, new)
    assert (found is not None) == is_put_back
    if found is not None:
        written = orjson.loads(found)
        assert written["versioning"] == old["versioning"]
        assert written["documentation"] == {"description": "new"}
    assert restore_versions(None, new) is None
    assert restore_versions(old, None) is None


@pytest.mark.parametrize(
    ("before", "now", "found"),
    [
        ("a", "b", "b"),  # as many: what the file says now
        ("ab", "a", "ab"),
        ("a", "ab", "ab"),
        ("ab", "", "ab"),
        ("", "a", "a"),
        ("", "", ""),
    ],
)
def test_a_history_that_was_lost_is_that_of_the_last_release(
    before: str, now: str, found: str
) -> None:
    told = [one["schema_version"] for one in history_of(_with("1.0.0", *before), _with(None, *now))]
    assert told == list(found)
    assert history_of(None, _with(None, *now)) == _with(None, *now)["versioning"].get("history", [])


def test_changes_are_named_by_their_step_and_then_by_their_level() -> None:
    """Below stable, what breaks steps as far as what is added: it is named before all the same."""
    old = {**_start(), "contract": {"lifecycle": "beta"}}
    more = {"name": "z", "type": "INT32", "nullable": True}
    fields = [*(one for one in old["schema"]["fields"] if one["name"] != "b"), more]
    tags = {"governance": {"tags": ["t1"]}}
    found = judge(
        compare("lumos://s3/lake/t", old, {**old, "schema": {"fields": fields}, **tags}),
        Policy(),
        DAY,
    )
    for shuffled in itertools.permutations(found):
        first, second, third = change_lines(shuffled)
        assert (first, second) == ("b was removed", "z was added: INT32")
        assert "t1" in third


@pytest.mark.parametrize("bump", Bump)
def test_a_release_says_how_far_it_has_stepped_unless_it_is_the_first(bump: Bump) -> None:
    stamp = ReleaseRecord(
        cloud_version="S-1",
        schema_version="1.0.0",
        released_at=moment(0),
        bump=bump,
        tag="S-1",
        changes=("a was added",),
    )
    written = orjson.loads(record_release(_start(), stamp, ()))
    (entry,) = written["versioning"]["history"]
    assert entry.get("bump") == (None if bump is Bump.NONE else bump.word)
    assert without_versions(written) == without_versions(_start()) == _start()

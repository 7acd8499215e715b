"""What holds for every path, however strange."""

import random
import re

from hypothesis import example, given
from hypothesis import strategies as st

from lumos_snap.commands.scan.explain import explain_path
from lumos_snap.scan.grouping.assign import RULES, Layout, names_of_folder, place_file
from lumos_snap.scan.grouping.extensions import split_suffixes, suffixes_of
from lumos_snap.scan.grouping.file_names import stem_of
from lumos_snap.scan.grouping.folders import read_folder
from lumos_snap.scan.grouping.include_exclude import (
    PathFilter,
    compile_glob,
    escape_glob,
    ignore_reason,
    leads_to,
    union_places,
)
from lumos_snap.scan.grouping.templates import parse_template

LAYOUTS = [
    Layout(),
    Layout(grouping="folder"),
    Layout(grouping="file"),
    Layout(templates=(parse_template("/raw/{domain}/{dataset}/"),)),
    Layout(templates=(parse_template("/{dataset}/{dt:yyyyMMdd}/"), parse_template("/{dataset}"))),
    Layout(templates=(parse_template("/*/{dataset}_{d:yyyy}*"),), grouping="file"),
]

any_text = st.text(st.characters(categories=None), max_size=12)
fragments = st.sampled_from(
    ["raw", "clicks", "orders", "2024", "01", "15", "13", "2024-01-15", "20240115", "dt=", "=", "%",
     "dt-20240115", "m-01", "month=02", "part", "-", "_", ".", "0000", "c000", "T10", "Z", "Jan",
     "7f9c24e8-3b12-4a6e-9d5f-0a1b2c3d4e5f", ".csv", ".parquet", ".gz", "", " ", "\n", "\udcff",
     "*", "[", "]", "{", "}", ",", "\\", "q4", "3", "snappy", "aGVsbG8xMjM0NTY3", "é"]
)  # fmt: skip
segments = st.one_of(st.lists(fragments, max_size=4).map("".join), any_text)
paths = st.lists(segments, min_size=1, max_size=6).map("/".join)
below_root = paths.map(lambda path: path.lstrip("/"))
layouts = st.sampled_from(LAYOUTS)


@given(paths, layouts)
def test_every_path_has_its_place(path: str, layout: Layout) -> None:
    placed = place_file(path, layout)
    assert placed == place_file(path, layout)
    assert placed.rule in RULES
    assert "" not in placed.names
    columns = [value.name for value in placed.partitions]
    assert len(columns) == len(set(columns))


@given(below_root, layouts)
@example("2024\udcff", Layout())
def test_a_file_lies_where_its_dataset_lies(path: str, layout: Layout) -> None:
    path = re.sub("//+", "/", path)
    placed = place_file(path, layout)
    below = path[len(placed.folder) :].removeprefix("/") if placed.folder else path
    assert placed.folder == "" or path.startswith(f"{placed.folder}/")
    assert placed.files is None or _is_within(placed.files, below)


def _is_within(files: str, path: str) -> bool:
    """Whether a glob matches the path or a folder above it: all in that folder belongs to it."""
    ends = [*(found.start() for found in re.finditer("/", path)), len(path)]
    return any(compile_glob(files)(path[:end]) for end in ends)


@given(below_root, layouts)
def test_explaining_agrees_with_placing(path: str, layout: Layout) -> None:
    steps, placed = explain_path(path, layout), place_file(path, layout)
    assert "/".join(step.text for step in steps) == path
    assert tuple(step.name for step in steps if step.name is not None) == placed.names
    told = dict.fromkeys(column for step in steps for column in step.columns)
    assert tuple(told) == tuple(value.name for value in placed.partitions)
    assert all(step.why.endswith(".") for step in steps)


words = st.sampled_from(["raw", "clicks", "orders", "shop", "visits", "größe", "user_events", "s3"])
folders = st.lists(words, min_size=1, max_size=3)
partitions = st.one_of(
    st.dates().filter(lambda day: 1900 <= day.year <= 2100).flatmap(
        lambda day: st.sampled_from(
            [f"{day:%Y/%m/%d}", f"{day:%Y-%m-%d}", f"{day:%Y%m%d}", f"dt={day}", f"day-{day}",
             f"year={day:%Y}/month={day:%m}", f"{day:%Y/%m/%d}/07", f"{day:%Y/%m}", f"{day:%Y}"]
        )
    ),
    st.text("abcXYZ019-_ é%", max_size=6).map(lambda value: f"key={value}"),
)  # fmt: skip
numbers = st.one_of(
    st.integers(0, 10**9).map(str),
    st.integers(0, 99999).map(lambda n: f"{n:05}"),
    st.uuids().map(str),
    st.datetimes().map(lambda moment: f"{moment:%Y%m%dT%H%M%S}Z"),
    st.dates().map(str),
    st.integers(0, 99).map(lambda n: f"part-{n}"),
    st.integers(0, 9).map(lambda n: f"part-{n}-of-10"),
)


@given(folders, st.lists(partitions, max_size=2), st.integers(0, 3), words, numbers, numbers)
def test_a_partition_or_a_part_number_changes_no_name(above, inserted, at, stem, one, two) -> None:
    plain = place_file("/".join([*above, f"{stem}_{one}.csv"]), Layout())
    for number in (one, two):
        path = "/".join([*above[:at], *inserted, *above[at:], f"{stem}_{number}.csv"])
        assert place_file(path, Layout()).names == plain.names


@given(folders, st.lists(partitions, max_size=2), numbers)
def test_a_number_alone_names_nothing(above, inserted, number) -> None:
    placed = place_file("/".join([*above, *inserted, f"{number}.parquet"]), Layout())
    assert placed.names == tuple(above)
    assert placed.folder == "/".join(above)
    assert placed.files is None


@given(st.lists(segments, max_size=4).map("/".join), paths)
def test_names_below_a_folder_begin_with_its_own(folder: str, below: str) -> None:
    for layout in LAYOUTS:
        begin = names_of_folder(folder, layout)
        names = place_file(f"{folder}/{below}" if folder else below, layout).names
        assert names[: len(begin)] == begin


@given(folders, folders, st.sampled_from(["", "*", "r*", "*s", "raw/?hop", "raw/clicks"]))
def test_no_folder_with_a_wanted_dataset_is_left_out(folder, below, pattern) -> None:
    matched = re.fullmatch(
        pattern.replace("*", ".*").replace("?", "."), "/".join([*folder, *below])
    )
    assert leads_to(tuple(folder), pattern) or not matched


@given(any_text)
def test_nothing_in_a_name_is_too_strange(name: str) -> None:
    stem = stem_of(name)
    assert bool(stem.text) == bool(stem.glob) == bool(stem.words)
    assert suffixes_of(name) == suffixes_of(name.upper().lower()) or not name.isascii()
    assert name.startswith(split_suffixes(name).bare.partition(".")[0])
    ignore_reason(name)


@given(any_text.filter(lambda text: "/" not in text))
def test_a_stem_is_found_by_its_glob(name: str) -> None:
    stem = stem_of(name)
    assert not stem.text or compile_glob(stem.glob)(name)


@given(st.lists(segments, min_size=1, max_size=4).map("/".join))
def test_a_folder_is_read_segment_by_segment(path: str) -> None:
    pieces = read_folder(path).pieces
    assert "/".join(text for piece in pieces for text in piece.texts) == path


@given(any_text.filter(lambda text: text and "/" not in text))
def test_a_literal_glob_means_the_text(text: str) -> None:
    assert compile_glob(escape_glob(text))(text)


globs = st.lists(
    st.sampled_from(["a", "b", "ab", "*", "**", "?", "a*", "[ab]", "[!a]", "*b", ""]),
    min_size=1,
    max_size=5,
).map("/".join)
short_paths = st.lists(st.sampled_from(["a", "b", "ab", "ba", "c"]), min_size=1, max_size=5)


@given(st.lists(globs, max_size=2), st.lists(globs, max_size=2), short_paths)
def test_no_folder_is_skipped_that_holds_a_wanted_file(include, exclude, path) -> None:
    chosen = PathFilter(tuple(include), tuple(exclude))
    if chosen.wants("/".join(path)):
        assert all(chosen.may_hold("/".join(path[:end])) for end in range(len(path)))


@given(st.text("[]!-^ab\\&|~*?{}, \n/", max_size=12), st.text("ab-!]", max_size=3))
def test_any_text_is_a_glob(glob: str, path: str) -> None:
    compile_glob(glob)(path)
    PathFilter((glob,), (glob,)).may_hold(path)


placements = st.lists(paths, min_size=1, max_size=6).map(
    lambda many: [(p.folder, p.files) for p in (place_file(path, Layout()) for path in many)]
)


@given(placements, st.randoms(use_true_random=False))
def test_places_unite_in_any_order(places, rng: random.Random) -> None:
    shuffled = [*places, *places]
    rng.shuffle(shuffled)
    assert union_places(shuffled) == union_places(places)
    assert all(
        own == (folder := union_places(places)[0]) or own.startswith(folder) for own, _ in places
    )

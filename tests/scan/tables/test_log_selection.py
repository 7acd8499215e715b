"""What is kept of a log is what must be read, whatever the order in which files are met."""

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.scan.stores.store import FileEntry
from lumos_snap.scan.tables.delta.log import DeltaLog
from lumos_snap.scan.tables.hudi.log import HudiLog
from lumos_snap.scan.tables.iceberg.metadata_files import IcebergLog
from lumos_snap.scan.tables.registry import LOGS

V = "{:020}".format
UUIDS = ("80a083e8-7026-4e79-81be-64bd76c43a11", "016ae953-37a9-438e-8683-9a9a4a79a395")


def entry(path: str) -> FileEntry:
    return FileEntry(path, len(path), sum(path.encode()))


def kept(log: DeltaLog | IcebergLog | HudiLog, folder: str, *names: str) -> list[str]:
    for name in names:
        log.add(entry(f"t/{folder}/{name}"))
    return [one.path.removeprefix(f"t/{folder}/") for one in log.parts()]


def delta(*names: str) -> list[str]:
    return kept(DeltaLog(), "_delta_log", *names)


COMMITS = st.integers(0, 6).map(lambda v: f"{V(v)}.json")
CHECKPOINTS = st.one_of(
    st.integers(0, 6).map(lambda v: f"{V(v)}.checkpoint.parquet"),
    st.builds(
        lambda v, part, parts: f"{V(v)}.checkpoint.{part:010}.{parts:010}.parquet",
        st.integers(0, 6), st.integers(1, 3), st.integers(1, 3),
    ),
    st.builds(
        lambda v, unique, suffix: f"{V(v)}.checkpoint.{unique}.{suffix}",
        st.integers(0, 6), st.sampled_from(UUIDS), st.sampled_from(("json", "parquet")),
    ),
)  # fmt: skip
OTHERS = st.sampled_from(("_last_checkpoint", f"{V(1)}.crc", f"{V(0)}.{V(2)}.compacted.json"))
INSTANTS = st.builds(
    lambda began, ended, action: f"{2026_0101_000000 + began}{ended}.{action}",
    st.integers(0, 40),
    st.sampled_from(("", "_20260102000000", "_20260103000000")),
    st.sampled_from(("commit", "deltacommit", "replacecommit", "commit.requested", "clean")),
)
NAMES = {
    "delta": ("_delta_log", st.one_of(COMMITS, CHECKPOINTS, OTHERS)),
    "iceberg": (
        "metadata",
        st.one_of(
            st.integers(0, 12).map(lambda v: f"v{v}.metadata.json"),
            st.integers(0, 12).map(lambda v: f"{v:05}-{UUIDS[v % 2]}.metadata.json"),
            st.sampled_from(("version-hint.text", "snap-1.avro", "vfinal.metadata.json")),
        ),
    ),
    "hudi": (
        ".hoodie",
        st.one_of(
            INSTANTS,
            INSTANTS.map(lambda name: f"timeline/{name}"),
            st.sampled_from(("hoodie.properties", "hoodie.properties.backup", "archived/x")),
        ),
    ),
}


@given(st.data())
def test_the_order_in_which_files_are_met_never_matters(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(NAMES)))
    folder, names = NAMES[kind]
    there = data.draw(st.lists(names, unique=True, max_size=30))
    met = data.draw(st.permutations(there))
    one, other = LOGS[kind](), LOGS[kind]()
    for name in there:
        one.add(entry(f"t/{folder}/{name}"))
    for name in met:
        other.add(entry(f"t/{folder}/{name}"))
    assert one.parts() == other.parts()


@given(st.lists(st.one_of(COMMITS, CHECKPOINTS), unique=True, max_size=30))
def test_commits_before_the_checkpoint_that_is_read_are_forgotten(names: list[str]) -> None:
    found = delta(*names)
    versions = [int(name[:20]) for name in found if name.count(".") == 1]
    checkpoints = [name for name in found if "checkpoint" in name]
    assert versions == sorted(versions)
    assert all(int(name[:20]) < version for name in checkpoints for version in versions)
    if not checkpoints:
        assert set(found) == {name for name in names if name.count(".") == 1}


def test_the_newest_whole_checkpoint_is_read_and_the_commits_behind_it() -> None:
    half = f"{V(5)}.checkpoint.0000000001.0000000002.parquet"
    whole = [f"{V(3)}.checkpoint.{part:010}.0000000002.parquet" for part in (1, 2)]
    commits = [f"{V(version)}.json" for version in range(7)]
    assert delta(half, *commits, *reversed(whole)) == [*whole, *commits[4:]]


def test_of_several_checkpoints_of_one_version_one_is_read() -> None:
    plain = f"{V(3)}.checkpoint.parquet"
    named = [f"{V(3)}.checkpoint.{unique}.parquet" for unique in UUIDS]
    assert delta(*named, plain) == [plain]
    assert delta(*named) == [min(named)]


def test_what_only_helps_to_find_the_others_is_passed_over() -> None:
    others = (
        "_last_checkpoint", f"{V(0)}.crc", f"{V(0)}.{V(2)}.compacted.json", f"{V(1)}.json.tmp",
        ".00000000000000000000.json.crc", "_commits/00000000000000000001.json", "7.json",
        f"{V(9)}.checkpoint.0000000003.0000000002.parquet", "_sidecars/a.parquet",
    )  # fmt: skip
    assert delta(*others) == []
    assert delta(*others, f"{V(0)}.json") == [f"{V(0)}.json"]


def test_a_checkpoint_that_lacks_parts_is_told_where_there_is_nothing_else() -> None:
    half = f"{V(5)}.checkpoint.0000000001.0000000002.parquet"
    assert delta(half) == [half]


def test_a_long_log_is_not_kept() -> None:
    log = DeltaLog()
    for version in range(5_000):
        log.add(entry(f"t/_delta_log/{V(version)}.json"))
        if version % 10 == 0:
            log.add(entry(f"t/_delta_log/{V(version)}.checkpoint.parquet"))
        assert len(log._commits) <= 10
    assert len(log.parts()) == 10


def test_of_metadata_files_the_newest_few_are_kept_by_number() -> None:
    names = [f"v{version}.metadata.json" for version in range(1, 12)]
    found = kept(IcebergLog(), "metadata", *names, "version-hint.text")
    assert found == ["version-hint.text", *reversed(names[-5:])]
    assert kept(IcebergLog(), "metadata", "version-hint.text", "snap-1.avro") == []


def test_an_empty_timeline_is_no_table() -> None:
    assert kept(HudiLog(), ".hoodie", "archived/x", "20260101000000.commit.requested") == []


def test_completed_changes_are_kept_newest_first_by_the_time_they_ended() -> None:
    names = (
        "20260101000000000.commit", "20260103000000000.inflight",
        "timeline/20260102000000000_20260105000000000.deltacommit",
        "timeline/20260104000000000_20260104000001000.replacecommit",
        "timeline/history/20260109000000000.commit", "metadata/.hoodie/20260109000000000.commit",
        "hoodie.properties", "20260101000000000.clean", "20260108000000000.rollback",
    )  # fmt: skip
    assert kept(HudiLog(), ".hoodie", *names) == [
        "hoodie.properties", names[2], names[3], names[0],
    ]  # fmt: skip

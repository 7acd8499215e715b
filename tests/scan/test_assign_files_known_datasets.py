"""A file that the tree knows as a dataset of its own stays one; others are placed as ever."""

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.scan.assign_files import KnownDatasets, is_guessed, place_alone
from lumos_snap.scan.grouping.assign import Layout, place_file

names = st.sampled_from(["t1", "t2.csv", "part-0.avro", "orders.avro", "dt=2026-01-01", "a", "t2"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@given(paths, st.sets(paths, max_size=4), st.booleans())
def test_only_files_that_are_known_by_their_own_name_stand_alone(
    path: str, others: set[str], is_its_own: bool
) -> None:
    datasets = {
        *(place_alone(one).names for one in others),
        *(place_file(one, Layout()).names for one in others),
    }
    own, placed = place_alone(path), place_file(path, Layout())
    known = KnownDatasets.of(datasets, lambda _: own.files if is_its_own else None)
    found = known.place(path, placed)
    is_known = own.names in datasets and own.names != placed.names and is_its_own
    near = placed.names in known.above or placed.names[:-1] in known.above
    if is_known and near and is_guessed(placed) and not placed.partitions:
        assert found == own
    else:
        assert found == placed

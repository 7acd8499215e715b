"""What is out of sight is asked of by folder, and answered as if all troubles were gone through."""

from hypothesis import given
from hypothesis import strategies as st

from lumos_snap.scan.listing import UnlistablePaths

names = st.sampled_from(["a", "b", "a-b", "a b"])
folders = st.lists(names, max_size=3).map("/".join)


def _is_within(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


@given(st.lists(folders, max_size=4), folders)
def test_it_is_as_if_each_was_asked(hidden: list[str], folder: str) -> None:
    wanted = any(_is_within(one, folder) or _is_within(folder, one) for one in hidden)
    assert UnlistablePaths(hidden).touches(folder) == wanted

"""Every key of every stored class says in a line what it means."""

from itertools import pairwise

import pytest

from lumos_snap.model.export import Export
from lumos_snap.schema import keys_of
from tests.strategies.documents import STORED, stored_classes

CLASSES = sorted({inner for cls in (*STORED, Export) for inner in stored_classes(cls)}, key=str)
every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


@every_class
def test_a_key_says_what_it_means_in_a_short_line(cls):
    for key in keys_of(cls).values():
        assert 5 < len(key.says) < 90, key.name
        assert key.says == key.says.strip()
        assert not key.says.endswith(".")
        assert not {"|", "\n"} & set(key.says)


@every_class
def test_no_two_neighbours_say_the_same(cls):
    for one, other in pairwise(keys_of(cls).values()):
        assert one.says != other.says

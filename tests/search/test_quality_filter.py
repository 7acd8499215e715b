"""`--min-quality` goes by observations, and says where there are none."""

from pathlib import Path

import pytest

from lumos_snap.canonical.encode import encode_document
from lumos_snap.commands.search.options import parse_share
from lumos_snap.errors import LumosError
from lumos_snap.model.observation import Observation
from tests.search.conftest import Put, Searcher


@pytest.fixture(autouse=True)
def tree(searcher: Searcher, make: Put) -> None:
    for name in ("best", "good", "poor", "unscored", "unobserved"):
        make(name)
    observe(searcher.root, "best", score="0.98")
    observe(searcher.root, "good", score="90", score_of="100")
    observe(searcher.root, "poor", score="1", score_of="5")
    observe(searcher.root, "unscored", freshness="2026-01-15T10:00:00Z")


def observe(root: Path, name: str, **quality: str) -> None:
    document = {
        "lumos_version": "1.0.0",
        "urn": f"lumos://s3/lake/{name}",
        "quality": quality,
    }
    file = root / f"observations/s3/lake/{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(encode_document(document, Observation))


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("0.9", {"best": "0.98", "good": "0.9"}),
        ("90%", {"best": "0.98", "good": "0.9"}),
        ("95", {"best": "0.98"}),
        ("0", {"best": "0.98", "good": "0.9", "poor": "0.2"}),
        ("1", {}),
    ],
)
def test_only_what_is_good_enough(searcher: Searcher, asked: str, names: dict[str, str]) -> None:
    found = searcher("lake", least=parse_share(asked))
    assert {hit.name: hit.quality for hit in found.hits} == names
    assert found.remarks == ("2 datasets left out: no observation says how good the data is",)


def test_the_limit_counts_what_is_good_enough(searcher: Searcher) -> None:
    found = searcher("lake", least=parse_share("0"), limit=1)
    assert (len(found.hits), found.total) == (1, 3)


def test_where_nothing_was_observed_that_is_said(searcher: Searcher) -> None:
    (remark,) = searcher("unobserved", least=parse_share("0")).remarks
    assert remark.startswith("nothing says how good the data of 1 dataset is that would be found")


def test_a_newer_observation_counts_at_once(searcher: Searcher) -> None:
    assert searcher("poor", least=parse_share("0.9")).total == 0
    observe(searcher.root, "poor", score="1.0", score_of="1")
    assert searcher("poor", least=parse_share("0.9")).total == 1


def test_a_broken_observation_is_named(searcher: Searcher) -> None:
    (searcher.root / "observations/s3/lake/best.json").write_text("{")
    found = searcher("lake", least=parse_share("0.9"))
    assert [finding.path for finding in found.findings] == ["observations/s3/lake/best.json"]


@pytest.mark.parametrize("text", ["", "good", "-1", "101", "nan", "inf", "1e9", "0.9.9", "%"])
def test_what_is_no_quality_is_a_mistake(text: str) -> None:
    with pytest.raises(LumosError, match="is no quality"):
        parse_share(text)

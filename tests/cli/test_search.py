"""`lumos snap search`, as a person and as a program call it, on a real tree."""

import os
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest
from jsonschema import Draft202012Validator

from lumos_snap.commands.schema import read_schema
from tests.cli.conftest import Lumos

ORDERS = "snapshots/iceberg/lake/silver/orders.json"
GOLDEN = Path(__file__).parent / "golden"
QUESTIONS = {
    "words": ["orders"],
    "two_words": ["net", "revenue"],
    "phrase": ['"net revenue"'],
    "field": ["column:customer", "--platform", "iceberg"],
    "filters": ["--owner", "data-platform", "--tag", "tier-1", "--tag", "raw"],
    "column_of_type": ["--column", "amount", "--column", "net_revenue", "--type", "decimal"],
    "quality": ["orders", "--min-quality", "90%"],
    "limit": ["orders", "--limit", "2"],
    "misspelled": ["custmer", "orders"],
    "nothing": ["orders", "--domain", "nowhere"],
    "signs": ["***"],
}


@pytest.mark.parametrize("ending", ["txt", "json"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_this(
    name: str, ending: str, lumos: Lumos, shop: Path, request: pytest.FixtureRequest
) -> None:
    ran = lumos("snap", "search", *QUESTIONS[name], *(["--json"] if ending == "json" else []))
    assert (ran.code, ran.err) == (0, "")
    golden = GOLDEN / f"search_{name}.{ending}"
    if request.config.getoption("--rewrite-golden"):
        golden.write_text(ran.out)
    assert ran.out == golden.read_text()


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_as_its_schema_says(name: str, lumos: Lumos, shop: Path) -> None:
    schema = orjson.loads(read_schema("output/search"))
    Draft202012Validator(schema).validate(lumos("snap", "search", *QUESTIONS[name], "--json").json)


def test_a_second_answer_is_the_same(lumos: Lumos, shop: Path) -> None:
    assert lumos("snap", "search", "orders") == lumos("snap", "search", "orders")


def test_filters_mean_what_those_of_ls_mean(lumos: Lumos, shop: Path) -> None:
    for filters in (
        ["--platform", "iceberg", "--platform", "kafka"],
        ["--owner", "analytics"],
        ["--tag", "tier-1", "--owner", "jane.smith"],
        ["--domain", "finance"],
    ):
        listed = lumos("snap", "ls", *filters, "--json").json["datasets"]
        found = lumos("snap", "search", *filters, "--json", "--limit", "0").json["hits"]
        assert sorted(one["urn"] for one in found) == [one["urn"] for one in listed]
        assert listed


def test_broken_snapshots_are_left_out_and_counted_line_by_line(lumos: Lumos, shop: Path) -> None:
    files = sorted(shop.glob("snapshots/**/*.json"))
    for file in files[:-1]:
        file.write_text("{")
    ran = lumos("snap", "search", "lake", "--limit", "1")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len([line for line in lines if line.startswith("left out: snapshots/")]) == 10
    assert "… and 1 more file: `lumos snap validate` names them all" in lines
    assert len(lumos("snap", "search", "lake", "--json").json["findings"]) == len(files) - 1


def test_an_edit_is_found_at_once(lumos: Lumos, shop: Path) -> None:
    assert "no dataset found" in lumos("snap", "search", "zebra").out
    text = (shop / ORDERS).read_text()
    (shop / ORDERS).write_text(text.replace('"description": "', '"description": "Zebra ', 1))
    assert "1 dataset found" in lumos("snap", "search", "zebra").out
    subprocess.run(["git", "checkout", "-q", "."], cwd=shop, check=True)
    assert "no dataset found" in lumos("snap", "search", "zebra").out


def test_git_does_not_see_a_search(lumos: Lumos, shop: Path) -> None:
    lumos("snap", "search", "orders")
    done = subprocess.run(
        ["git", "status", "--porcelain"], cwd=shop, check=True, capture_output=True
    )
    assert done.stdout == b""
    assert lumos("snap", "validate").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "there is nothing to search for"),
        ([""], "there is nothing to search for"),
        (["--min-quality", "good", "orders"], "'good' is no quality"),
        (["--min-quality", "0.9"], "there is nothing to search for"),
        (["--type", "NUMBER"], "there is no type 'NUMBER'"),
        (["orders", "--limit", "-1"], "Invalid value for '--limit'"),
        (["orders", "-C", "/nope"], "there is no such folder"),
        (["--nope"], "No such option"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line_and_exit_2(
    arguments: list[str], says: str, lumos: Lumos, shop: Path
) -> None:
    ran = lumos("snap", "search", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_a_bare_repository_has_no_files_to_search(
    lumos: Lumos, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(shop), str(bare)], check=True)
    monkeypatch.setenv("GIT_DIR", str(bare))
    ran = lumos("snap", "search", "orders", "-C", bare)
    assert (ran.code, "a bare repository has no working tree" in ran.err) == (2, True)
    assert not (bare / ".lumos").exists()


@pytest.mark.parametrize("word", ["a\udcffb", '"', "NEAR(", "-x", "x" * 10_000])
def test_odd_arguments_end_well(word: str, shop: Path) -> None:
    arguments = ("-m", "lumos_snap", "snap", "search", "--json", "--", word)
    command = [os.fsencode(one) for one in (sys.executable, *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_hostile_metadata_cannot_move_the_cursor(lumos: Lumos, shop: Path) -> None:
    text = (shop / ORDERS).read_text()
    (shop / ORDERS).write_text(
        text.replace('"description": "', '"description": "\\u001b[2Jneedle\\n::error::', 1)
    )
    ran = lumos("snap", "search", "needle", "\x1b[31m")
    assert "\x1b" not in ran.out
    assert not [line for line in ran.out.splitlines() if line.startswith("::")]


@pytest.mark.slow
def test_a_search_of_an_index_loads_no_validator(shop: Path) -> None:
    program = (
        "import sys; from lumos_snap.cli import main; main(['snap', 'search', 'orders']);"
        "print([n for n in ('pydantic_core', 'rich', 'yaml', 'git', 'deepdiff', 'difflib')"
        " if n in sys.modules], file=sys.stderr)"
    )
    time.sleep(2.5)  # what was written just now is read again
    first, second = (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert (first.stdout, second.stderr) == (second.stdout, "[]\n")

"""Every command, as a person calls it, on a real tree in a real repository."""

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from jsonschema import Draft202012Validator

from lumos_snap.commands.init import DRIVERS
from lumos_snap.commands.schema import CATALOG, read_schema
from lumos_snap.config import load_config
from tests.cli.conftest import Lumos, Ran

ORDERS = "snapshots/iceberg/lake/silver/orders.json"
KAFKA = "snapshots/kafka/prod/shop.orders.v1.json"


def _valid(ran: Ran, name: str) -> None:
    schema = orjson.loads(read_schema(f"output/{name}"))
    Draft202012Validator(schema).validate(ran.json)


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


class TestInit:
    def test_writes_what_a_tree_needs(self, lumos: Lumos, empty: Path) -> None:
        ran = lumos("snap", "init", "--environment", "PROD", "--json")
        _valid(ran, "init")
        assert set(ran.json["written"]) == {
            "lumos.yaml",
            ".gitignore",
            ".gitattributes",
            ".prettierignore",
        }
        assert lumos("snap", "validate").code == 0
        assert (empty / ".gitignore").read_text() == ".lumos/\nobservations/\n"
        assert "eol=lf" in (empty / ".gitattributes").read_text()

    def test_a_catalog_is_one_line_without_its_hash(self, lumos: Lumos, empty: Path) -> None:
        lumos("snap", "init")
        settings = empty / "lumos.yaml"
        settings.write_text(settings.read_text().replace("# catalogs:", "catalogs:"))
        (catalog,) = load_config(empty).catalogs
        assert (catalog.name, catalog.type) == ("prod", "datahub")

    def test_is_safe_to_repeat(self, lumos: Lumos, empty: Path) -> None:
        lumos("snap", "init", "--track-observations")
        before = {path: path.read_bytes() for path in empty.iterdir() if path.is_file()}
        ran = lumos("snap", "init", "--environment", "TEST", "--json")
        assert ran.json["written"] == ran.json["extended"] == []
        assert {path: path.read_bytes() for path in empty.iterdir() if path.is_file()} == before
        assert "observations/" not in (empty / ".gitignore").read_text()

    def test_keeps_what_a_team_has_written(self, lumos: Lumos, empty: Path) -> None:
        (empty / ".gitignore").write_bytes(b"*.tmp\r\n.lumos")
        ran = lumos("snap", "init", "--json")
        assert ".gitignore" in ran.json["extended"]
        assert (empty / ".gitignore").read_bytes() == b"*.tmp\r\n.lumos\nobservations/\n"

    def test_git_learns_to_merge_and_show_columns(self, lumos: Lumos, empty: Path) -> None:
        _git(empty, "init", "-q")
        ran = lumos("snap", "init", "meta", "--json")
        _valid(ran, "init")
        assert ran.json["configured"] == list(DRIVERS)
        for name, value in DRIVERS.items():
            assert _git(empty, "config", "--local", name) == f"{value}\n"
        assert (empty / "meta/.gitattributes").read_text() == (
            "snapshots/**/*.json text eol=lf merge=lumos diff=lumos\n"
            "entities/**/*.json text eol=lf merge=lumos diff=lumos\n"
            "observations/**/*.json text eol=lf merge=lumos diff=lumos\n"
        )
        assert "set       diff.lumos and merge.lumos" not in lumos("snap", "init", "meta").out

    def test_a_driver_that_somebody_has_set_stays(self, lumos: Lumos, empty: Path) -> None:
        _git(empty, "init", "-q")
        _git(empty, "config", "merge.lumos.driver", "/opt/lumos snap merge-driver %O %A %B")
        ran = lumos("snap", "init", "--json")
        assert "merge.lumos.driver" not in ran.json["configured"]
        assert _git(empty, "config", "merge.lumos.driver").startswith("/opt/lumos ")

    def test_outside_a_repository_the_rest_is_done(self, lumos: Lumos, empty: Path) -> None:
        ran = lumos("snap", "init")
        assert ran.code == 0
        assert "not in a git repository: run `git init`" in ran.out
        assert (empty / ".gitattributes").exists()

    def test_attributes_of_an_older_version_are_brought_up_to_date(
        self, lumos: Lumos, empty: Path
    ) -> None:
        file = empty / ".gitattributes"
        file.write_bytes(
            b"*.png binary\r\n  snapshots/**/*.json text eol=lf\r\n"
            b"entities/**/*.json text eol=lf linguist-generated\n"
        )
        assert lumos("snap", "init", "--json").json["extended"] == [".gitattributes"]
        assert file.read_bytes() == (
            b"*.png binary\r\n  snapshots/**/*.json text eol=lf merge=lumos diff=lumos\r\n"
            b"entities/**/*.json text eol=lf linguist-generated\n"
            b"entities/**/*.json text eol=lf merge=lumos diff=lumos\n"
            b"observations/**/*.json text eol=lf merge=lumos diff=lumos\n"
        )
        assert lumos("snap", "init", "--json").json["extended"] == []

    def test_never_overwrites_settings_that_it_cannot_read(self, lumos: Lumos, empty: Path) -> None:
        (empty / "lumos.yaml").write_text("version: [")
        ran = lumos("snap", "init")
        assert ran.code == 2
        assert "lumos.yaml:2:1: is not valid YAML" in ran.err
        assert (empty / "lumos.yaml").read_text() == "version: ["

    def test_a_missing_folder_is_made(self, lumos: Lumos, empty: Path) -> None:
        assert lumos("snap", "init", "new/tree").code == 0
        assert lumos("snap", "validate", "-C", "new/tree").code == 0

    def test_a_file_is_no_place_for_a_tree(self, lumos: Lumos, empty: Path) -> None:
        (empty / "file").write_text("")
        ran = lumos("snap", "init", "file")
        assert (ran.code, "is no folder" in ran.err) == (2, True)

    def test_an_odd_environment_survives(self, lumos: Lumos, empty: Path) -> None:
        assert lumos("snap", "init", "--environment", 'a"b: #\\').code == 0
        assert lumos("snap", "validate").code == 0


class TestFmt:
    def test_leaves_a_canonical_tree_alone(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "fmt", "--json")
        _valid(ran, "fmt")
        assert (ran.code, ran.json["changed"]) == (0, [])
        assert _git(shop, "status", "--short") == ""

    def test_restores_the_one_layout(self, lumos: Lumos, shop: Path) -> None:
        document = json.loads((shop / KAFKA).read_text())
        shuffled = dict(reversed(document.items()))
        (shop / KAFKA).write_text("\ufeff" + json.dumps(shuffled, indent=3))
        assert lumos("snap", "fmt", "--check").code == 1
        ran = lumos("snap", "fmt", "--json")
        assert (ran.code, ran.json["changed"]) == (0, [KAFKA])
        assert _git(shop, "diff", "--stat") == ""

    def test_check_writes_nothing(self, lumos: Lumos, shop: Path) -> None:
        (shop / KAFKA).write_text(json.dumps(json.loads((shop / KAFKA).read_text())))
        before = (shop / KAFKA).read_bytes()
        ran = lumos("snap", "fmt", "--check")
        assert ran.code == 1
        assert f"would format {KAFKA}" in ran.out
        assert (shop / KAFKA).read_bytes() == before

    def test_leaves_alone_what_it_cannot_read_and_formats_the_rest(
        self, lumos: Lumos, shop: Path
    ) -> None:
        (shop / KAFKA).write_text(json.dumps(json.loads((shop / KAFKA).read_text())))
        (shop / ORDERS).write_text('{"a": 1, "a": 2}')
        ran = lumos("snap", "fmt", "--json")
        assert ran.code == 1
        assert ran.json["changed"] == [KAFKA]
        assert {f["path"] for f in ran.json["findings"]} == {ORDERS}
        assert (shop / ORDERS).read_text() == '{"a": 1, "a": 2}'

    def test_only_the_named_paths(
        self, lumos: Lumos, shop: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for path in (KAFKA, ORDERS):
            (shop / path).write_text(json.dumps(json.loads((shop / path).read_text())))
        monkeypatch.chdir(shop / "snapshots/kafka")
        ran = lumos("snap", "fmt", "prod", "--json")
        assert ran.json["changed"] == [KAFKA]
        assert lumos("snap", "fmt", "../iceberg/lake/silver/orders.json", "--json").json[
            "changed"
        ] == [ORDERS]


class TestValidate:
    def test_the_example_is_valid(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "validate", "--json")
        _valid(ran, "validate")
        assert (ran.code, ran.json["findings"]) == (0, [])
        assert ran.json["checked"] == 39

    def test_each_finding_has_a_place_a_rule_and_a_fix(self, lumos: Lumos, shop: Path) -> None:
        text = (shop / ORDERS).read_text()
        (shop / ORDERS).write_text(text.replace('"type": "STRING"', '"type": "STRNG"', 1))
        ran = lumos("snap", "validate")
        assert ran.code == 1
        line = ran.out.splitlines()[0]
        assert line.startswith(f"{ORDERS}:27:")
        assert "structure: " in line
        assert "did you mean `STRING`?" in line

    def test_a_ref_is_read_without_a_checkout(self, lumos: Lumos, shop: Path) -> None:
        (shop / ORDERS).write_text("{")
        assert lumos("snap", "validate").code == 1
        ran = lumos("snap", "validate", "--ref", "HEAD", "--json")
        assert (ran.code, ran.json["source"], ran.json["checked"]) == (0, "HEAD", 39)

    @pytest.mark.parametrize("ref", ["nope", "--help", "main..main", ""])
    def test_an_unknown_ref_is_never_an_empty_tree(
        self, lumos: Lumos, shop: Path, ref: str
    ) -> None:
        for arguments in (
            ["validate", f"--ref={ref}"],
            ["ls", f"--at={ref}"],
            ["export", f"--at={ref}"],
        ):
            ran = lumos("snap", *arguments)
            assert ran.code in (2, 3)
            assert ran.out == ""

    def test_a_misplaced_file_is_told_where_it_belongs(self, lumos: Lumos, shop: Path) -> None:
        (shop / ORDERS).rename(shop / "snapshots/iceberg/lake/elsewhere.json")
        ran = lumos("snap", "validate")
        assert "misplaced: belongs at snapshots/iceberg/lake/silver/orders.json" in ran.out

    def test_another_environment_is_found(self, lumos: Lumos, shop: Path) -> None:
        text = (shop / ORDERS).read_text()
        (shop / ORDERS).write_text(text.replace('"environment": "PROD"', '"environment": "DEV"'))
        assert "environment `DEV` is not the tree's `PROD`" in lumos("snap", "validate").out

    def test_links_and_stray_files_are_found(self, lumos: Lumos, shop: Path) -> None:
        (shop / "snapshots/link.json").symlink_to(shop / ORDERS)
        (shop / "snapshots/notes.txt").write_text("")
        (shop / "snapshots/loop").symlink_to(shop / "snapshots")
        (shop / "snapshots/.hidden").write_text("")
        ran = lumos("snap", "validate", "--json")
        assert [(f["path"], f["rule"]) for f in ran.json["findings"]] == [
            ("snapshots/link.json", "not-a-document"),
            ("snapshots/loop", "not-a-document"),
            ("snapshots/notes.txt", "not-a-document"),
        ]

    def test_settings_are_checked_too(self, lumos: Lumos, shop: Path) -> None:
        (shop / "lumos.yaml").write_text("version: 1\nenviroment: PROD\n")
        ran = lumos("snap", "validate")
        assert ran.code == 1
        assert "lumos.yaml:2:1: structure: `enviroment` is not a known key" in ran.out
        assert "(did you mean `environment`?)" in ran.out

    def test_the_limit_is_named(self, lumos: Lumos, shop: Path) -> None:
        for path in shop.glob("snapshots/**/*.json"):
            path.write_text("{")
        ran = lumos("snap", "validate", "--limit", "3")
        assert "… and 9 more findings: --limit 0 shows all" in ran.out
        assert len(lumos("snap", "validate", "--limit", "0").out.splitlines()) == 13

    def test_a_newer_format_is_refused_with_a_clear_word(self, lumos: Lumos, shop: Path) -> None:
        text = (shop / ORDERS).read_text()
        (shop / ORDERS).write_text(text.replace('"1.0.0"', '"1.7.0"', 1))
        assert (
            "newer-format: has format 1.7.0, and this version knows 1.0.0"
            in lumos("snap", "validate").out
        )

    def test_a_path_outside_the_tree_is_refused(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "validate", "/etc/passwd")
        assert (ran.code, "is in no shape that is known" in ran.err) == (2, True)

    def test_a_path_that_is_not_there_is_refused(self, lumos: Lumos, shop: Path) -> None:
        assert lumos("snap", "validate", "snapshots/nope").code == 2

    def test_hostile_names_cannot_move_the_cursor(self, lumos: Lumos, shop: Path) -> None:
        name = b"\x1b[2J\n::error::\xff.json"
        Path(os.fsdecode(bytes(shop / "snapshots") + b"/" + name)).write_bytes(b"{")
        ran = lumos("snap", "validate")
        assert "\x1b" not in ran.out
        assert "\\x1b[2J\\n::error::\\xff.json:1:2: unreadable" in ran.out
        _valid(lumos("snap", "validate", "--json"), "validate")


class TestLs:
    def test_lists_everything(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "ls", "--json")
        _valid(ran, "ls")
        assert len(ran.json["datasets"]) == 12

    @pytest.mark.parametrize(
        ("arguments", "names"),
        [
            (["orders"], {"orders"}),
            (["*/silver/*"], {"customers", "orders"}),
            (["lumos://kafka/*"], {"shop.orders.v1"}),
            (
                ["--platform", "kafka", "--platform", "delta"],
                {"shop.orders.v1", "daily_revenue", "customer_features"},
            ),
            (["--tag", "cdc"], {"shop.orders.v1"}),
            (["--owner", "tom.becker", "--tag", "certified"], {"daily_revenue"}),
            (["--domain", "web"], {"web_events"}),
            (["--domain", "nope"], set()),
        ],
    )
    def test_filters_hold_together(
        self, lumos: Lumos, shop: Path, arguments: list[str], names: set[str]
    ) -> None:
        ran = lumos("snap", "ls", *arguments, "--json")
        assert ran.code == 0
        assert {dataset["name"] for dataset in ran.json["datasets"]} == names

    @pytest.mark.parametrize(
        "change",
        [
            {"storage": {"format": 5}},
            {"governance": {"tags": [1, 2]}},
            {"governance": {"tags": "abc"}},
            {"documentation": {"description": [1]}},
            {"ownership": {"owners": [{}]}},
            {"ownership": 7},
            {"urn": 5},
            {"lumos_version": "1.9.0"},
        ],
        ids=str,
    )
    def test_a_wrong_type_is_a_finding(
        self, lumos: Lumos, shop: Path, change: dict[str, object]
    ) -> None:
        document = json.loads((shop / ORDERS).read_text())
        (shop / ORDERS).write_text(json.dumps({**document, **change}))
        ran = lumos("snap", "ls", "--json")
        _valid(ran, "ls")
        assert (ran.code, len(ran.json["datasets"])) == (1, 11)
        assert [f["path"] for f in ran.json["findings"]] == [ORDERS]

    def test_names_files_that_cannot_be_read_and_lists_the_rest(
        self, lumos: Lumos, shop: Path
    ) -> None:
        (shop / ORDERS).write_text('{"urn": 5}')
        (shop / KAFKA).write_text("[]")
        ran = lumos("snap", "ls", "--json")
        assert ran.code == 1
        assert len(ran.json["datasets"]) == 10
        assert [f["path"] for f in ran.json["findings"]] == [ORDERS, KAFKA]

    def test_as_it_was(self, lumos: Lumos, shop: Path) -> None:
        (shop / ORDERS).unlink()
        assert len(lumos("snap", "ls", "--json").json["datasets"]) == 11
        assert len(lumos("snap", "ls", "--at", "main", "--json").json["datasets"]) == 12


class TestShow:
    @pytest.mark.parametrize(
        "dataset",
        [
            "lumos://iceberg/lake/silver/orders",
            ORDERS,
            f"./{ORDERS}",
            "silver/orders",
            "lake/silver/orders.json",
        ],
    )
    def test_a_dataset_is_named_as_people_name_it(
        self, lumos: Lumos, shop: Path, dataset: str
    ) -> None:
        ran = lumos("snap", "show", dataset, "--json")
        _valid(ran, "show")
        assert ran.json["snapshot"]["urn"] == "lumos://iceberg/lake/silver/orders"
        assert ran.json["downstream"] == [
            "lumos://delta/lake/features/customer_features",
            "lumos://delta/lake/gold/daily_revenue",
        ]

    @pytest.mark.parametrize(
        "variables",
        [{}, {"FORCE_COLOR": "1"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}],
        ids=str,
    )
    def test_a_pipe_gets_no_color(
        self, lumos: Lumos, shop: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
    ) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert "\x1b" not in lumos("snap", "show", "silver/orders").out

    @pytest.mark.parametrize(("no_color", "is_colored"), [("", True), ("1", False)])
    def test_a_terminal_gets_color_unless_it_is_unwelcome(
        self, shop: Path, no_color: str, is_colored: bool
    ) -> None:
        command = f"{sys.executable} -m lumos_snap snap show silver/orders"
        done = subprocess.run(
            ["script", "-qec", command, "/dev/null"],
            env={**os.environ, "NO_COLOR": no_color, "TERM": "xterm-256color"},
            capture_output=True,
            check=True,
        )
        assert (b"\x1b[" in done.stdout) == is_colored

    def test_a_page_shows_both_kinds_of_words(self, lumos: Lumos, shop: Path) -> None:
        page = lumos("snap", "show", "silver/orders").out
        assert "Price of one piece" in page
        assert "placed, paid, shipped" in page
        assert "\x1b" not in page
        assert all(line == line.rstrip() for line in page.splitlines())

    def test_several_meanings_are_listed(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "show", "orders")
        assert (ran.code, "may mean 3 datasets" in ran.err) == (2, True)

    @pytest.mark.parametrize(
        "dataset", ["ordres", "lumos://iceberg/lake/silver/ordres", "lumos://", "no/such"]
    )
    def test_an_unknown_dataset_is_exit_2(self, lumos: Lumos, shop: Path, dataset: str) -> None:
        ran = lumos("snap", "show", dataset)
        assert ran.code == 2
        assert "→" in ran.err

    def test_a_broken_snapshot_is_named_with_its_place(self, lumos: Lumos, shop: Path) -> None:
        (shop / ORDERS).write_text('{\n "urn": 5}')
        ran = lumos("snap", "show", ORDERS)
        assert (ran.code, f"{ORDERS}:" in ran.err) == (2, True)

    def test_a_broken_neighbour_does_not_matter(self, lumos: Lumos, shop: Path) -> None:
        (shop / KAFKA).write_text('{"lineage": 5, "x": "lumos://iceberg/lake/silver/orders"}')
        assert lumos("snap", "show", "silver/orders").code == 0

    def test_hostile_words_are_inert(self, lumos: Lumos, shop: Path) -> None:
        text = (shop / ORDERS).read_text()
        hostile = json.dumps("\x1b[31m[bold]x[/bold]\u202e\r")
        (shop / ORDERS).write_text(text.replace('"Orders"', hostile).replace('"commerce"', hostile))
        page = lumos("snap", "show", ORDERS).out
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert "\\x1b[31m[bold]x[/bold]" in page


class TestExportAndImport:
    def test_a_tree_comes_back_as_the_same_bytes(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        document, copy = tmp_path / "shop.json", tmp_path / "copy"
        assert lumos("snap", "export", "-o", document).code == 0
        copy.mkdir()
        lumos("snap", "init", copy, "--track-observations")
        ran = lumos("snap", "import", document, "-C", copy, "--json")
        _valid(ran, "import")
        assert (ran.code, ran.json["datasets"], ran.json["entities"], ran.json["observations"]) == (
            0,
            12,
            24,
            3,
        )
        for folder in ("snapshots", "entities", "observations"):
            assert _files(shop / folder) == _files(copy / folder)
        again = lumos("snap", "import", document, "-C", copy, "--json").json
        assert (again["written"], again["unchanged"]) == ([], 39)

    def test_an_export_is_valid_by_its_own_schema_and_command(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        document = tmp_path / "shop.json"
        document.write_text(lumos("snap", "export").out)
        Draft202012Validator(orjson.loads(read_schema("export"))).validate(
            json.loads(document.read_text())
        )
        assert lumos("snap", "validate", document).code == 0
        assert json.loads(document.read_text())["statistics"]["datasets"] == 12

    def test_downstream_is_filled_in(self, lumos: Lumos, shop: Path) -> None:
        exported = {d["urn"]: d for d in json.loads(lumos("snap", "export").out)["datasets"]}
        raw = exported["lumos://s3/shop-lake/raw/orders"]
        assert raw["lineage"]["downstream"] == ["lumos://iceberg/lake/silver/orders"]

    def test_the_same_commit_gives_the_same_bytes(self, lumos: Lumos, shop: Path) -> None:
        first = lumos("snap", "export", "--at", "HEAD").out
        assert first == lumos("snap", "export", "--at", "main").out
        assert json.loads(first)["export_timestamp"] == "2026-01-15T10:00:00Z"

    def test_a_broken_export_is_refused_whole_with_its_places(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        document = tmp_path / "shop.json"
        document.write_text(lumos("snap", "export").out.replace('"STRING"', '"STRNG"', 2))
        ran = lumos("snap", "import", document, "--overwrite", "--json")
        assert (ran.code, ran.json["written"]) == (1, [])
        assert [f["path"] for f in ran.json["findings"]] == [str(document)] * 2
        assert (
            lumos("snap", "validate", document, "--json").json["findings"] == ran.json["findings"]
        )

    def test_a_copy_in_the_wrong_place_is_found_before_the_export(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        (shop / "snapshots/s3/copy.json").write_bytes((shop / ORDERS).read_bytes())
        (shop / KAFKA).write_text("{")
        target = tmp_path / "backup.json"
        target.write_text("the last good one")
        ran = lumos("snap", "export", "-o", target)
        assert ran.code == 1
        assert "snapshots/s3/copy.json:3:3: misplaced" in ran.err
        assert f"{KAFKA}:1:2: unreadable" in ran.err
        assert target.read_text() == "the last good one"

    @pytest.mark.parametrize("how", ["link", "fifo", "yaml"])
    def test_nothing_is_left_out_in_silence(self, lumos: Lumos, shop: Path, how: str) -> None:
        file = shop / ORDERS
        content = file.read_bytes()
        file.unlink()
        if how == "link":
            (shop / "real.json").write_bytes(content)
            file.symlink_to(shop / "real.json")
        elif how == "fifo":
            os.mkfifo(file)
        else:
            file.with_suffix(".yaml").write_bytes(content)
        ran = lumos("snap", "export")
        assert (ran.code, ran.out) == (1, "")
        assert "not-a-document" in ran.err

    @pytest.mark.parametrize("target", ["lumos.yaml", ORDERS, "snapshots/x.json", ".lumos/x"])
    def test_an_export_never_lands_in_a_tree(self, lumos: Lumos, shop: Path, target: str) -> None:
        ran = lumos("snap", "export", "-o", target)
        assert (ran.code, "is a part of a tree" in ran.err) == (2, True)
        assert _git(shop, "status", "--short") == ""

    def test_an_export_of_nothing_is_refused(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "export", "nomatch")
        assert (ran.code, ran.out, "no dataset matches nomatch" in ran.err) == (2, "", True)

    def test_a_dash_is_the_standard_output(self, lumos: Lumos, shop: Path) -> None:
        assert lumos("snap", "export", "-o", "-").out == lumos("snap", "export").out
        assert not (shop / "-").exists()

    def test_a_urn_that_no_path_can_hold_does_not_come_in(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        document = json.loads(lumos("snap", "export").out)
        name = "x" * 5000
        long = {
            "lumos_version": "1.0.0",
            "urn": f"lumos://s3/{name}",
            "name": name,
            "platform": "s3",
        }
        document["datasets"].append(long)
        (tmp_path / "long.json").write_text(json.dumps(document))
        ran = lumos("snap", "validate", tmp_path / "long.json")
        assert (ran.code, "longer than 1000 characters" in ran.out) == (1, True)
        assert lumos("snap", "import", tmp_path / "long.json").code == 1

    def test_a_device_is_no_document(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("snap", "import", "/dev/zero")
        assert (ran.code, "is a device" in ran.err) == (2, True)

    def test_an_export_replaces_its_file_whole(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        target = tmp_path / "backup.json"
        target.write_text("x" * 10_000_000)
        target.chmod(0o640)
        assert lumos("snap", "export", "-o", target).code == 0
        assert json.loads(target.read_text())["document"] == "lumos-export"
        assert target.stat().st_mode & 0o777 == 0o640
        assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []

    @pytest.mark.parametrize("target", ["nowhere/backup.json", "."])
    def test_an_export_needs_a_place_for_a_file(
        self, lumos: Lumos, shop: Path, target: str
    ) -> None:
        ran = lumos("snap", "export", "-o", target)
        assert (ran.code, "→" in ran.err) == (2, True)

    def test_a_part_still_knows_what_is_made_from_it(self, lumos: Lumos, shop: Path) -> None:
        (dataset,) = json.loads(lumos("snap", "export", "*/silver/orders").out)["datasets"]
        assert len(dataset["lineage"]["downstream"]) == 2

    def test_a_document_may_come_through_a_pipe(self, shop: Path, tmp_path: Path) -> None:
        script = (
            "mkdir ../piped && $L snap init ../piped"
            " && $L snap export | $L snap import - -C ../piped"
        )
        lumos = f"{sys.executable} -m lumos_snap"
        done = subprocess.run(["bash", "-c", script.replace("$L", lumos)], check=True, cwd=shop)
        assert done.returncode == 0
        assert _files(shop / "snapshots") == _files(shop.parent / "piped/snapshots")

    def test_keys_in_another_order_are_the_same_export(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        document = tmp_path / "sorted.json"
        document.write_text(json.dumps(json.loads(lumos("snap", "export").out), sort_keys=True))
        assert lumos("snap", "validate", document).code == 0
        assert lumos("snap", "import", document, "--json").json["unchanged"] == 39

    def test_another_environment_does_not_come_in(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "dev").mkdir()
        lumos("snap", "init", tmp_path / "dev", "--environment", "DEV")
        lumos("snap", "export", "-o", tmp_path / "prod.json")
        ran = lumos("snap", "import", tmp_path / "prod.json", "-C", tmp_path / "dev")
        assert ran.code == 1
        assert "environment `PROD` is not the tree's `DEV`" in ran.out
        assert not (tmp_path / "dev/snapshots").exists()

    def test_what_is_there_and_differs_stays(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        document = tmp_path / "shop.json"
        lumos("snap", "export", "-o", document)
        (shop / ORDERS).write_text(
            (shop / ORDERS).read_text().replace("Finance and growth", "Growth")
        )
        ran = lumos("snap", "import", document, "--json")
        assert (ran.code, [f["path"] for f in ran.json["findings"]]) == (1, [ORDERS])
        assert "Growth" in (shop / ORDERS).read_text()
        assert lumos("snap", "import", document, "--overwrite", "--dry-run", "--json").json[
            "written"
        ] == [ORDERS]
        assert "Growth" in (shop / ORDERS).read_text()
        assert lumos("snap", "import", document, "--overwrite").code == 0
        assert _git(shop, "diff", "--stat") == ""

    @pytest.mark.parametrize("name", ["lumos_export.json", "lumos_snapshot.yaml"])
    def test_older_shapes_become_a_valid_tree(
        self, lumos: Lumos, root: Path, empty: Path, name: str
    ) -> None:
        lumos("snap", "init")
        ran = lumos("snap", "import", root / "examples/older" / name, "--json")
        _valid(ran, "import")
        assert ran.code == 0
        assert ran.json["notes"]
        assert lumos("snap", "validate").code == 0

    @pytest.mark.parametrize(
        ("name", "content", "code"),
        [
            ("no.json", None, 2),
            ("list.json", b"[]", 2),
            ("other.json", b'{"a": 1}', 2),
            ("other.yaml", b"a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n", 2),
            ("empty.json", b"", 1),
            ("cut.json", b'{"datasets": [', 1),
            ("deep.json", b"[" * 5000, 1),
            ("bytes.json", b"\xff\xfe{", 1),
            ("same.json", b'{"datasets": [], "datasets": []}', 1),
            ("tag.yaml", b"!!python/object/apply:os.system ['true']", 1),
            ("twice.yaml", b"a: 1\na: 2\n", 1),
            ("tabs.yaml", b"a:\n\t- b", 1),
        ],
    )
    def test_a_document_that_cannot_be_read_is_one_line(
        self, lumos: Lumos, shop: Path, tmp_path: Path, name: str, content: bytes | None, code: int
    ) -> None:
        file = tmp_path / name
        if content is not None:
            file.write_bytes(content)
        ran = lumos("snap", "import", file)
        assert ran.code == code
        assert str(file) in (ran.err if code == 2 else ran.out)
        assert len(ran.err.splitlines()) <= 2
        assert _git(shop, "status", "--short") == ""

    def test_a_yaml_bomb_is_refused_in_bounded_time(
        self, lumos: Lumos, shop: Path, tmp_path: Path
    ) -> None:
        names = "abcdefghijklmnop"
        lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"{n}: &{n} [{', '.join([f'*{p}'] * 10)}]" for p, n in itertools.pairwise(names)]
        (tmp_path / "bomb.yaml").write_text("\n".join(lines))
        ran = lumos("snap", "import", tmp_path / "bomb.yaml")
        assert (ran.code, "holds more than 250,000 values" in ran.out) == (1, True)


class TestMigrateFormat:
    def test_an_older_file_in_the_tree_is_upgraded_in_place(
        self, lumos: Lumos, root: Path, shop: Path
    ) -> None:
        older = json.loads((root / "examples/older/lumos_export.json").read_text())["datasets"][0]
        place = shop / "snapshots/snowflake/customers_old.json"
        place.write_text(json.dumps(older))
        assert "older-format: is in an older shape" in lumos("snap", "validate").out
        assert lumos("snap", "migrate-format", "--check").code == 1
        assert place.exists()
        ran = lumos("snap", "migrate-format", "--json")
        _valid(ran, "migrate-format")
        assert (ran.code, ran.json["changed"]) == (0, ["snapshots/snowflake/customers_old.json"])
        assert not place.exists()
        assert lumos("snap", "validate").code == 0
        assert lumos("snap", "migrate-format", "--json").json["changed"] == []

    def test_a_version_that_nothing_leads_from_is_named_and_left(
        self, lumos: Lumos, shop: Path
    ) -> None:
        text = (shop / ORDERS).read_text().replace('"1.0.0"', '"0.9.0"', 1)
        (shop / ORDERS).write_text(text)
        ran = lumos("snap", "migrate-format", "--json")
        assert (ran.code, [f["rule"] for f in ran.json["findings"]]) == (1, ["older-format"])
        assert (shop / ORDERS).read_text() == text

    def test_a_newer_file_is_named_and_left(self, lumos: Lumos, shop: Path) -> None:
        text = (shop / ORDERS).read_text().replace('"1.0.0"', '"2.0.0"', 1)
        (shop / ORDERS).write_text(text)
        ran = lumos("snap", "migrate-format", "--json")
        assert (ran.code, [f["rule"] for f in ran.json["findings"]]) == (1, ["newer-format"])
        assert (shop / ORDERS).read_text() == text


class TestDoctorAndSchema:
    def test_a_healthy_tree(self, lumos: Lumos, shop: Path) -> None:
        ran = lumos("doctor", "--json")
        _valid(ran, "doctor")
        assert ran.code == 0
        health = {check["name"]: check["health"] for check in ran.json["checks"]}
        assert {
            health[name] for name in ("lumos", "python", "git", "lumos.yaml", "tree", "repository")
        } == {"ok"}
        assert {health[name] for name in ("extra [scan]", "extra [datahub]")} == {"ok"}

    def test_a_new_clone_is_told_how_to_merge(
        self, lumos: Lumos, shop: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def said() -> tuple[str, str]:
            checks = {check["name"]: check for check in lumos("doctor", "--json").json["checks"]}
            return checks["merge driver"]["health"], checks["merge driver"]["found"]

        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        assert said() == ("optional", "git merges documents as plain text")
        lumos("snap", "init")
        assert said()[0] == "ok"
        _git(shop, "add", "-A")
        _git(shop, "commit", "-qm", "Init")
        _git(shop, "clone", "-q", ".", "../clone")
        monkeypatch.chdir(shop.parent / "clone")
        ran = lumos("doctor")
        assert ran.code == 0
        assert "this clone lacks merge.lumos.name" in ran.out
        assert "→ `lumos snap init`, once in each clone; it is safe to repeat" in ran.out
        lumos("snap", "init")
        assert said()[0] == "ok"
        git = shutil.which("git")
        assert git is not None
        (shop.parent / "bin").mkdir()
        (shop.parent / "bin/git").symlink_to(git)
        monkeypatch.setenv("PATH", str(shop.parent / "bin"))
        assert said() == ("warning", "git finds no `lumos` on PATH")

    def test_every_missing_thing_has_a_fix(
        self, lumos: Lumos, empty: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(empty))
        ran = lumos("doctor", "--json")
        assert ran.code == 1
        assert [c["name"] for c in ran.json["checks"] if c["health"] != "ok" and not c["fix"]] == []
        assert {c["name"] for c in ran.json["checks"] if c["health"] == "problem"} >= {"git"}

    @pytest.mark.parametrize(
        ("version", "health", "found"),
        [
            ("3.4.4", "warning", "too old"),
            ("3.5.0", "ok", "supported (3.5 to 4.3)"),
            ("4.3.0", "ok", "supported (3.5 to 4.3)"),
            ("5.0.0.dev1", "ok", "newer than 4.3, the newest that was tried"),
        ],
    )
    def test_it_knows_which_versions_of_pyspark_were_tried(
        self, lumos: Lumos, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        version: str, health: str, found: str,
    ) -> None:  # fmt: skip
        info = tmp_path / f"first/pyspark-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Name: pyspark\nVersion: {version}\n")
        monkeypatch.syspath_prepend(info.parent)
        checks = {check["name"]: check for check in lumos("doctor", "--json").json["checks"]}
        said = checks["pyspark"]
        assert (said["health"], said["found"]) == (health, f"{version}: {found}")
        assert bool(said["fix"]) == (health != "ok")

        monkeypatch.setitem(sys.modules, "distutils", None)  # as on Python 3.12
        checks = {check["name"]: check for check in lumos("doctor", "--json").json["checks"]}
        assert ("needs distutils" in checks["pyspark"]["found"]) == (version == "3.5.0")

    def test_documents_that_git_ignores_are_a_problem(self, lumos: Lumos, shop: Path) -> None:
        moved = shop / "snapshots/file/lake/new.json"
        moved.parent.mkdir(parents=True)
        moved.write_text("{}")
        (shop / ".gitignore").write_text("/lake\nobservations/\n")
        assert "git ignores" not in lumos("doctor").out
        (shop / ".gitignore").write_text("lake\nobservations/\n")
        ran = lumos("doctor")
        assert ran.code == 1
        assert "documents, such as snapshots/file/lake/new.json" in ran.out
        assert "`git check-ignore -v snapshots/file/lake/new.json` names the line" in ran.out

    def test_broken_settings_are_a_problem_with_a_place(self, lumos: Lumos, shop: Path) -> None:
        (shop / "lumos.yaml").write_text("version: 2\n")
        ran = lumos("doctor")
        assert ran.code == 1
        assert "lumos.yaml:1:1: `version` must be at most 1" in ran.out

    @pytest.mark.parametrize("name", sorted(CATALOG))
    def test_every_schema_can_be_printed(self, lumos: Lumos, name: str) -> None:
        assert lumos("schema", name).out.encode() == read_schema(name)

    def test_schemas_are_listed(self, lumos: Lumos) -> None:
        assert lumos("schema").out.split() == list(CATALOG)


def test_outside_a_tree_the_fix_is_named(lumos: Lumos, empty: Path) -> None:
    ran = lumos("snap", "ls")
    assert (ran.code, "lumos snap init" in ran.err) == (2, True)


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.json")}

"""What `validate` rejects, every command that decides rejects too."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Lumos
from tests.cli.test_diff import ORDERS, RAW, add, commit, edit, findings, git, retype, rules

CUSTOMERS = "snapshots/postgres/shop/public/customers.json"
TERM = "entities/glossary/order.json"
OBSERVATION = "observations/delta/lake/gold/daily_revenue.json"
Plant = Callable[[Path], None]


def replaced(path: str, old: bytes, new: bytes) -> Plant:
    def plant(tree: Path) -> None:
        raw = (tree / path).read_bytes()
        assert old in raw
        (tree / path).write_bytes(raw.replace(old, new, 1))

    return plant


def rewritten(path: str, change: Callable[[bytes], bytes]) -> Plant:
    def plant(tree: Path) -> None:
        (tree / path).write_bytes(change((tree / path).read_bytes()))

    return plant


def without_the_last(raw: bytes) -> bytes:
    return raw[:-1]


def moved(tree: Path) -> None:
    (tree / CUSTOMERS).rename((tree / CUSTOMERS).with_name("clients.json"))


def copied_with_mode(tree: Path) -> None:
    replaced(CUSTOMERS, b"\n", b"\r\n")(tree)
    (tree / CUSTOMERS).chmod(0o755)


UNIQUE = b'{"columns": ["email"], "name": "customers_email_key"}'
INVALID: dict[str, tuple[str, Plant]] = {
    "a key twice": (
        "repeated-key",
        replaced(CUSTOMERS, b'"type": "VARCHAR"', b'"type": "INT64", "type": "VARCHAR"'),
    ),
    "a section twice": (
        "repeated-key",
        replaced(CUSTOMERS, b'  "schema": {', b'  "schema": {"fields": []},\n  "schema": {'),
    ),
    "windows line ends": (
        "not-canonical",
        rewritten(CUSTOMERS, lambda raw: raw.replace(b"\n", b"\r\n")),
    ),
    "a byte-order mark": (
        "not-canonical",
        rewritten(CUSTOMERS, lambda raw: b"\xef\xbb\xbf" + raw),
    ),
    "no final newline": ("not-canonical", rewritten(CUSTOMERS, without_the_last)),
    "another indentation": ("not-canonical", replaced(CUSTOMERS, b'  "schema"', b' "schema"')),
    "another order of keys": (
        "not-canonical",
        replaced(
            CUSTOMERS, b'"length": 254, "nullable": false', b'"nullable": false, "length": 254'
        ),
    ),
    "an escape that is not needed": (
        "not-canonical",
        replaced(CUSTOMERS, b'"columns": ["email"]', b'"columns": ["emai\\u006c"]'),
    ),
    "a unique key of no column": (
        "key-column",
        replaced(CUSTOMERS, UNIQUE, UNIQUE.replace(b"email", b"nope", 1)),
    ),
    "a primary key of no column": (
        "key-column",
        rewritten(
            CUSTOMERS, lambda raw: raw.replace(b'"primary_key": ["', b'"primary_key": ["nope", "')
        ),
    ),
    "two columns of one name": (
        "repeated-column",
        replaced(
            CUSTOMERS,
            b'      {"name": "email"',
            b'      {"name": "email", "type": "STRING", "nullable": true},\n      {"name": "email"',
        ),
    ),
    "another environment": (
        "environment",
        rewritten(CUSTOMERS, lambda raw: raw.replace(b'"PROD"', b'"TEST"')),
    ),
    "another urn": (
        "misplaced",
        rewritten(
            CUSTOMERS,
            lambda raw: raw.replace(b"public/customers", b"public/buyers").replace(
                b'"name": "customers"', b'"name": "buyers"'
            ),
        ),
    ),
    "a moved file": ("misplaced", moved),
    "an entity without its final newline": (
        "not-canonical",
        rewritten(TERM, without_the_last),
    ),
    "too large": ("unreadable", rewritten(CUSTOMERS, lambda raw: raw + b" " * (16 << 20))),
    "an observation with a key twice": (
        "repeated-key",
        rewritten(OBSERVATION, lambda raw: raw.replace(b"{", b'{\n  "urn": "lumos://s3/a",', 1)),
    ),
}
COMMANDS = {
    "validate": ("validate",),
    "diff": ("diff", "--base", "main"),
    "gate": ("gate", "--base", "main"),
    "check": ("check",),
    "check --base": ("check", "--base", "main"),
    "bump --dry-run": ("bump", "--dry-run", "--since", "main"),
    "bump": ("bump", "--since", "main"),
    "bump --tag": ("bump", "--tag", "--since", "main"),
    "sync": ("sync",),
    "sync --check": ("sync", "--check"),
    "sync --pull": ("sync", "--pull"),
    "sync --apply": ("sync", "--apply", "--yes"),
}
EACH = pytest.mark.parametrize("name", INVALID)


@pytest.fixture
def branch(shop: Path, tmp_path: Path) -> Path:
    """The example tree with a folder as its catalog, on a branch of its own."""
    text = (shop / "lumos.yaml").read_text()
    catalog = f"catalogs:\n  - {{name: copy, type: files, path: {tmp_path / 'catalog'}}}\n"
    (shop / "lumos.yaml").write_text(text + catalog)
    for path in (CUSTOMERS, RAW):
        edit(shop / path, lambda document: document.update(environment="PROD"))
    commit(shop, "Catalog")
    git(shop, "switch", "-qc", "pr")
    return shop


@EACH
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_accepts_an_invalid_document(
    branch: Path, lumos: Lumos, name: str, command: str
) -> None:
    if command.startswith("sync"):
        if "observation" in name:
            pytest.skip("readings are sent apart, and named apart")
        assert lumos("snap", "sync", "--apply", "--yes").code == 0
    _, plant = INVALID[name]
    plant(branch)
    commit(branch, "Plant")
    planted = git(branch, "rev-parse", "HEAD"), git(branch, "tag")
    assert lumos("snap", *COMMANDS[command]).code == 1
    assert git(branch, "status", "--porcelain") == ""
    assert (git(branch, "rev-parse", "HEAD"), git(branch, "tag")) == planted


@EACH
def test_line_and_column_are_those_of_validate(branch: Path, lumos: Lumos, name: str) -> None:
    rule, plant = INVALID[name]
    plant(branch)
    validated = lumos("snap", "validate", "--json").json["findings"]
    assert {one["rule"] for one in validated} == {rule}
    assert lumos("snap", "diff", "--json").json["damaged"] == validated
    assert lumos("snap", "check", "--json").json["damaged"] == validated


@EACH
def test_the_change_that_repairs_it_passes_and_names_it(
    branch: Path, lumos: Lumos, name: str
) -> None:
    plant = INVALID[name][1]
    git(branch, "switch", "-q", "main")
    plant(branch)
    commit(branch, "Invalid on main")
    git(branch, "switch", "-q", "pr")
    git(branch, "reset", "-q", "--hard", "main")
    edit(branch / ORDERS, add("extra"))
    commit(branch, "Another dataset")
    for command in ("diff", "gate", "check --base"):
        assert lumos("snap", *COMMANDS[command]).code == 0, "it is not touched"
    git(branch, "checkout", "-q", "main~1", "--", "snapshots", "entities", "observations")
    if name == "a moved file":
        (branch / CUSTOMERS).with_name("clients.json").unlink()
    commit(branch, "Repair")
    for command in ("gate", "check --base", "validate"):
        ran = lumos("snap", *COMMANDS[command])
        assert ran.code == 0, ran.out
    if name not in UNNAMED:
        assert "invalid at the base" in lumos("snap", "diff", "--base", "main").out


class TestSync:
    """An invalid document is left out of a sync; the others are written, and none is deleted."""

    @pytest.fixture
    def synced(self, branch: Path, lumos: Lumos) -> Path:
        """The catalog, which holds all that the tree has."""
        assert lumos("snap", "sync", "--apply", "--yes").code == 0
        return branch.parent / "catalog"

    @pytest.mark.parametrize("name", [one for one in INVALID if "observation" not in one])
    def test_the_others_are_written(
        self, branch: Path, synced: Path, lumos: Lumos, name: str
    ) -> None:
        rule, plant = INVALID[name]
        before = (synced / CUSTOMERS).read_bytes()
        plant(branch)
        edit(branch / ORDERS, add("extra"))
        ran = lumos("snap", "sync", "--apply", "--yes")
        assert ran.code == 1
        assert re.search(rf"^(snapshots|entities)/\S+\.json:\d+:\d+: {rule}: ", ran.err)
        assert "1 invalid file left out" in ran.err
        assert "deleted" not in ran.out
        assert (synced / CUSTOMERS).read_bytes() == before
        assert '"extra"' in (synced / ORDERS).read_text()

    def test_reports_name_it(self, branch: Path, synced: Path, lumos: Lumos) -> None:
        INVALID["a key twice"][1](branch)
        damaged = lumos("snap", "validate", "--json").json["findings"]
        assert lumos("snap", "sync", "--json").json["damaged"] == damaged
        edit(branch / ORDERS, add("extra"))
        assert lumos("snap", "sync", "--apply", "--yes", "--json").json["damaged"] == damaged

    def test_an_edit_in_the_catalog_waits_until_it_is_repaired(
        self, branch: Path, synced: Path, lumos: Lumos
    ) -> None:
        raw = (branch / CUSTOMERS).read_bytes()
        replaced(CUSTOMERS, b"The account", b"Edited")(synced)
        rewritten(CUSTOMERS, without_the_last)(branch)
        for option in ("--pull", "--check", "--apply"):
            ran = lumos("snap", "sync", option, *(["--yes"] if option == "--apply" else []))
            assert (ran.code, "conflict" in ran.out) == (1, False)
        assert b"Edited" in (synced / CUSTOMERS).read_bytes()
        (branch / CUSTOMERS).write_bytes(raw)
        assert lumos("snap", "sync", "--pull").code == 0
        assert b"Edited" in (branch / CUSTOMERS).read_bytes()

    def test_a_link_in_its_place_deletes_nothing(
        self, branch: Path, synced: Path, lumos: Lumos
    ) -> None:
        lone = "entities/users/lone.json"
        (branch / lone).write_text('{\n  "lumos_version": "1.0.0",\n  "id": "lone"\n}\n')
        assert lumos("snap", "sync", "--apply", "--yes").code == 0
        (branch / lone).rename(branch.parent / "lone.json")
        (branch / lone).symlink_to(branch.parent / "lone.json")
        ran = lumos("snap", "sync", "--apply", "--yes")
        assert ran.code == 1
        assert f"{lone}:1:1: not-a-document: is not a document: it is a link" in ran.err
        assert (synced / lone).exists()


UNNAMED = {"another environment", "an observation with a key twice", "too large"}
"""A finding of its own tells the environment, and the size; what was measured is not compared."""


def test_a_new_environment_makes_untouched_snapshots_invalid(branch: Path, lumos: Lumos) -> None:
    settings = (branch / "lumos.yaml").read_text()
    (branch / "lumos.yaml").write_text(settings.replace("environment: PROD", "environment: TEST"))
    edit(branch / RAW, lambda document: document.update(environment="TEST"))
    commit(branch, "Another environment")
    for command in ("validate", "diff", "gate", "check", "check --base", "bump"):
        ran = lumos("snap", *COMMANDS[command])
        assert ran.code == 1, command
        assert "environment" in ran.out + ran.err


class TestNothingToSee:
    """A pass over nothing decides nothing."""

    COMMANDS = (
        ("validate",),
        ("check",),
        ("check", "--base", "main"),
        ("sync", "--apply", "--yes"),
    )

    def test_a_sparse_checkout(self, branch: Path, lumos: Lumos) -> None:
        git(branch, "sparse-checkout", "set", "--no-cone", "/*", "!/snapshots/")
        assert not (branch / "snapshots").exists()
        for command in self.COMMANDS:
            ran = lumos("snap", *command)
            assert ran.code == 3, command
            assert "shows no snapshots" in ran.err
            assert "→ `git sparse-checkout list`" in ran.err

    def test_a_folder_in_other_letters(self, branch: Path, lumos: Lumos) -> None:
        git(branch, "switch", "-q", "main")
        git(branch, "mv", "snapshots", "Snapshots")
        commit(branch, "Rename")
        git(branch, "switch", "-qC", "pr")
        for command in (*self.COMMANDS, ("gate", "--base", "main"), ("diff", "--base", "main")):
            ran = lumos("snap", *command)
            assert ran.code == 3, command
            assert "has `Snapshots/` where `snapshots/` is expected" in ran.err + ran.out

    def test_a_change_to_other_letters(self, branch: Path, lumos: Lumos) -> None:
        git(branch, "mv", "snapshots", "Snapshots")
        commit(branch, "Rename")
        for command in ("diff", "gate", "check --base", "bump"):
            ran = lumos("snap", *COMMANDS[command])
            assert ran.code == 3, command
            assert "has `Snapshots/` where `snapshots/` is expected" in ran.err + ran.out

    def test_a_base_that_has_snapshots(self, branch: Path, lumos: Lumos) -> None:
        git(branch, "rm", "-rq", "snapshots")
        commit(branch, "Remove")
        assert lumos("snap", "check", "--base", "main").code == 3
        assert lumos("snap", "diff", "--base", "main").code == 1

    def test_an_empty_tree_is_a_pass(self, empty: Path, lumos: Lumos) -> None:
        git(empty, "init", "-qb", "main")
        lumos("snap", "init")
        commit(empty, "Start")
        for command in (("validate",), ("check",), ("gate", "--base", "main")):
            assert lumos("snap", *command).code == 0


def test_both_the_findings_and_the_fault_are_named(branch: Path, lumos: Lumos) -> None:
    edit(branch / ORDERS, add("extra"))
    rewritten(ORDERS, without_the_last)(branch)
    ran = lumos("snap", "diff", "--json")
    assert rules(ran) == ["field-added"]
    assert findings(ran)[0]["line"] > 1
    assert ran.json["reasons"] == ["1 invalid file"]


def test_two_folders_are_held_to_the_same(shop: Path, tmp_path: Path, lumos: Lumos) -> None:
    shutil.copytree(shop, tmp_path / "old", ignore=shutil.ignore_patterns(".git"))
    rewritten(CUSTOMERS, without_the_last)(shop)
    assert lumos("snap", "diff", tmp_path / "old", shop).code == 1


@pytest.mark.parametrize(("readers", "code"), [(["spark-4"], 1), (["avro"], 0)])
def test_a_decimal_that_a_declared_engine_cannot_read_breaks(
    shop: Path, lumos: Lumos, readers: list[str], code: int
) -> None:
    price = {"type": "DECIMAL", "precision": 10, "scale": 2}
    edit(shop / RAW, lambda document: document.setdefault("contract", {}).update(readers=readers))
    edit(shop / RAW, add("price", **price))
    commit(shop)
    edit(shop / RAW, retype("price", precision=99))
    assert lumos("snap", "diff").code == code
    commit(shop)
    edit(shop / RAW, add("sum", **{**price, "precision": 40, "default": "null"}))
    assert lumos("snap", "diff").code == code


def test_a_mark_on_a_column_that_never_was_breaks(shop: Path, lumos: Lumos) -> None:
    marks = {"fields": [{"path": "coupn", "pii": True}]}
    edit(shop / ORDERS, lambda document: document.update(governance=marks))
    ran = lumos("snap", "diff", "--json")
    assert (ran.code, "mark-without-column" in rules(ran)) == (1, True)
    assert findings(ran)[0]["line"] > 1


def test_two_columns_of_one_name_in_files_that_can_hold_them_break(
    branch: Path, lumos: Lumos
) -> None:
    edit(branch / RAW, add("currency"))
    commit(branch)
    for command in ("diff", "gate"):
        ran = lumos("snap", *COMMANDS[command])
        assert ran.code == 1
        assert "currency#2 has the same name as another column" in ran.out
        assert "letter case" not in ran.out
    assert lumos("snap", "validate").code == 0

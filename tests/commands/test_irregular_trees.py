"""What `fmt`, `validate`, `migrate-format` and `doctor` make of a tree that is not at rest."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lumos_snap.commands.doctor.checks import diagnose
from lumos_snap.commands.fmt import fmt
from lumos_snap.commands.migrate_format import migrate
from lumos_snap.commands.validate import validate
from lumos_snap.errors import LumosError
from lumos_snap.report.command_reports import Checkup, FileFinding, Health
from lumos_snap.tree import Tree, open_tree
from tests.tree.conftest import FILE, KAFKA, nest

OLDER = "snapshots/snowflake/customers_old.json"


def _quiet(_done: int, _total: int) -> None:
    """Nobody watches."""


def _disorder(file: Path) -> bytes:
    content = json.dumps(json.loads(file.read_bytes())).encode()
    file.write_bytes(content)
    return content


def _said(findings: Sequence[FileFinding]) -> list[tuple[str, str]]:
    return [(finding.path, finding.rule) for finding in findings]


def test_what_somebody_saves_while_fmt_works_is_kept(shop: Path) -> None:
    for path in (FILE, KAFKA):
        _disorder(shop / path)
    saved = b'{"saved": "meanwhile"}'
    report = fmt(
        open_tree(shop), (), lambda *_: _void((shop / FILE).write_bytes(saved)), write=True
    )
    assert report.changed == (KAFKA,)
    assert _said(report.findings) == [(FILE, "changed-meanwhile")]
    assert (shop / FILE).read_bytes() == saved


def test_what_somebody_removes_while_fmt_works_stays_removed(shop: Path) -> None:
    _disorder(shop / KAFKA)
    report = fmt(open_tree(shop), (), lambda *_: (shop / KAFKA).unlink(missing_ok=True), write=True)
    assert (report.changed, _said(report.findings)) == ((), [(KAFKA, "changed-meanwhile")])
    assert not (shop / KAFKA).exists()


def test_what_somebody_formats_meanwhile_is_no_finding(shop: Path) -> None:
    canonical = (shop / KAFKA).read_bytes()
    _disorder(shop / KAFKA)
    report = fmt(
        open_tree(shop), (), lambda *_: _void((shop / KAFKA).write_bytes(canonical)), write=True
    )
    assert (report.changed, report.findings) == ((), ())


def _void(_: object) -> None:
    """Nothing is asked of the result."""


@pytest.fixture
def older(root: Path, shop: Path) -> Path:
    """A document in an older shape among those of a tree."""
    export = json.loads((root / "examples/older/lumos_export.json").read_text())
    (shop / OLDER).parent.mkdir(exist_ok=True)
    (shop / OLDER).write_text(json.dumps(export["datasets"][0]))
    return shop / OLDER


def test_what_somebody_saves_while_migrate_works_is_kept(shop: Path, older: Path) -> None:
    before = sorted(path for path in shop.rglob("*.json"))
    saved = older.read_bytes() + b"\n"

    def save_at_last(done: int, total: int) -> None:
        if done == total:
            older.write_bytes(saved)

    report = migrate(open_tree(shop), (), save_at_last, write=True)
    assert (report.changed, report.notes) == ((), ())
    assert _said(report.findings) == [(OLDER, "changed-meanwhile")]
    assert older.read_bytes() == saved
    assert sorted(path for path in shop.rglob("*.json")) == before


def test_migrate_names_what_it_cannot_read(shop: Path, older: Path) -> None:
    (shop / FILE).write_text("{")
    (shop / "snapshots/link.json").symlink_to(older)
    deep = _too_deep_file(shop / "snapshots")
    report = migrate(open_tree(shop), (), _quiet, write=True)
    assert report.changed == (OLDER,)
    assert _said(report.findings) == [
        ("snapshots/link.json", "not-a-document"),
        (deep, "unreadable"),
        (FILE, "unreadable"),
    ]


def _too_deep_file(folder: Path) -> str:
    """A file in a folder that can be listed, with a name too long to be opened from the root."""
    room = os.pathconf(folder, "PC_PATH_MAX") - len(os.fsencode(folder)) - 50
    names = ["d" * 200] * (room // 201)
    return nest(folder, [*names, "e" * (room - 201 * len(names))], file="f" * 150 + ".json")


def test_a_folder_that_cannot_be_listed_is_a_finding_and_the_rest_goes_on(shop: Path) -> None:
    _disorder(shop / KAFKA)
    nest(shop / "snapshots", ["d" * 200] * 25)
    tree = open_tree(shop)
    checked = validate(tree, (), _quiet)
    assert (checked.checked, [rule for _, rule in _said(checked.findings)]) == (
        39,
        ["unreadable", "not-canonical"],
    )
    assert "cannot be listed: File name too long" in checked.findings[0].message
    formatted = fmt(tree, (), _quiet, write=True)
    assert formatted.changed == (KAFKA,)
    assert [finding.rule for finding in formatted.findings] == ["unreadable"]
    (check,) = _checks(shop, "tree")
    assert (check.health, bool(check.fix)) == (Health.PROBLEM, True)
    assert "cannot be listed" in check.found


def _checks(folder: Path, name: str) -> list[Checkup]:
    return [check for check in diagnose(folder).checks if check.name == name]


def test_the_doctor_says_where_documents_cannot_be(
    shop: Path, tmp_path: Path, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "snapshots").rename(tmp_path / "elsewhere")
    (shop / "snapshots").symlink_to(tmp_path / "elsewhere")
    (check,) = _checks(shop, "tree")
    assert check.found == "snapshots: is not a document: it is a link"
    monkeypatch.setenv("GIT_DIR", str(bare))
    (check,) = _checks(bare, "tree")
    assert (check.health, check.found) == (
        Health.WARNING,
        "a bare repository has no working tree",
    )


STRAYS = {
    "snapshots/link.json": "a link",
    "snapshots/loop": "a link",
    "snapshots/notes.txt": "does not end in .json",
    "snapshots/pipe.json": "not a regular file",
    "entities/odd/a.json": "in no folder of documents",
}


@pytest.fixture
def littered(shop: Path) -> Path:
    """A tree with everything in it that has no business there."""
    _disorder(shop / KAFKA)
    (shop / "snapshots/link.json").symlink_to(shop / KAFKA)
    (shop / "snapshots/loop").symlink_to(shop / "snapshots")
    (shop / "snapshots/notes.txt").write_text("{}")
    os.mkfifo(shop / "snapshots/pipe.json")
    (shop / "entities/odd").mkdir()
    (shop / "entities/odd/a.json").write_text("{}")
    return shop


Run = Callable[[Tree, Sequence[Path]], Sequence[FileFinding]]
RUNS: dict[str, Run] = {
    "validate": lambda tree, paths: validate(tree, paths, _quiet).findings,
    "fmt": lambda tree, paths: fmt(tree, paths, _quiet, write=True).findings,
    "migrate": lambda tree, paths: migrate(tree, paths, _quiet, write=True).findings,
}


@pytest.mark.parametrize("run", RUNS)
def test_a_stray_is_the_same_finding_however_it_is_reached(littered: Path, run: str) -> None:
    tree = open_tree(littered)
    before = (littered / KAFKA).read_bytes()
    of_all = {f.path: f for f in RUNS[run](tree, ()) if f.rule == "not-a-document"}
    assert of_all.keys() == STRAYS.keys()
    (littered / KAFKA).write_bytes(before)
    for path, why in STRAYS.items():
        assert why in of_all[path].message
        assert RUNS[run](tree, (littered / path,)) == (of_all[path],)
    assert (littered / KAFKA).read_bytes() == before
    assert (littered / "snapshots/link.json").is_symlink()


def test_what_lies_behind_a_link_is_not_reached_through_it(littered: Path) -> None:
    tree = open_tree(littered)
    report = fmt(tree, (littered / "snapshots/loop/kafka",), _quiet, write=True)
    assert (report.checked, report.changed) == (0, ())
    assert _said(report.findings) == [("snapshots/loop", "not-a-document")]


@pytest.mark.parametrize("path", ["snapshots/nope", f"{KAFKA}/below", "snapshots/s3/nope.json"])
def test_a_path_that_leads_to_nothing_is_refused(shop: Path, path: str) -> None:
    tree = open_tree(shop)
    for one in (tree, tree.at("main")):
        with pytest.raises(LumosError, match=f"{path}: is not in {one.label}"):
            validate(one, (shop / path,), _quiet)


def test_a_tree_is_reached_through_a_link_to_it(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(shop)
    tree = open_tree(tmp_path / "home")
    assert validate(tree, (tmp_path / "home" / KAFKA,), _quiet).checked == 1
    assert validate(tree, (tmp_path / "home/snapshots",), _quiet).checked == 12


def test_a_ref_without_settings_is_a_finding_that_names_it(
    shop: Path, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "lumos.yaml").write_text("version: 7\n")
    assert validate(open_tree(shop).at("main"), (), _quiet).findings == ()
    (finding,) = validate(open_tree(shop), (), _quiet).findings
    assert (finding.path, finding.rule) == ("lumos.yaml", "structure")
    monkeypatch.setenv("GIT_DIR", str(bare))
    assert validate(open_tree(bare).at("main"), (), _quiet).checked == 39
    for run in RUNS.values():
        with pytest.raises(LumosError, match="a bare repository has no working tree"):
            run(open_tree(bare), ())

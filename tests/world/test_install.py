"""The package as a user gets it: installed from a clone into an empty environment."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.world


def _run(*command: str | Path, cwd: Path | None = None, code: int = 0) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def _environment(folder: Path, *packages: str | Path) -> Path:
    """An empty environment with these packages; returns the folder of its programs."""
    venv.create(folder, with_pip=True)
    _run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return folder / "bin"


@pytest.fixture(scope="module")
def clone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clone") / "lumos-snap"
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    for name in filter(None, tracked.stdout.decode().split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def base(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _environment(tmp_path_factory.mktemp("base") / "venv", clone)


@pytest.fixture
def shop(clone: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    shutil.copytree(clone / "examples/shop", folder)
    for command in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "Start"]):
        _run("git", *command, cwd=folder)
    return folder


def test_the_base_install_is_light(base: Path) -> None:
    listed = {line.split("==")[0].lower() for line in _run(base / "pip", "freeze").splitlines()}
    assert not listed & {"pyspark", "pyarrow", "pydantic", "jsonschema", "pytest"}
    assert len(listed) <= 18


def test_every_command_works_in_the_base_install(base: Path, clone: Path, shop: Path) -> None:
    lumos = base / "lumos"
    for arguments in (
        ["--version"],
        ["doctor"],
        ["schema"],
        ["schema", "snapshot"],
        ["completion", "bash"],
        ["snap", "init"],
        ["snap", "fmt", "--check"],
        ["snap", "validate"],
        ["snap", "validate", "--ref", "main"],
        ["snap", "ls", "--at", "main", "--json"],
        ["snap", "show", "silver/orders"],
        ["snap", "migrate-format", "--check"],
        ["snap", "diff", "--base", "main", "--fail-on", "none"],
        ["snap", "log", "silver/orders"],
        ["snap", "log", "--since", "2020-01-01"],
        ["snap", "blame", "silver/orders"],
        ["snap", "version", "silver/orders", "--history"],
        ["snap", "rules"],
        ["snap", "rules", "field-removed"],
        ["snap", "export", "-o", "all.json"],
        ["snap", "validate", "all.json"],
        ["snap", "import", "all.json"],
        ["snap", "import", str(clone / "examples/older/lumos_export.json")],
        ["snap", "import", str(clone / "examples/older/lumos_snapshot.yaml")],
    ):
        assert _run(lumos, *arguments, cwd=shop)


def test_scanning_names_what_it_lacks_in_the_base_install(base: Path, shop: Path) -> None:
    (shop / "lake").mkdir()
    (shop / "lake/a.csv").write_text("id,name\n1,x\n")
    said = _run(base / "lumos", "snap", "scan", "lake", cwd=shop, code=2)
    assert "pip install 'lumos-snap[scan]'" in said
    assert "lumos://file/lake" in _run(
        base / "lumos", "snap", "scan", "lake", "--explain", "lake/a.csv", cwd=shop
    )


@pytest.mark.parametrize("oldest", [False, True], ids=["newest", "oldest"])
def test_the_extra_scan_is_enough_to_scan(
    clone: Path, shop: Path, tmp_path: Path, *, oldest: bool
) -> None:
    project = tomllib.loads((clone / "pyproject.toml").read_text())["project"]
    extra = project["optional-dependencies"]["scan"]
    exactly = [name.partition(",")[0].replace(">=", "==") for name in extra]
    lumos = _environment(tmp_path / "scan", clone, *(exactly if oldest else extra)) / "lumos"
    (shop / "lake").mkdir()
    (shop / "lake/a.csv").write_text("id,name\n1,x\n2,y\n")
    assert "1 dataset: 1 added" in _run(lumos, "snap", "scan", "lake", cwd=shop)


def test_starting_loads_nothing_heavy(base: Path) -> None:
    listing = _run(base / "python", "-X", "importtime", "-m", "lumos_snap", "--version")
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in listing.splitlines()}
    assert "click" in loaded
    heavy = {"pyspark", "pyarrow", "datahub", "git", "deepdiff", "jsonschema", "pydantic", "rich"}
    assert not loaded & heavy


def test_the_oldest_named_versions_are_enough(clone: Path, shop: Path, tmp_path: Path) -> None:
    project = tomllib.loads((clone / "pyproject.toml").read_text())["project"]
    oldest = [name.replace(">=", "==") for name in project["dependencies"]]
    lumos = _environment(tmp_path / "oldest", clone, *oldest) / "lumos"
    _run(lumos, "snap", "validate", cwd=shop)
    _run(lumos, "snap", "show", "silver/orders", cwd=shop)
    assert "tagged" in _run(lumos, "snap", "bump", "--tag", cwd=shop)
    orders = shop / "snapshots/iceberg/lake/silver/orders.json"
    orders.write_text(
        orders.read_text().replace('"versioning"', '"properties": {"a": {"b": 1}},\n  "versioning"')
    )
    _run(lumos, "snap", "fmt", cwd=shop)
    _run("git", "commit", "-qam", "Nested", cwd=shop)
    orders.write_text(orders.read_text().replace('"b": 1', '"b": 2'))
    assert "a['b']" in _run(lumos, "snap", "diff", "--json", cwd=shop)
    (shop / "snapshots/kafka/prod/shop.orders.v1.json").write_text('{"urn": 1}')
    assert "`urn` must be a string" in _run(lumos, "snap", "validate", cwd=shop, code=1)


def test_source_and_wheel_hold_the_same(clone: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--outdir"]
    _run(*build, tmp_path / "direct", "--wheel", clone)
    _run(*build, tmp_path / "source", "--sdist", clone)
    (archive,) = (tmp_path / "source").glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    _run(*build, tmp_path / "again", "--wheel", unpacked)
    first, second = (_contents(tmp_path / name) for name in ("direct", "again"))
    assert first == second
    assert "lumos_snap/_published/1.0.0/snapshot.schema.json" in first
    assert "lumos_snap/py.typed" in first


def _contents(folder: Path) -> dict[str, bytes]:
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_the_demo_tells_its_story(clone: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", clone / "examples/demo.sh", tmp_path / "demo"],
        env={
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "LC_ALL": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for said in (
        "$ git commit --quiet --message 'A tree'",  # what is shown can be typed
        "6 datasets: 6 added",
        "7 datasets: 1 added, 2 changed, 4 unchanged",
        "‼ TY014 timezone-flipped",
        "✗ SC001 field-removed: phone was removed  waived",
        "S-1 → S-2  [major]",
        "< changed documentation.description",
        "`tree` and `datahub`: the same",
        "Done: play with it",
    ):
        assert said in done.stdout
    assert (tmp_path / "demo/lumos.yaml").exists()

"""Habits of this repository that a tool can check; none of them can skip itself."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import lumos_snap

SOURCES = sorted(Path(lumos_snap.__file__).parent.rglob("*.py"))
HEAVY = (
    "pydantic_core",
    "pyspark",
    "pyarrow",
    "datahub",
    "git",
    "deepdiff",
    "jsonschema",
    "pydantic",
    "rich",
    "yaml",
)
VAGUE = re.compile(r"util|helper|(^|_)common$|manager|service|handler|misc|^base[A-Z]|^Base[A-Z]")


def test_there_are_sources_to_look_at() -> None:
    assert len(SOURCES) > 50


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["snap", "--help"], []])
def test_starting_loads_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys; from lumos_snap.cli import main; main(sys.argv[1:]);"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip().endswith("[]")


def test_importing_the_package_loads_no_dependency() -> None:
    program = (
        "import sys; before = set(sys.modules); import lumos_snap;"
        "print({n.partition('.')[0] for n in set(sys.modules) - before})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not {"orjson", "click", *HEAVY} & ast.literal_eval(done.stdout)


def test_the_public_names_are_few_and_real() -> None:
    assert len(lumos_snap.__all__) <= 20
    assert sorted(lumos_snap.__all__) == lumos_snap.__all__
    for name in lumos_snap.__all__:
        assert getattr(lumos_snap, name) is not None
    assert set(dir(lumos_snap)) == set(lumos_snap.__all__)
    with pytest.raises(AttributeError):
        lumos_snap.no_such_name  # noqa: B018


def test_functions_do_one_thing() -> None:
    long = [
        f"{path.name}:{node.lineno} {node.name}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno > 40
    ]
    assert long == []


def test_names_say_what_things_are() -> None:
    vague = [
        f"{path.name}: {name}"
        for path in SOURCES
        for name in (path.stem, *_names(path))
        if VAGUE.search(name)
    ]
    assert vague == []


def _names(path: Path) -> list[str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return [n.name for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, kinds)]


def test_one_place_catches_everything() -> None:
    broad = [
        path.name
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    ]
    assert broad == ["app.py"]


def test_each_dependency_has_a_reason(root: Path) -> None:
    text = (root / "pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    listed = [name for group in groups for name in group]
    without = [
        name
        for name in listed
        if not name.startswith("lumos-snap[")
        and not re.search(rf'"{re.escape(name)}",? +# \w', text)
    ]
    assert without == []


def test_generated_pages_are_fresh(root: Path) -> None:
    script = [sys.executable, str(root / "docs/generate.py"), "--check"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_links_between_pages_lead_somewhere(root: Path) -> None:
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]
    assert len(pages) > 5
    broken = [
        f"{page.relative_to(root)} → {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
        if not (page.parent / link).exists()
    ]
    assert broken == []

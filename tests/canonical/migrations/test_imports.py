"""What a migration makes of a document never changes: it shares nothing with what moves."""

import ast
from pathlib import Path

import pytest

import lumos_snap.canonical.migrations

PACKAGE = Path(lumos_snap.canonical.migrations.__file__).parent
MODULES = tuple(sorted(PACKAGE.glob("*.py")))
OWN = "lumos_snap.canonical.migrations"
STANDARD = {"collections", "dataclasses", "datetime", "decimal", "re", "typing"}
TYPES = {"lumos_snap.json_object"}
"""What has a type and does nothing."""
CHANGING = {"now", "today", "utcnow", "random", "uuid4", "environ", "getenv"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_a_migration_imports_nothing_that_moves(module: Path):
    for name in _imported(ast.parse(module.read_text())):
        inside = name == OWN or name.startswith(f"{OWN}.")
        assert inside or name in TYPES or name.partition(".")[0] in STANDARD


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_a_migration_asks_for_no_clock_and_no_chance(module: Path):
    tree = ast.parse(module.read_text())
    asked = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not asked & CHANGING


def test_the_package_was_found():
    assert {"registry", "datasets"} <= {module.stem for module in MODULES}


def _imported(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.append(node.module or "")
    return found

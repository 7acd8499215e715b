"""`lumos_snap.model`: every stored class by its own name, loaded when it is asked for."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lumos_snap.model
from lumos_snap.model.export import Export
from tests.strategies.documents import STORED, stored_classes

SOURCE = Path(lumos_snap.model.__file__).read_text()


def test_every_stored_class_is_there():
    for document in (*STORED, Export):
        for cls in stored_classes(document):
            assert getattr(lumos_snap.model, cls.__name__) is cls


def test_the_names_are_sorted_and_all_lead_somewhere():
    names = lumos_snap.model.__all__
    assert names == sorted(lumos_snap.model._HOMES) == dir(lumos_snap.model)
    for name in names:
        assert getattr(lumos_snap.model, name).__doc__


def test_type_checkers_see_what_is_there():
    seen = {
        alias.name: (node.module or "").removeprefix("lumos_snap.model.")
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {**seen, **lumos_snap.model._HOMES} == seen


def test_what_is_not_there_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'Fild'"):
        lumos_snap.model.Fild  # noqa: B018


def test_the_namespace_alone_loads_nothing():
    program = (
        "import sys, lumos_snap.model;"
        "print(sorted(n for n in sys.modules if n.startswith('lumos_snap.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = ["lumos_snap._lazy", "lumos_snap._version", "lumos_snap.model"]
    assert ast.literal_eval(done.stdout) == loaded

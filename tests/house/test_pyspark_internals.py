"""Private attributes of PySpark and of py4j stay in one module: each needs a way without it."""

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

import lumos_snap

TOP = Path(lumos_snap.__file__).parent
HOME = TOP / "scan/spark/pyspark_internals.py"
PRIVATE_MODULES = ("pyspark.java_gateway", "py4j.java_gateway", "py4j.clientserver")


def names_of(package: str) -> set[str]:
    """Every private attribute that a package gives its objects and classes."""
    found = find_spec(package)
    assert found is not None
    assert found.origin
    sources = Path(found.origin).parent.rglob("*.py")
    return {
        name
        for path in sources
        if "tests" not in path.parts
        for node in ast.walk(ast.parse(path.read_bytes()))
        for name in given(node)
        if is_private(name)
    }


def given(node: ast.AST) -> Iterator[str]:
    """What a statement calls an attribute: `x._a = …`, or a function or a value in a class."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.ClassDef(body=body):
            yield from (one.name for one in body if isinstance(one, ast.FunctionDef))
            values = [one for one in body if isinstance(one, ast.Assign | ast.AnnAssign)]
            named = [one for value in values for one in ast.walk(value)]
            yield from (one.id for one in named if isinstance(one, ast.Name))
        case _:
            pass


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def touched(text: str, names: set[str]) -> Iterator[str]:
    """What a module touches: as an attribute of something else, as text, or by an import."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) if name in names:
                yield f"{node.lineno}: {name}"
            case ast.ImportFrom(module=str(module)) if is_hidden(module, node):
                yield f"{node.lineno}: {module}"
            case ast.Import(names=imported) if any(is_hidden(one.name) for one in imported):
                yield f"{node.lineno}: {imported[0].name}"
            case _:
                pass


def is_hidden(module: str, node: ast.ImportFrom | None = None) -> bool:
    top, *inner = module.split(".")
    imported = [one.name for one in node.names] if node else []
    is_spark = top in {"pyspark", "py4j"}
    return module in PRIVATE_MODULES or (is_spark and any(map(is_private, [*inner, *imported])))


@pytest.fixture(scope="module")
def names() -> set[str]:
    of_named_tuples = {name for name in dir(NamedTuple("Any", [])) if is_private(name)}
    return (names_of("pyspark") | names_of("py4j")) - of_named_tuples


def test_one_module_touches_them(names: set[str]) -> None:
    found = {
        str(path.relative_to(TOP)): there
        for path in sorted(TOP.rglob("*.py"))
        if (there := list(touched(path.read_text(), names)))
    }
    assert list(found) == [str(HOME.relative_to(TOP))], found


@pytest.mark.parametrize(
    "line",
    [
        "spark._jvm.System.gc()",
        "SparkContext._gateway = None",
        "getattr(spark, '_sc', None)",
        "from pyspark.java_gateway import launch_gateway",
        "from pyspark.sql.connect.client.core import _first",
        "import pyspark._globals",
    ],
)
def test_each_way_to_touch_one_is_seen(names: set[str], line: str) -> None:
    assert list(touched(line, names))

"""What DataHub's client does otherwise than its names say is called nowhere.

`emit_mcp` with a DELETE of one aspect removes the whole dataset; CREATE overwrites; GraphQL
mutations lose what others write at the same time; what is sent asynchronously and not traced may
be lost; what is sent one by one over rest.li spoils names that are not ASCII.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lumos_snap

CALLS = frozenset(
    {
        "emit", "emit_mcp", "emit_mce", "emit_usage", "delete_entity", "hard_delete_entity",
        "soft_delete_entity", "set_soft_delete_status", "delete_references_to_urn", "patch_builder",
        "from_env", "get_default_graph", "run_assertion", "upsert_custom_assertion",
    }
)  # fmt: skip
MODES = frozenset({"ASYNC_WAIT", "SYNC_WAIT"})
"""ASYNC_WAIT looks at the last aspect of an entity only."""
CHANGES = frozenset({"CREATE", "CREATE_ENTITY", "DELETE", "PATCH", "RESTATE", "UPDATE"})
OF_SDK = sorted((Path(lumos_snap.__file__).parent / "catalogs").rglob("*.py"))
OURS = {"self.server.emit", "server.emit"}
"""Our own method of that name, which sends nothing by these ways."""


def hazards(source: str) -> Iterator[str]:
    """What a module calls or says that is a hazard."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _called(node.func)
        elif isinstance(node, ast.Attribute):
            yield from _named(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _said(node.value)


def _called(function: ast.Attribute) -> Iterator[str]:
    said = ast.unparse(function)
    is_sending = function.attr in CALLS and said not in OURS
    if is_sending or (function.attr == "delete" and "session" in said):
        yield said


def _named(node: ast.Attribute) -> Iterator[str]:
    names = {"EmitMode": MODES, "ChangeTypeClass": CHANGES}
    if node.attr in names.get(ast.unparse(node.value), ()):
        yield ast.unparse(node)


def _said(text: str) -> Iterator[str]:
    if text == "DELETE" or text.lstrip().startswith("mutation"):
        yield text


@pytest.mark.parametrize("path", OF_SDK, ids=lambda path: path.stem)
def test_no_hazard_of_datahubs_client_is_met(path: Path) -> None:
    assert list(hazards(path.read_text())) == []


def test_what_is_sent_asynchronously_is_sent_in_one_place_and_traced_there() -> None:
    places = [path for path in OF_SDK if "EmitMode.ASYNC" in path.read_text()]
    assert [path.name for path in places] == ["server.py"]
    functions = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(places[0].read_text()))
        if isinstance(node, ast.FunctionDef)
    ]
    (sending,) = [one for one in functions if "EmitMode.ASYNC" in one]
    assert "self._await(" in sending


@pytest.mark.parametrize(
    "source",
    [
        "graph.emit_mcp(x)",
        "self.graph.emit(x)",
        "EmitMode.ASYNC_WAIT",
        "ChangeTypeClass.CREATE",
        "graph.session.delete(url)",
        "graph.execute_graphql('mutation { addTag }')",
        "ask('DELETE', url)",
    ],
)
def test_a_hazard_would_be_seen(source: str) -> None:
    assert list(hazards(source)) != []

"""The mutants of a file: every small change of its code that a test should notice."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

from tests.mutation.operators import OWN

SEED = "2026"

_COUNTERPARTS = frozenset(
    {
        "Add_Sub",
        "Sub_Add",
        "Mul_FloorDiv",
        "Div_Mul",
        "FloorDiv_Mul",
        "Mod_Mul",
        "Pow_Mul",
        "BitOr_BitAnd",
        "BitAnd_BitOr",
        "BitXor_BitAnd",
        "RShift_LShift",
        "LShift_RShift",
    }
)
"""One operator for each: eleven others for `+` are eleven times the same `TypeError`."""

_COMPARISONS = frozenset(
    {
        "Lt_LtE",
        "Lt_GtE",
        "LtE_Lt",
        "LtE_Gt",
        "Gt_GtE",
        "Gt_LtE",
        "GtE_Gt",
        "GtE_Lt",
        "Eq_NotEq",
        "NotEq_Eq",
        "Is_IsNot",
        "IsNot_Is",
    }
)
"""The limit moved by one, and the opposite: among enums and None, `is` and `==` are the same."""

_CACHES = ("cache", "lru_cache", "functools.cache", "functools.lru_cache")
"""Without them the code is slower, and does the same."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    """The file, as it stands below `src/lumos_snap`."""
    within: str
    """The function or class that is changed."""
    operator: str
    line: int
    before: str
    """The line, without its indentation."""
    column: int
    nth: int
    """Which mutation of its operator it is in the file."""
    is_called: bool
    """Whether it is in a function: what is not runs when the module is imported."""
    rank: int
    """Which one it is among those that are alike in all that the key names."""
    source: str

    @property
    def key(self) -> str:
        """What stays the same as long as the line does, wherever it moves in its function."""
        return f"{self.path}::{self.within}::{self.operator}::{self.before}::{self.rank}"

    @property
    def draw(self) -> str:
        """Its lot: the mutants with the least are the sample."""
        return sha256(f"{SEED}:{self.key}".encode()).hexdigest()

    @cached_property
    def code(self) -> str | None:
        """The changed file; None where it is no Python, or means the same to Python."""
        found = mutate_code(self.source, _OPERATORS[self.operator](), self.nth)
        if found is None:
            return None
        try:
            tree = ast.dump(ast.parse(found))
        except SyntaxError:
            return None
        return None if tree == ast.dump(ast.parse(self.source)) else str(found)

    @property
    def after(self) -> str:
        """The changed lines, without their indentation."""
        before, after = self.source.splitlines(), (self.code or "").splitlines()
        known = Counter(before)
        known.subtract(after)
        return " ⏎ ".join(line.strip() for line in after if known[line] < 0) or "(line removed)"


def sample(paths: list[Path], top: Path, size: int | None) -> list[Mutant]:
    """The mutants of some files: all, or a sample that changes only where the code does."""
    found = [one for path in paths for one in mutants_of(path, top)]
    if size is not None:
        found.sort(key=lambda one: one.draw)
    kept: dict[tuple[str, str], Mutant] = {}
    for one in found:
        if len(kept) == size:
            break
        if one.code is not None:
            kept.setdefault((one.path, one.code), one)
    return sorted(kept.values(), key=lambda one: (one.path, one.line, one.column, one.operator))


def mutants_of(file: Path, top: Path) -> Iterator[Mutant]:
    """Every mutant of a file, some of which may turn out to be none."""
    source = file.read_text(encoding="utf-8")
    path, lines = file.relative_to(top).as_posix(), source.splitlines()
    nodes = list(ast_nodes(get_ast(source)))
    passed_over, names = _passed_over(source), _names(source)
    alike: Counter[tuple[str, ...]] = Counter()
    for operator, cls in _OPERATORS.items():
        places = (place for node in nodes for place in cls().mutation_positions(node))
        for nth, ((line, column), _) in enumerate(places):
            if any(_is_inside((line, column), one, operator) for one in passed_over):
                continue
            within, inner = _name_at(names, line)
            before = lines[line - 1].strip()
            alike[within, operator, before] += 1
            rank = alike[within, operator, before]
            yield Mutant(path, within, operator, line, before, column, nth, inner, rank, source)


def _operators() -> dict[str, Any]:
    provider = OperatorProvider()
    found = {name: provider[name] for name in provider if _is_wanted(name)}
    return found | {one.__name__: one for one in OWN}


def _is_wanted(name: str) -> bool:
    family, _, pair = name.partition("_")
    if family in ("VariableReplacer", "VariableInserter"):
        return False  # they need names to be told
    if family == "ReplaceBinaryOperator":
        return pair in _COUNTERPARTS
    if family == "ReplaceUnaryOperator":
        return pair.startswith("Delete")
    return family != "ReplaceComparisonOperator" or pair in _COMPARISONS


_OPERATORS = _operators()


@dataclass(frozen=True)
class _Range:
    start: tuple[int, int]
    end: tuple[int, int]
    is_setting: bool = False
    """Whether only what is inside is passed over: a decorator may go, its settings may not."""


def _is_inside(at: tuple[int, int], one: _Range, operator: str) -> bool:
    is_whole = operator == "RemoveDecorator" and one.is_setting
    return one.start <= at < one.end and not is_whole


def _passed_over(source: str) -> list[_Range]:
    """Types, which mypy judges, what `@dataclass` and `zip` are told of themselves, and caches."""
    found = []
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            held = getattr(node, name, None)
            if isinstance(held, ast.expr):
                found.append(_range(held))
        if isinstance(node, ast.keyword) and node.arg == "strict":
            found.append(_range(node.value))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            found.append(_range(node.test))
        if isinstance(node, ast.Assign) and _is_alias(node):
            found.append(_range(node.value))
        for one in getattr(node, "decorator_list", ()):
            named = ast.unparse(one).partition("(")[0]
            whole = _range(one)
            sign = _Range((whole.start[0], whole.start[1] - 1), whole.end, named not in _CACHES)
            found.append(sign)
    return found


def _is_alias(node: ast.Assign) -> bool:
    """Whether an assignment names a type: `Name = Some | Other`, `Name = Callable[…]`."""
    names = [one.id for one in node.targets if isinstance(one, ast.Name)]
    is_union = isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr)
    is_value = any(isinstance(one, ast.Call | ast.Dict | ast.Set) for one in ast.walk(node.value))
    return (
        is_union and not is_value and all(one[0].isupper() and not one.isupper() for one in names)
    )


def _range(node: ast.expr) -> _Range:
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    return _Range((node.lineno, node.col_offset), end)


_Named = tuple[int, int, str, bool]
"""First line, last line and name of a function or a class, and whether it is a function."""


def _names(source: str) -> list[_Named]:
    """All functions and classes, the inner ones last."""
    found: list[_Named] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                is_function = isinstance(child, ast.FunctionDef)
                found.append((first, child.end_lineno or first, name, is_function))
                visit(child, f"{name}.")
            else:
                visit(child, prefix)

    visit(ast.parse(source), "")
    return found


def _name_at(names: list[_Named], line: int) -> tuple[str, bool]:
    """What holds a line, and whether it runs only when that is called."""
    for first, last, name, is_function in reversed(names):
        if first <= line <= last:
            return name, is_function
    return "", False

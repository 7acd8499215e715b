"""Figures about names and structure, for this tree and for an older commit.

    python -m tests.house.figures [COMMIT]

prints one column for the work tree, and one for the commit where it is given.
"""

import ast
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src/lumos_snap"

NOUNS = frozenset(
    {
        *("listing", "grouping", "merging", "versioning", "encoding", "mapping", "partitioning"),
        *("pricing", "string", "finding", "ping"),
    }
)
"""Words in -ing or -ed that are established nouns."""
IRREGULAR = frozenset(
    {
        *(
            "said",
            "told",
            "met",
            "found",
            "held",
            "kept",
            "left",
            "made",
            "taken",
            "given",
            "shown",
        ),
        *("written", "known", "seen", "sent", "gone", "lost", "chosen", "drawn", "built", "bound"),
        *("meant", "felt", "spoken", "understood", "brought", "thought", "begun", "led", "stood"),
    }
)
VERBS = frozenset(
    {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed"}
)
"""Verbs and nouns in -ed."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module, parsed."""

    name: str
    """Below the package, with dots; empty for the package itself."""
    lines: int
    tree: ast.Module
    is_package: bool

    @property
    def stem(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]


def modules_of(sources: Path) -> list[Module]:
    """Every module of a package."""
    found = []
    for path in sorted(sources.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(sources).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found.append(Module(name, len(text.splitlines()), ast.parse(text), is_package))
    return found


def functions_of(module: Module) -> Iterator[ast.FunctionDef]:
    """Every function and method of a module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def is_gerund_or_participle(name: str) -> bool:
    """Whether the last word of a name ends in -ing or -ed, and is no established noun."""
    word = name.rpartition("_")[2]
    if word in NOUNS or word in VERBS:
        return False
    return word in IRREGULAR or (len(word) > 4 and word.endswith(("ing", "ed")))


def is_participle(function: str) -> bool:
    """Whether the first word of a function's name is a participle."""
    word = function.strip("_").partition("_")[0]
    if word in IRREGULAR:
        return True
    return len(word) > 4 and word.endswith("ed") and word not in VERBS


def importers(modules: Sequence[Module]) -> Mapping[str, set[str]]:
    """Which modules import each module."""
    names = {one.name for one in modules}
    found: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            top, _, base = node.module.partition(".")
            if top != "lumos_snap":
                continue
            for alias in node.names:
                whole = f"{base}.{alias.name}".strip(".")
                found[whole if whole in names else base].add(module.name)
    return found


def loose_names(module: Module, aliases: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """`Any`, and the aliases of it that a module defines or imports."""
    found = {"Any", *aliases.get(module.name, ())}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lumos_snap."):
            _, _, home = (node.module or "").partition(".")
            known = aliases.get(home) or aliases.get(f"{home}.base", frozenset())
            found |= {one.asname or one.name for one in node.names if one.name in known}
    return frozenset(found)


def aliases_of(module: Module) -> frozenset[str]:
    """The type aliases of a module that contain `Any`, such as `Row = dict[str, Any]`."""
    found = set()
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            if "TypeAlias" not in ast.unparse(node.annotation):
                continue
            name, value = node.target.id, node.value
        else:
            continue
        is_type = name.strip("_")[:1].isupper() and not name.isupper()
        if is_type and "TypeVar" not in ast.unparse(value) and "Any" in _names_in(value):
            found.add(name)
    return frozenset(found)


def has_loose_type(function: ast.FunctionDef, loose: frozenset[str]) -> bool:
    """Whether a signature has `Any`, or an alias that hides it."""
    arguments = function.args
    given = [
        *(one.annotation for one in (*arguments.posonlyargs, *arguments.args)),
        *(
            one.annotation
            for one in (*arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
            if one
        ),
        function.returns,
    ]
    return any(_names_in(one) & loose for one in given if one is not None)


def _names_in(annotation: ast.expr) -> set[str]:
    """The names in an annotation; one in quotes is parsed."""
    found = {one.id for one in ast.walk(annotation) if isinstance(one, ast.Name)}
    for one in ast.walk(annotation):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            found |= set(re.findall(r"\w+", one.value))
    return found


def _spread(values: Sequence[int]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.0f} / {ordered[len(ordered) * 9 // 10]} / {ordered[-1]}"


def _length(function: ast.FunctionDef) -> int:
    """Lines of a body, without the docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _classes(modules: Sequence[Module]) -> Counter[str]:
    return Counter(
        node.name
        for one in modules
        for node in one.tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def _top_functions(modules: Sequence[Module]) -> list[str]:
    return [
        node.name for one in modules for node in one.tree.body if isinstance(node, ast.FunctionDef)
    ]


def _repeated(counted: Counter[str]) -> str:
    several = [name for name, count in counted.items() if count > 1]
    return f"{len(several)}"


def figures(sources: Path) -> dict[str, str]:
    """The table of one tree, row by row."""
    modules = modules_of(sources)
    plain = [one for one in modules if not one.is_package]
    functions = [function for one in modules for function in functions_of(one)]
    top = _top_functions(modules)
    imported = importers(modules)
    aliases = {one.name: aliases_of(one) for one in modules}
    loose = sum(
        has_loose_type(function, names)
        for one, names in ((one, loose_names(one, aliases)) for one in modules)
        for function in functions_of(one)
    )
    return {
        "modules, with packages": f"{len(modules)}",
        "modules / lines": f"{len(plain)} / {sum(one.lines for one in modules):,}",
        "module median / p90 / max": _spread([one.lines for one in plain]),
        "function median / p90 / max": _spread([_length(one) for one in functions]),
        "modules named by a gerund or participle": _count(
            plain, lambda one: is_gerund_or_participle(one.stem)
        ),
        "modules with exactly one importer": _count(
            plain, lambda one: len(imported.get(one.name, ())) == 1
        ),
        "modules under 60 lines with one importer": _count(
            plain, lambda one: one.lines < 60 and len(imported.get(one.name, ())) == 1
        ),
        "file stems used more than once": _repeated(Counter(one.stem for one in plain)),
        "class names in several modules": _repeated(_classes(modules)),
        "functions named by a participle": f"{sum(map(is_participle, top))} of {len(top):,}",
        "signatures with `Any` or an alias of it": f"{loose / len(functions):.1%}",
    }


def _count(modules: Sequence[Module], holds: Callable[[Module], bool]) -> str:
    return f"{sum(map(holds, modules))}"


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    columns = {"now": figures(SOURCES)}
    for commit in arguments:
        with tempfile.TemporaryDirectory() as folder:
            archive = ["git", "-C", str(ROOT), "archive", commit, "src/lumos_snap"]
            packed = subprocess.run(archive, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
            columns = {commit: figures(Path(folder) / "src/lumos_snap"), **columns}
    print(f"| | {' | '.join(columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for name in columns["now"]:
        print(f"| {name} | {' | '.join(column[name] for column in columns.values())} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

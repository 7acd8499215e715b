"""Mutation operators beside those of Cosmic Ray, for code that is expressions more than statements.

Each works as Cosmic Ray's own do: `mutation_positions` yields the places in a node of parso's tree,
`mutate` changes the node.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import parso
from cosmic_ray.operators.operator import Operator

Position = tuple[tuple[int, int], tuple[int, int]]


class _AtOneNode(Operator):  # type: ignore[misc] # Cosmic Ray has no types
    """An operator that has at most one mutation of a node."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        if self.fits(node):
            yield node.start_pos, node.end_pos

    def fits(self, node: Any) -> bool:
        raise NotImplementedError

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class SwapCall(_AtOneNode):
    """Calls the function with the opposite meaning."""

    OPPOSITES: ClassVar = {
        "min": "max",
        "any": "all",
        "startswith": "endswith",
        "lstrip": "rstrip",
        "removeprefix": "removesuffix",
        "partition": "rpartition",
    }
    BOTH_WAYS: ClassVar = OPPOSITES | {other: one for one, other in OPPOSITES.items()}

    def fits(self, node: Any) -> bool:
        return node.type == "name" and node.value in self.BOTH_WAYS and _is_called(node)

    def mutate(self, node: Any, index: int) -> Any:
        node.value = self.BOTH_WAYS[node.value]
        return node


class DropSorting(_AtOneNode):
    """`sorted(items, key=…)` becomes `list(items)`."""

    def fits(self, node: Any) -> bool:
        return node.type == "name" and node.value == "sorted" and _is_called(node)

    def mutate(self, node: Any, index: int) -> Any:
        arguments = node.get_next_sibling().children[1]
        node.value = "list"
        if arguments.type == "arglist":
            del arguments.children[1:]
        return node


class SwapUnpacking(_AtOneNode):
    """`first, *rest = items` becomes `*rest, first = items`."""

    def fits(self, node: Any) -> bool:
        return (
            node.type == "testlist_star_expr"
            and node.parent.type == "expr_stmt"
            and node.parent.children[0] is node
            and any(child.type == "star_expr" for child in node.children)
        )

    def mutate(self, node: Any, index: int) -> Any:
        names = [child.get_code().strip() for child in node.children[::2]]
        prefix = node.get_first_leaf().prefix
        return parso.parse(f"{prefix}{', '.join(reversed(names))} ")


class SwapMembership(_AtOneNode):
    """`in` becomes `not in`, and the other way round."""

    def fits(self, node: Any) -> bool:
        return node.type == "comparison" and node.children[1].get_code().split() in (
            ["in"],
            ["not", "in"],
        )

    def mutate(self, node: Any, index: int) -> Any:
        is_in = node.children[1].get_code().strip() == "in"
        node.children[1] = parso.parse(" not in" if is_in else " in")
        return node


class _Force(Operator):  # type: ignore[misc] # Cosmic Ray has no types
    """A condition that no longer decides: of `if`, of a conditional expression, of a filter."""

    word = ""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        for at in _conditions(node):
            yield node.children[at].start_pos, node.children[at].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.children[list(_conditions(node))[index]] = parso.parse(f" {self.word}")
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class ForceTrue(_Force):
    """Every condition holds."""

    word = "True"


class ForceFalse(_Force):
    """No condition holds."""

    word = "False"


OWN = (ForceTrue, ForceFalse, SwapCall, DropSorting, SwapUnpacking, SwapMembership)


def _conditions(node: Any) -> Iterator[int]:
    """Which children of a node are conditions."""
    if node.type == "test" and len(node.children) == 5:
        yield 2
    elif node.type in ("if_stmt", "comp_if"):
        for at, child in enumerate(node.children):
            if child.type == "keyword" and child.value in ("if", "elif"):
                yield at + 1


def _is_called(name: Any) -> bool:
    """Whether a name is followed by parentheses: `name(…)` or `something.name(…)`."""
    held = name.parent if name.parent.type == "trailer" else name
    trailer = held.get_next_sibling()
    return trailer is not None and trailer.type == "trailer" and trailer.children[0] == "("

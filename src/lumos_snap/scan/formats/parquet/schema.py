"""Parquet schemas as portable types, including all historic layouts of nested columns."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lumos_snap.json_object import JsonObject
from lumos_snap.model.field_path import FieldPath, Part, Step, format_path
from lumos_snap.model.snapshot import Schema
from lumos_snap.model.types import MAX_LEVELS, Element, Field, Kind, MapKey
from lumos_snap.scan.formats.parquet.spark_metadata import WRITERS, WriterMetadata
from lumos_snap.scan.formats.parquet.types import (
    LIST,
    MAP,
    VARIANT,
    Parameters,
    Stored,
    annotation,
    scalar_type,
)
from lumos_snap.scan.schemas.supertype import DatasetSchema

REQUIRED, REPEATED = 0, 2
MOST_NOTES = 20

_ENCRYPTED = "columns are encrypted: their types are known all the same"
_DEEP = f"types nest over {MAX_LEVELS} levels deep: what is below is left out"
_UNREAD = "what {} says of the columns cannot be read"
_MORE = "more is odd in the same way"
_VARIANT = {"value", "metadata"}


class Node(NamedTuple):
    """A column, or a group with its members."""

    said: Stored
    held: "list[Node]"

    @property
    def name(self) -> str:
        """The name in the file."""
        name: str = self.said["name"]
        return name

    @property
    def is_repeated(self) -> bool:
        """Whether it is repeated."""
        return bool(self.said.get("repetition") == REPEATED)

    @property
    def is_nullable(self) -> bool:
        """Whether it may be null; a repeated column is empty instead."""
        return bool(self.said.get("repetition") not in (REQUIRED, REPEATED))

    @property
    def is_group(self) -> bool:
        """Whether it is a group."""
        return bool(self.held) or "type" not in self.said

    @property
    def id(self) -> int | None:
        """The field id; some writers use a negative one for none."""
        number: int = self.said.get("id", -1)
        return number if number >= 0 else None


class ColumnPlace(NamedTuple):
    """The place of a type: its path, and the writers' metadata."""

    path: FieldPath
    words: WriterMetadata

    def inside(self, step: Step, word: str, number: int = 1) -> "ColumnPlace":
        """Return the place one level deeper."""
        part = Part(step, word, number) if step is Step.MEMBER else Part(step)
        return ColumnPlace((*self.path, part), self.words.inside(word))


def schema_of(evidence: Any) -> DatasetSchema:
    """Convert the evidence of a Parquet footer."""
    reading = _SchemaReader()
    words = WriterMetadata({name: evidence[name] for name in WRITERS if name in evidence})
    indexes = frozenset(evidence.get("pandas", ()))
    fields = reading.members(_build_tree(evidence["columns"]), ColumnPlace((), words), indexes)
    notes = reading.notes
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [_MORE]
    notes += [_DEEP] if reading.is_deep else []
    notes += [_UNREAD.format(writer.capitalize()) for writer in evidence.get("unread", ())]
    notes += [_ENCRYPTED] if evidence.get("encrypted") else []
    return DatasetSchema(Schema(fields=fields), notes=tuple(notes))


def _build_tree(elements: Sequence[JsonObject]) -> list[Node]:
    """Build a tree from the list of elements: each is followed by its members."""
    roots: list[Node] = []
    open_: list[tuple[list[Node], int]] = []
    for said in elements:
        node = Node(said, [])
        while open_ and len(open_[-1][0]) == open_[-1][1]:
            open_.pop()
        (open_[-1][0] if open_ else roots).append(node)
        if said.get("children", 0):
            open_.append((node.held, said["children"]))
    return roots


class _SchemaReader:
    """Converts one schema, and collects notes on irregularities."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.is_deep = False

    def members(
        self, nodes: Sequence[Node], place: ColumnPlace, indexes: frozenset[str] = frozenset()
    ) -> tuple[Field, ...]:
        """Convert columns, or the members of a struct; `indexes` are pandas' index columns."""
        seen: dict[str, int] = {}
        found = []
        for node in nodes:
            number = seen[node.name] = seen.get(node.name, 0) + 1
            at = place.inside(Step.MEMBER, node.name, number)
            found.append(
                Field(
                    name=node.name,
                    nullable=node.is_nullable,
                    id=node.id,
                    description=at.words.about,
                    properties={"pandas_index": True} if node.name in indexes else {},
                    **self.type(node, at),
                )
            )
        return tuple(found)

    def element(self, node: Node, at: ColumnPlace) -> Element:
        """Convert the element of an array, or the value of a map."""
        return Element(
            nullable=node.is_nullable,
            id=node.id,
            description=at.words.about,
            **self.type(node, at),
        )

    def type(self, node: Node, at: ColumnPlace) -> Parameters:
        """Convert the type at a place; a repeated column without a list annotation is an array."""
        if not node.is_repeated:
            return self._once(node, at)
        if self._is_deep(at):
            return {"type": Kind.UNKNOWN, "native": "repeated"}
        return {"type": Kind.ARRAY, "element": self._repeated(node, at)}

    def _repeated(self, node: Node, at: ColumnPlace) -> Element:
        """Convert a repeated column to an element, which is never null."""
        inside = at.inside(Step.ELEMENT, "element")
        made = self._once(node, inside)
        return Element(nullable=False, description=inside.words.about, **made)

    def _once(self, node: Node, at: ColumnPlace) -> Parameters:
        if not node.is_group:
            made, odd = scalar_type(node.said)
            if odd:
                self._note(at, odd)
            return at.words.refine(made)
        return at.words.refine(self._group(node, at))

    def _group(self, node: Node, at: ColumnPlace) -> Parameters:
        number, _ = annotation(node.said) or (0, {})
        names = {one.name for one in node.held}
        if number == VARIANT or (at.words.is_variant and names >= _VARIANT):
            return {"type": Kind.VARIANT}
        if self._is_deep(at):
            return {"type": Kind.UNKNOWN, "native": "group"}
        if number == LIST and _holds_a_list(node):
            return {"type": Kind.ARRAY, "element": self._listed(node, at)}
        if number == MAP and _holds_a_map(node):
            return self._map(node.held[0], at)
        if number:
            self._note(at, "an annotation that does not fit it")
        return {"type": Kind.STRUCT, "fields": self.members(node.held, at)}

    def _listed(self, node: Node, at: ColumnPlace) -> Element:
        """Convert the element of an annotated list, by Parquet's backward-compatibility rules."""
        repeated = node.held[0]
        inside = at.inside(Step.ELEMENT, "element")
        if not _is_element(node, repeated):
            return self.element(repeated.held[0], inside)
        made = self._once(repeated, inside)
        about = inside.words.about
        return Element(nullable=False, id=repeated.id, description=about, **made)

    def _map(self, pairs: Node, at: ColumnPlace) -> Parameters:
        key, *values = pairs.held
        inside = at.inside(Step.KEY, "key")
        if not values:
            self._note(at, "a map without values")
            inside = at.inside(Step.ELEMENT, "key")
            made = self.type(key, inside)
            return {"type": Kind.ARRAY, "element": Element(nullable=False, id=key.id, **made)}
        return {
            "type": Kind.MAP,
            "key": MapKey(id=key.id, **self.type(key, inside)),
            "value": self.element(values[0], at.inside(Step.VALUE, "value")),
        }

    def _is_deep(self, at: ColumnPlace) -> bool:
        if len(at.path) < MAX_LEVELS:
            return False
        self.is_deep = True
        return True

    def _note(self, at: ColumnPlace, odd: str) -> None:
        if len(self.notes) <= MOST_NOTES:
            self.notes.append(f"`{format_path(at.path)}` has {odd}")


def _holds_a_list(node: Node) -> bool:
    return len(node.held) == 1 and node.held[0].is_repeated


def _holds_a_map(node: Node) -> bool:
    """Whether a group has one repeated pair of a key and a value; a key alone is a set."""
    return _holds_a_list(node) and len(node.held[0].held) in (1, 2)


def _is_element(listed: Node, repeated: Node) -> bool:
    """Whether the repeated node of a list is its element, and not a wrapper of the element."""
    if not repeated.is_group or len(repeated.held) != 1:
        return True
    return repeated.held[0].is_repeated or repeated.name in ("array", f"{listed.name}_tuple")

"""Applies writers' metadata to a Parquet schema: descriptions, and types that Parquet lacks."""

import re
from collections.abc import Callable, Mapping

from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import Kind, Unit

Parameters = JsonObject
Tree = JsonObject

WRITERS = ("spark", "arrow", "avro", "iceberg")
"""Writers in order of priority, if several have a description."""

_CALENDAR = re.compile("interval (year|month)( to month)?")
_CLOCK = re.compile("interval (day|hour|minute|second)( to (hour|minute|second))?")
_WIDEST = ("interval year to month", "interval day to second")
_TEXT = re.compile(r"(char|varchar)\((\d+)\)")
_TEXTS = {"char": Kind.CHAR, "varchar": Kind.VARCHAR}
_UTC = frozenset(("UTC", "Z", "Etc/UTC", "+00:00", "GMT"))


class WriterMetadata:
    """The metadata of each writer for one column, element, key or value."""

    def __init__(self, trees: Mapping[str, Tree]) -> None:
        self.trees = trees

    def inside(self, name: str) -> "WriterMetadata":
        """Return the metadata of a member by its name, or of `element`, `key` or `value`."""
        if not self.trees:
            return self
        deeper = {writer: tree.get("in", {}).get(name) for writer, tree in self.trees.items()}
        return WriterMetadata({writer: tree for writer, tree in deeper.items() if tree})

    @property
    def about(self) -> str | None:
        """The description."""
        given = (self.trees.get(writer, {}).get("about") for writer in WRITERS)
        return next(filter(None, given), None)

    @property
    def is_variant(self) -> bool:
        """Whether a group is a variant: one value of any type."""
        return bool(self.trees.get("spark", {}).get("type") == "variant")

    def refine(self, made: Parameters) -> Parameters:
        """Refine a type by the writers' metadata."""
        for writer, tree in self.trees.items():
            made = _REFINERS[writer](made, tree) if writer in _REFINERS else made
        return made


def _refine_spark(made: Parameters, tree: Tree) -> Parameters:
    kind, name = made["type"], tree.get("type", "")
    if kind is Kind.STRING:
        text = _TEXT.fullmatch(name)
        held = {"type": _TEXTS[text[1]], "length": int(text[2])} if text else {}
        collation = {"collation": tree["collation"]} if "collation" in tree else {}
        return {**made, **held, **collation}
    if made.get("physical") == "INT96" and name == "timestamp":
        return {**made, "timezone": "UTC"}
    if name.startswith("udt "):
        return {**made, "native": made.get("native") or name.removeprefix("udt ")}
    return _refine_interval(made, name)


def _refine_interval(made: Parameters, name: str) -> Parameters:
    native = {} if name in _WIDEST else {"native": name}
    if made["type"] is Kind.INT32 and _CALENDAR.fullmatch(name):
        return {"type": Kind.INTERVAL, "unit": Unit.YEAR_MONTH, **native}
    if made["type"] is Kind.INT64 and _CLOCK.fullmatch(name):
        return {"type": Kind.INTERVAL, "unit": Unit.DAY_TIME, **native}
    return made


def _refine_arrow(made: Parameters, tree: Tree) -> Parameters:
    kind = made["type"]
    if kind is Kind.INT64 and tree.get("type") == "duration":
        made = {"type": Kind.INTERVAL, "unit": Unit(tree["unit"])}
    if kind is Kind.ARRAY and "length" in tree:
        made = {**made, "length": tree["length"]}
    if kind is Kind.TIMESTAMP and "zone" in tree:
        made = _apply_zone(made, tree["zone"])
    return apply_extension(made, tree["extension"]) if "extension" in tree else made


def _apply_zone(made: Parameters, zone: str) -> Parameters:
    """Add a time zone: files store instants in UTC, and the writer's zone only for display."""
    native = {} if zone in _UTC else {"native": f"timestamp[{made['unit'].value}, tz={zone}]"}
    return {**made, "timezone": "UTC", **native}


def apply_extension(made: Parameters, extension: str) -> Parameters:
    """Apply an Arrow extension type, if the storage type matches it."""
    kind = made["type"]
    known = _EXTENSIONS.get(extension)
    if known is None or not known[1](made):
        own = kind in (Kind.UUID, Kind.JSON) and known is not None
        return made if own else {**made, "native": made.get("native") or extension}
    return dict(known[0])


_EXTENSIONS: Mapping[str, tuple[Parameters, Callable[[Parameters], bool]]] = {
    "arrow.uuid": (
        {"type": Kind.UUID},
        lambda made: made["type"] is Kind.FIXED and made["length"] == 16,  # noqa: PLR2004
    ),
    "arrow.json": ({"type": Kind.JSON}, lambda made: made["type"] is Kind.STRING),
    "arrow.bool8": (
        {"type": Kind.BOOLEAN, "physical": "INT8"},
        lambda made: made["type"] is Kind.INT8,
    ),
}


def _refine_avro(made: Parameters, tree: Tree) -> Parameters:
    symbols = tuple(tree.get("symbols", ()))
    return {**made, "symbols": symbols} if made["type"] is Kind.ENUM and symbols else made


_REFINERS: Mapping[str, Callable[[Parameters, Tree], Parameters]] = {
    "spark": _refine_spark,
    "arrow": _refine_arrow,
    "avro": _refine_avro,
}

"""JSON records as portable types, inferred from values; strings stay strings."""

from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import MAX_LEVELS, Element, Field, Kind, MapKey
from lumos_snap.scan.schemas.supertype import DatasetSchema, describe_text_file, replace_surrogates

DIGITS = 38
"""Precision of decimals for integers beyond 64 bits; longer integers lose digits."""


_SCALARS: tuple[tuple[frozenset[str], JsonObject], ...] = (
    (frozenset(), {"type": Kind.NULL}),
    (frozenset(("int",)), {"type": Kind.INT64}),
    (frozenset(("int", "big")), {"type": Kind.DECIMAL, "precision": DIGITS, "scale": 0}),
    (frozenset(("int", "big", "huge", "float", "nan")), {"type": Kind.FLOAT64}),
    (frozenset(("bool",)), {"type": Kind.BOOLEAN}),
    (frozenset(("string",)), {"type": Kind.STRING}),
)
_NESTED = frozenset(("object", "array"))
_FLAGS = {
    "nan": "some numbers are NaN or Infinity, which JSON does not know",
    "duplicate-keys": "some objects repeat a key: the last value counts",
    "broken-lines": "some lines are not JSON and were left out",
    "cut": "the first record is longer than what is read: what follows in it was not seen",
}


def schema_of(evidence: JsonObject) -> DatasetSchema:
    """Convert the columns, with the layout of the records and notes on doubts."""
    types = _Types()
    fields = types.columns(evidence["shape"])
    layout = evidence["layout"]
    return describe_text_file(
        fields,
        evidence,
        options={} if layout == "lines" else {"layout": layout},
        notes=types.notes,
        flags=_FLAGS,
    )


class _Types:
    """Converts shapes to types, and collects notes on doubts."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def columns(self, shape: JsonObject) -> tuple[Field, ...]:
        """Convert the members of the records; other values are one column, as in Spark."""
        if not shape["kinds"]:
            return ()
        if shape["kinds"] == ["object"] and "map" not in shape:
            return self._fields(shape, "", 0)
        return (Field(name="value", nullable=True, **self._type(shape, "value", 1)),)

    def _fields(self, shape: JsonObject, path: str, level: int) -> tuple[Field, ...]:
        return tuple(
            Field(name=name, nullable=True, **self._type(one, f"{path}{name}", level + 1))
            for name, one in (
                (replace_surrogates(n), one) for n, one in shape.get("fields", {}).items()
            )
        )

    def _type(self, shape: JsonObject, path: str, level: int) -> JsonObject:
        kinds = frozenset(shape["kinds"]) - {"null"}
        if not kinds & _NESTED:
            return self._scalar(kinds, path)
        if len(kinds) > 1:
            self._note(path, "some values are nested and some are not: read as JSON")
            return {"type": Kind.JSON}
        if level >= MAX_LEVELS:
            self._note(path, f"its values are nested over {MAX_LEVELS} levels deep")
            return {"type": Kind.UNKNOWN, "native": next(iter(kinds))}
        return (self._array if "array" in kinds else self._object)(shape, path, level)

    def _scalar(self, kinds: frozenset[str], path: str) -> JsonObject:
        if "huge" in kinds:
            self._note(path, f"some numbers have more than {DIGITS} digits")
        for known, given in _SCALARS:
            if kinds <= known:
                return given
        self._note(path, "its values are of several kinds: read as STRING")
        return {"type": Kind.STRING}

    def _array(self, shape: JsonObject, path: str, level: int) -> JsonObject:
        return {"type": Kind.ARRAY, "element": self._element(shape, "element", f"{path}[]", level)}

    def _object(self, shape: JsonObject, path: str, level: int) -> JsonObject:
        if "map" not in shape:
            return {"type": Kind.STRUCT, "fields": self._fields(shape, f"{path}.", level)}
        self._note(path, "its names differ from record to record: read as MAP")
        value = self._element(shape, "map", f"{path}{{}}", level)
        return {"type": Kind.MAP, "key": MapKey(type=Kind.STRING), "value": value}

    def _element(self, shape: JsonObject, of: str, path: str, level: int) -> Element:
        given = self._type(shape[of], path, level + 1) if of in shape else {"type": Kind.NULL}
        return Element(nullable=True, **given)

    def _note(self, path: str, what: str) -> None:
        self.notes.append(f"column `{path}`: {what}")

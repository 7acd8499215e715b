"""The type that a text in the notation of `notation` stands for."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lumos_snap.model.kinds import PARAMETERS, UNITS, Kind, Unit
from lumos_snap.model.scanner import Scanner
from lumos_snap.model.types import MAX_LEVELS, Branch, DataType, Element, Field, MapKey

T = TypeVar("T")
_Arguments = dict[str, Any]  # what the classes in `types` are built with

_KINDS = {kind.value: kind for kind in Kind}
_LONGEST = 2**53


def parse_type(text: str) -> DataType:
    """The type that a text stands for; raises `ValueError` that says what was expected where."""
    scanner = Scanner(text)
    found = DataType(**_read(scanner, 1))
    if not scanner.ends():
        raise scanner.expected("the end")
    return found


def _read(scanner: Scanner, level: int) -> _Arguments:
    """What the type that stands next is built with; `level` counts how deep it stands."""
    if level > MAX_LEVELS:
        raise scanner.expected(f"no more than {MAX_LEVELS} levels")
    word = scanner.identifier()
    kind = _KINDS.get(word.upper())
    if kind is None:
        raise scanner.expected("a type such as INT64 or ARRAY<STRING>", again=bool(word))
    found: _Arguments = {"type": kind}
    if kind in _NESTED:
        found |= _NESTED[kind](scanner, level + 1)
    elif kind in _FLAT:
        found |= _FLAT[kind](scanner, kind)
    return found


def _decimal(scanner: Scanner, _kind: Kind) -> _Arguments:
    if not scanner.has("("):
        return {}
    precision = scanner.number("a precision", least=1, most=1000)
    scanner.need(",")
    scale = scanner.number("a scale", least=-1000, most=1000)
    scanner.need(")")
    return {"precision": precision, "scale": scale}


def _text(scanner: Scanner, kind: Kind) -> _Arguments:
    parameters = PARAMETERS[kind]
    is_sized = "length" in parameters.must or ("length" in parameters.may and scanner.stands("("))
    found = _length(scanner) if is_sized else {}
    if "collation" in parameters.may and scanner.says("COLLATE"):
        found["collation"] = _filled(scanner, scanner.word() or scanner.quoted(), "a collation")
    return found


def _length(scanner: Scanner) -> _Arguments:
    scanner.need("(")
    length = scanner.number("a length", least=0, most=_LONGEST)
    scanner.need(")")
    return {"length": length}


def _clock(scanner: Scanner, kind: Kind) -> _Arguments:
    if not scanner.has("("):
        return {}
    found: _Arguments = {}
    units, has_zone = PARAMETERS[kind].units, "timezone" in PARAMETERS[kind].may
    word = scanner.word()
    if word in units:
        found["unit"] = Unit(word)
        if not (has_zone and scanner.has(",")):
            scanner.need(")", "`,` or `)`" if has_zone else "`)`")
            return found
        word = scanner.word()
    if word in UNITS or not has_zone:
        raise scanner.expected(f"one of {', '.join(units)}", again=word is not None)
    found["timezone"] = _filled(scanner, word or scanner.quoted(), "a time zone")
    scanner.need(")")
    return found


def _symbols(scanner: Scanner, _kind: Kind) -> _Arguments:
    found: _Arguments = {}
    if scanner.has("("):
        found["symbols"] = _items(scanner, _symbol, end=")")
    if scanner.says("DEFAULT"):
        found["symbol_default"] = _symbol(scanner)
    return found


def _symbol(scanner: Scanner) -> str:
    symbol = scanner.quoted()
    if symbol is None:
        raise scanner.expected("a symbol in quotes")
    return symbol


def _ref(scanner: Scanner, _kind: Kind) -> _Arguments:
    scanner.need("(")
    ref = _filled(scanner, scanner.name(), "the name of a definition")
    scanner.need(")")
    return {"ref": ref}


def _native(scanner: Scanner, _kind: Kind) -> _Arguments:
    scanner.need("(")
    native = _filled(scanner, scanner.quoted(), "the source's own name in quotes")
    scanner.need(")")
    return {"native": native}


def _array(scanner: Scanner, level: int) -> _Arguments:
    scanner.need("<")
    element = _element(scanner, level)
    scanner.need(">")
    length = _length(scanner) if scanner.stands("(") else {}
    return {"element": element, **length}


def _map(scanner: Scanner, level: int) -> _Arguments:
    scanner.need("<")
    key = MapKey(**_read(scanner, level))
    scanner.need(",")
    value = _element(scanner, level)
    scanner.need(">")
    return {"key": key, "value": value}


def _element(scanner: Scanner, level: int) -> Element:
    return Element(**_read(scanner, level), nullable=not scanner.says("NOT", "NULL"))


def _struct(scanner: Scanner, level: int) -> _Arguments:
    def member(scanner: Scanner) -> Field:
        name = scanner.label()
        if name is None:
            raise scanner.expected("a name and `:`")
        return Field(name=name, **_read(scanner, level), nullable=not scanner.says("NOT", "NULL"))

    return {"fields": _items(scanner, member, end=">") if scanner.has("<") else ()}


def _union(scanner: Scanner, level: int) -> _Arguments:
    def branch(scanner: Scanner) -> Branch:
        label = scanner.label()
        name = None if label is None else _filled(scanner, label, "a name that is not empty")
        return Branch(name=name, **_read(scanner, level))

    return {"branches": _items(scanner, branch, end=">") if scanner.has("<") else ()}


def _items(scanner: Scanner, item: Callable[[Scanner], T], *, end: str) -> tuple[T, ...]:
    """Items with commas between them, up to the sign that ends them."""
    if scanner.has(end):
        return ()
    found = [item(scanner)]
    while scanner.has(","):
        found.append(item(scanner))
    scanner.need(end, f"`,` or `{end}`")
    return tuple(found)


def _filled(scanner: Scanner, text: str | None, what: str) -> str:
    if not text:
        raise scanner.expected(what, again=text is not None)
    return text


_FLAT: Mapping[Kind, Callable[[Scanner, Kind], _Arguments]] = {
    Kind.DECIMAL: _decimal,
    Kind.STRING: _text,
    Kind.CHAR: _text,
    Kind.VARCHAR: _text,
    Kind.BINARY: _text,
    Kind.FIXED: _text,
    Kind.TIME: _clock,
    Kind.TIMESTAMP: _clock,
    Kind.INTERVAL: _clock,
    Kind.ENUM: _symbols,
    Kind.REF: _ref,
    Kind.UNKNOWN: _native,
}
_NESTED: Mapping[Kind, Callable[[Scanner, int], _Arguments]] = {
    Kind.ARRAY: _array,
    Kind.MAP: _map,
    Kind.STRUCT: _struct,
    Kind.UNION: _union,
}

"""Parser and formatter of the type notation."""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from lumos_snap.json_object import JsonObject
from lumos_snap.model.types import (
    MAX_LEVELS,
    PARAMETERS,
    UNITS,
    Branch,
    DataType,
    Element,
    Field,
    Kind,
    MapKey,
    Unit,
)

PLAIN_NAME = re.compile(r"[^\s.`\[\]{}<>#\"'(),:\x00-\x1f\x7f]+")
PLAIN_WORD = re.compile(r"[A-Za-z0-9_+/:.-]+")

_BACKTICKED = re.compile(r"`((?:[^`]|``)*)`")
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_NUMBER = re.compile(r"[+-]?[0-9]{1,16}(?![0-9])")
_SPACE = re.compile(r"\s*")


class Scanner:
    """A text with a read position. Whitespace before each token is skipped."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._start = 0

    def expected(self, what: str, *, again: bool = False) -> ValueError:
        """The error at the current position, or at the last token."""
        at = self._start if again else _end_of_space(self._text, self._at)
        rest = self._text[at:]
        found = f"`{rest[:12]}{'…' if rest[12:] else ''}`" if rest else "the end"
        return ValueError(f"not a type: column {at + 1}: expected {what}, found {found}")

    def has(self, sign: str) -> bool:
        """Read a sign if it is next."""
        return self._take(re.compile(re.escape(sign))) is not None

    def stands(self, sign: str) -> bool:
        """Whether a sign is next."""
        return self._text.startswith(sign, _end_of_space(self._text, self._at))

    def need(self, sign: str, what: str = "") -> None:
        """Read a sign that is required here."""
        if not self.has(sign):
            raise self.expected(what or f"`{sign}`")

    def says(self, *words: str) -> bool:
        """Read these words, in any case, if they are next."""
        pattern = re.compile(r"\s+".join(words) + r"\b", re.IGNORECASE)
        return self._take(pattern) is not None

    def ends(self) -> bool:
        """Whether the text is read completely."""
        return _end_of_space(self._text, self._at) == len(self._text)

    def identifier(self) -> str:
        """Read letters and digits; empty if there are none."""
        found = self._take(_IDENTIFIER)
        return found.group() if found else ""

    def name(self) -> str | None:
        """Read a name, plain or in backticks, if one is next."""
        found = self._plain(PLAIN_NAME)
        return self._unwrapped(_BACKTICKED, "`") if found is None else found

    def label(self) -> str | None:
        """Read a name followed by a colon, if both are next."""
        before = _end_of_space(self._text, self._at)
        name = self.name()
        if name is not None and self.has(":"):
            self._start = before
            return name
        self._at = before
        return None

    def word(self) -> str | None:
        """Read a word without quotes, if one is next."""
        return self._plain(PLAIN_WORD)

    def quoted(self) -> str | None:
        """Read a quoted text, if one is next."""
        return self._unwrapped(_QUOTED, "'")

    def number(self, what: str, *, least: int, most: int) -> int:
        """Read an integer within bounds."""
        found = self._take(_NUMBER)
        if found is None:
            raise self.expected(what)
        if not least <= int(found.group()) <= most:
            raise self.expected(f"{what} from {least} to {most}", again=True)
        return int(found.group())

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        start = _end_of_space(self._text, self._at)
        found = pattern.match(self._text, start)
        if found:
            self._start, self._at = start, found.end()
        return found

    def _plain(self, pattern: re.Pattern[str]) -> str | None:
        found = self._take(pattern)
        return found.group() if found else None

    def _unwrapped(self, pattern: re.Pattern[str], sign: str) -> str | None:
        found = self._take(pattern)
        return found.group(1).replace(sign * 2, sign) if found else None


def _end_of_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


T = TypeVar("T")
_Arguments = JsonObject  # arguments for the classes in `types`

_KINDS = {kind.value: kind for kind in Kind}
_LONGEST = 2**53


def parse_type(text: str) -> DataType:
    """Parse a type; the message of the `ValueError` says what was expected where."""
    scanner = Scanner(text)
    found = DataType(**_read(scanner, 1))
    if not scanner.ends():
        raise scanner.expected("the end")
    return found


def _read(scanner: Scanner, level: int) -> _Arguments:
    """Read the arguments of the next type; `level` is its nesting depth."""
    if level > MAX_LEVELS:
        raise scanner.expected(f"no more than {MAX_LEVELS} levels")
    word = scanner.identifier()
    kind = _KINDS.get(word.upper())
    if kind is None:
        raise scanner.expected("a type such as INT64 or ARRAY<STRING>", again=bool(word))
    found: dict[str, object] = {"type": kind}
    if kind in _NESTED:
        found.update(_NESTED[kind](scanner, level + 1))
    elif kind in _FLAT:
        found.update(_FLAT[kind](scanner, kind))
    return found


def _read_decimal(scanner: Scanner, _kind: Kind) -> _Arguments:
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
    found: dict[str, object] = {**_read_length(scanner)} if is_sized else {}
    if "collation" in parameters.may and scanner.says("COLLATE"):
        found["collation"] = _require_text(
            scanner, scanner.word() or scanner.quoted(), "a collation"
        )
    return found


def _read_length(scanner: Scanner) -> _Arguments:
    scanner.need("(")
    length = scanner.number("a length", least=0, most=_LONGEST)
    scanner.need(")")
    return {"length": length}


def _read_clock(scanner: Scanner, kind: Kind) -> _Arguments:
    if not scanner.has("("):
        return {}
    found: dict[str, object] = {}
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
    found["timezone"] = _require_text(scanner, word or scanner.quoted(), "a time zone")
    scanner.need(")")
    return found


def _read_symbols(scanner: Scanner, _kind: Kind) -> _Arguments:
    found: dict[str, object] = {}
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
    ref = _require_text(scanner, scanner.name(), "the name of a definition")
    scanner.need(")")
    return {"ref": ref}


def _native(scanner: Scanner, _kind: Kind) -> _Arguments:
    scanner.need("(")
    native = _require_text(scanner, scanner.quoted(), "the source's own name in quotes")
    scanner.need(")")
    return {"native": native}


def _array(scanner: Scanner, level: int) -> _Arguments:
    scanner.need("<")
    element = _element(scanner, level)
    scanner.need(">")
    length = _read_length(scanner) if scanner.stands("(") else {}
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
        name = None if label is None else _require_text(scanner, label, "a name that is not empty")
        return Branch(name=name, **_read(scanner, level))

    return {"branches": _items(scanner, branch, end=">") if scanner.has("<") else ()}


def _items(scanner: Scanner, item: Callable[[Scanner], T], *, end: str) -> tuple[T, ...]:
    """Read items separated by commas, up to the closing sign."""
    if scanner.has(end):
        return ()
    found = [item(scanner)]
    while scanner.has(","):
        found.append(item(scanner))
    scanner.need(end, f"`,` or `{end}`")
    return tuple(found)


def _require_text(scanner: Scanner, text: str | None, what: str) -> str:
    if not text:
        raise scanner.expected(what, again=text is not None)
    return text


_FLAT: Mapping[Kind, Callable[[Scanner, Kind], _Arguments]] = {
    Kind.DECIMAL: _read_decimal,
    Kind.STRING: _text,
    Kind.CHAR: _text,
    Kind.VARCHAR: _text,
    Kind.BINARY: _text,
    Kind.FIXED: _text,
    Kind.TIME: _read_clock,
    Kind.TIMESTAMP: _read_clock,
    Kind.INTERVAL: _read_clock,
    Kind.ENUM: _read_symbols,
    Kind.REF: _ref,
    Kind.UNKNOWN: _native,
}
_NESTED: Mapping[Kind, Callable[[Scanner, int], _Arguments]] = {
    Kind.ARRAY: _array,
    Kind.MAP: _map,
    Kind.STRUCT: _struct,
    Kind.UNION: _union,
}


def format_type(data_type: DataType) -> str:
    """Format a type in the notation; other attributes of a field are left out."""
    kind = data_type.type
    return kind.value + (_WRITTEN[kind](data_type) if kind in _WRITTEN else "")


def _format_decimal(one: DataType) -> str:
    return "" if one.precision is None else f"({one.precision},{one.scale})"


def _format_length(one: DataType) -> str:
    return "" if one.length is None else f"({one.length})"


def _collation(one: DataType) -> str:
    return "" if one.collation is None else f" COLLATE {_word(one.collation)}"


def _format_clock(one: DataType) -> str:
    said = [] if one.unit is None else [one.unit.value]
    if one.timezone is not None:
        said.append(_quote(one.timezone) if one.timezone in UNITS else _word(one.timezone))
    return f"({', '.join(said)})" if said else ""


def _format_symbols(one: DataType) -> str:
    written = f"({','.join(map(_quote, one.symbols))})" if one.symbols else ""
    default = one.symbol_default
    return written if default is None else f"{written} DEFAULT {_quote(default)}"


def _format_nested(*held: DataType | None) -> str:
    return f"<{', '.join(_format_inner(one) for one in held if one is not None)}>"


def _format_inner(one: DataType) -> str:
    label = (
        f"{_name(one.name)}: " if isinstance(one, Field | Branch) and one.name is not None else ""
    )
    required = " NOT NULL" if isinstance(one, Field | Element) and not one.nullable else ""
    return f"{label}{format_type(one)}{required}"


def _name(name: str) -> str:
    return name if PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _word(text: str) -> str:
    return text if PLAIN_WORD.fullmatch(text) else _quote(text)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_WRITTEN: Mapping[Kind, Callable[[DataType], str]] = {
    Kind.DECIMAL: _format_decimal,
    Kind.STRING: _collation,
    Kind.CHAR: lambda one: _format_length(one) + _collation(one),
    Kind.VARCHAR: lambda one: _format_length(one) + _collation(one),
    Kind.BINARY: _format_length,
    Kind.FIXED: _format_length,
    Kind.TIME: _format_clock,
    Kind.TIMESTAMP: _format_clock,
    Kind.INTERVAL: _format_clock,
    Kind.ENUM: _format_symbols,
    Kind.ARRAY: lambda one: _format_nested(one.element) + _format_length(one),
    Kind.MAP: lambda one: _format_nested(one.key, one.value),
    Kind.STRUCT: lambda one: _format_nested(*one.fields),
    Kind.UNION: lambda one: _format_nested(*one.branches),
    Kind.REF: lambda one: f"({_name(one.ref or '')})",
    Kind.UNKNOWN: lambda one: f"({_quote(one.native or '')})",
}

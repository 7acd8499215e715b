"""What one column says of itself beside its type, where many files describe it.

Every attribute of the classes that hold types has a row here: one that is added to a class makes
itself heard, instead of being whatever the first file says.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from lumos_snap.model.types import DataType
from lumos_snap.scan.schemas.types import NO_PARAMETERS, unanimous

Said = Sequence[Any]
"""What each of those who have the column says, the leading one first."""


def _leading(said: Said) -> Any:
    return said[0]


def _first(said: Said) -> Any:
    return next((one for one in said if one is not None), None)


def _every(said: Said) -> tuple[Any, ...]:
    return tuple(sorted({one for some in said for one in some}))


def _same(said: Said) -> Mapping[str, Any]:
    first, *others = said
    return {
        name: held
        for name, held in first.items()
        if all(name in other and other[name] == held for other in others)
    }


DECIDED: Mapping[str, Callable[[Said], Any]] = {
    "name": _leading,
    "nullable": any,
    # What is true of some files only is not said of all.
    "id": unanimous,
    "physical_name": unanimous,
    "generated": unanimous,
    "properties": _same,
    # Words and defaults are said for the column, in whichever file.
    "description": _first,
    "default": _first,
    "write_default": _first,
    "aliases": _every,
}
"""How one answer comes of many, attribute by attribute."""


def decided(cls: type[DataType], held: Sequence[DataType]) -> dict[str, Any]:
    """What is said of one column of this class."""
    own = (one.name for one in fields(cls) if one.name not in NO_PARAMETERS)
    return {name: DECIDED[name]([getattr(one, name) for one in held]) for name in own}

"""The formats that a diff can be had in: a row each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lumos_snap.errors import LumosError
from lumos_snap.report.text import shown

if TYPE_CHECKING:
    from lumos_snap.report.changes import Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How much of a diff a format for people shows."""

    limit: int = 100
    everything: bool = False


Render: TypeAlias = Callable[["Difference", Style], str]


def _text(report: "Difference", style: Style) -> str:
    from lumos_snap.render.difftext import difference  # noqa: PLC0415 - only where asked for

    lines = difference(report, limit=style.limit, everything=style.everything)
    return "".join(f"{shown(line)}\n" for line in lines)


def _json(report: "Difference", _style: Style) -> str:
    from lumos_snap.render.jsontext import to_json  # noqa: PLC0415 - only where asked for

    return to_json(report)


def _markdown(report: "Difference", style: Style) -> str:
    from lumos_snap.render.markdown import difference  # noqa: PLC0415 - only where asked for

    return difference(report, everything=style.everything)


def _env(report: "Difference", _style: Style) -> str:
    from lumos_snap.render.keyvalues import difference  # noqa: PLC0415 - only where asked for

    return "".join(f"{line}\n" for line in difference(report))


FORMATS: Mapping[str, Render] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
    "env": _env,
}


@dataclass(frozen=True, slots=True)
class Output:
    """A format, and the file that it goes to; without one it is printed."""

    render: Render
    file: Path | None


def chosen(wanted: Sequence[str]) -> tuple[Output, ...]:
    """What `FORMAT[=FILE]` asks for."""
    found = tuple(map(_one, wanted))
    if sum(one.file is None for one in found) > 1:
        raise LumosError(
            "only one output can be printed", hint="send the others to files: --output json=FILE"
        )
    return found


def _one(text: str) -> Output:
    name, equals, file = text.partition("=")
    if name not in FORMATS:
        raise LumosError(f"there is no output `{name}`", hint=f"choose {_listed(FORMATS)}")
    if equals and not file:
        raise LumosError(f"{text}: no file is named", hint=f"write {name}=FILE, or {name}")
    return Output(FORMATS[name], Path(file) if file not in ("", "-") else None)


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"

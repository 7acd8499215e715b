"""The reference page of all engines: their properties, and a matrix of type pairs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lumos_snap.engines.profile import (
    EngineAnswer,
    Profile,
    ReadOutcome,
    ask,
    engine_names,
    profile,
)
from lumos_snap.json_object import JsonObject

SIGNS = {ReadOutcome.EXACT: "✓", ReadOutcome.REFUSED: "✗", ReadOutcome.CHANGED: "≈"}

SHOWN: Mapping[str, Mapping[str, Any]] = {
    "BOOLEAN": {"type": "BOOLEAN"},
    "INT8": {"type": "INT8"},
    "INT16": {"type": "INT16"},
    "INT32": {"type": "INT32"},
    "INT64": {"type": "INT64"},
    "UINT32": {"type": "UINT32"},
    "UINT64": {"type": "UINT64"},
    "FLOAT32": {"type": "FLOAT32"},
    "FLOAT64": {"type": "FLOAT64"},
    "DECIMAL(9,0)": {"type": "DECIMAL", "precision": 9, "scale": 0},
    "DECIMAL(10,2)": {"type": "DECIMAL", "precision": 10, "scale": 2},
    "DECIMAL(12,2)": {"type": "DECIMAL", "precision": 12, "scale": 2},
    "DECIMAL(12,4)": {"type": "DECIMAL", "precision": 12, "scale": 4},
    "DECIMAL(20,0)": {"type": "DECIMAL", "precision": 20, "scale": 0},
    "STRING": {"type": "STRING"},
    "VARCHAR(20)": {"type": "VARCHAR", "length": 20},
    "BINARY": {"type": "BINARY"},
    "UUID": {"type": "UUID"},
    "DATE": {"type": "DATE"},
    "TIME(us)": {"type": "TIME", "unit": "us"},
    "TIMESTAMP(ms)": {"type": "TIMESTAMP", "unit": "ms"},
    "TIMESTAMP(us)": {"type": "TIMESTAMP", "unit": "us"},
    "TIMESTAMP(ns)": {"type": "TIMESTAMP", "unit": "ns"},
    "TIMESTAMP(us, UTC)": {"type": "TIMESTAMP", "unit": "us", "timezone": "UTC"},
    "NULL": {"type": "NULL"},
}
"""The types with a row and a column on the page."""

_INTRODUCTION = """\
# What readers do when a type changes

Stored files have the old type, at the left; a reader is told the new one, at the top.

- ✓ every stored value is read as what it was
- ✗ the reader fails, or the engine does not allow the change
- ≈ the reader succeeds and returns **other values**: nothing reports the damage

Where an engine has several readers, the worst of them counts. Numbers point to what was seen.
"""


def page() -> str:
    """Render the page as Markdown."""
    return "\n".join([_INTRODUCTION, *(_section(profile(name)) for name in engine_names())])


def _section(about: Profile) -> str:
    notes: dict[str, int] = {}
    table = "\n".join(_table(about.name, notes))
    parts = (f"## {about.name}", "\n".join(_facts(about)), table, "\n".join(_notes(notes)))
    return "".join(f"{part}\n\n" for part in parts if part).rstrip("\n") + "\n"


def _facts(about: Profile) -> Iterator[str]:
    says = about.says
    yield f"{says[0].upper()}{says[1:]}.\n"
    if about.version:
        yield f"- version: {about.version}"
    if about.readers:
        yield f"- readers inside it: {', '.join(about.readers)}"
    yield f"- known from: {'; '.join(about.sources.values())}"
    for words, trait in _traits(about):
        yield f"- {words} ({about.trait_sources[trait]})"
    if about.unreadable:
        kinds = ", ".join(dict.fromkeys(map(_kind, about.unreadable)))
        yield f"- cannot read {kinds} ({about.unreadable_source})"


def _kind(one: JsonObject) -> str:
    return f"{one['type']}({one['unit']})" if "unit" in one else str(one["type"])


def _traits(about: Profile) -> Iterator[tuple[str, str]]:
    traits = about.traits
    yield f"finds columns by {traits.finds_fields}", "finds_fields"
    yield _either("ignores", "minds", told=traits.ignores_case) + " case in names", "ignores_case"
    fills = _either("its default", "null, or is refused", told=traits.fills_defaults)
    yield f"a column that old files lack gets {fills}", "fills_defaults"
    nulls = _either("gets null", "is refused", told=traits.fills_nulls)
    yield f"a column without a default that files lack {nulls}", "fills_nulls"
    follows = _either("follows", "knows no", told=traits.follows_aliases)
    yield f"{follows} aliases", "follows_aliases"


def _either(yes: str, no: str, *, told: bool) -> str:
    return yes if told else no


def _table(engine: str, notes: dict[str, int]) -> Iterator[str]:
    yield _line(["from \\ to", *SHOWN])
    yield _line(["---", *([":-:"] * len(SHOWN))])
    for name, old in SHOWN.items():
        yield _line(
            [f"**{name}**", *(_sign(ask(engine, old, new), notes) for new in SHOWN.values())]
        )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _sign(answer: EngineAnswer, notes: dict[str, int]) -> str:
    sign = SIGNS[answer.outcome]
    if answer.outcome is not ReadOutcome.CHANGED:
        return sign
    note = f"{_format_example(answer.shows)}{answer.why}{_reader(answer)}"
    return f"{sign}<sup>{notes.setdefault(note, len(notes) + 1)}</sup>"


def _format_example(shows: str) -> str:
    return f"`{shows}` " if shows else ""


def _reader(answer: EngineAnswer) -> str:
    return f" Only its {answer.reader} reader." if answer.reader else ""


def _notes(notes: Mapping[str, int]) -> Iterator[str]:
    yield from (f"{number}. {note}" for note, number in notes.items())

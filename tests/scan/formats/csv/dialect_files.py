"""CSV files in many dialects with what is true of them, the same each time."""

import csv
import io
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

NAMES = (
    "id", "customer_id", "name", "Größe", "amount", "created at", "city", "Ort/Land", "is_active",
    "Total (EUR)", "q1", "e-mail", "名前", "note", "x", "price_2024", "Straße", "status", "ZIP",
)  # fmt: skip
WORDS = (
    "Berlin", "new", "old item", "Müller", "open", "closed", "x", "San José", "red", "blue",
    "to be checked", "A", "B", "東京",
)  # fmt: skip
AWKWARD = (
    "one, two", "semi; colon", 'said "hi"', "two\nlines", "pipe | pipe", "tab\there", "it's", "",
)  # fmt: skip
Cell = Callable[[random.Random, int], str]
CELLS: Mapping[str, Cell] = {
    "int": lambda chance, number: str(number * 7 + chance.randint(0, 6)),
    "float": lambda chance, _: f"{chance.randint(0, 999)}.{chance.randint(0, 99):02}",
    "date": lambda chance, _: f"2024-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
    "bool": lambda chance, _: chance.choice(("true", "false")),
    "word": lambda chance, _: chance.choice(WORDS),
    "awkward": lambda chance, _: chance.choice((*AWKWARD, *WORDS)),
    "comma": lambda chance, _: f"{chance.randint(0, 999)},{chance.randint(0, 99):02}",
    "sparse": lambda chance, number: "" if chance.random() < 0.4 else str(number),
}


class DialectFile(NamedTuple):
    """A file, and what is true of it."""

    number: int
    shape: str
    delimiter: str
    header: bool
    names: Sequence[str]
    text: str


SHAPES = (
    "plain", "plain", "plain", "no header", "quoted", "awkward", "texts only", "questions below",
    "groups above", "titles above", "long questions", "decimal commas", "trailing delimiter",
    "single quotes", "units below", "comments",
)  # fmt: skip


def dialect_files(count: int, seed: int = 1) -> Iterator[DialectFile]:
    """Yield files of all shapes in turn."""
    chance = random.Random(seed)
    for number in range(count):
        yield _file(number, SHAPES[number % len(SHAPES)], chance)


def _file(number: int, shape: str, chance: random.Random) -> DialectFile:
    width = chance.randint(3, 7)
    names = chance.sample(NAMES, width)
    if shape == "long questions":
        names = [f"Please tell us, in your own words: how do you find the {one}?" for one in names]
    types = _types(shape, width, chance)
    rows = [[CELLS[one](chance, row) for one in types] for row in range(chance.choice((3, 8, 40)))]
    delimiter = chance.choice(";\t|" if shape == "decimal commas" else ",,;\t|")
    lines = [*_headings(shape, names, delimiter), *([] if shape == "no header" else [names])]
    if shape == "questions below":
        lines.append([f"What is the {name} of this, in your words?" for name in names])
    if shape == "units below":
        lines.append(["in EUR" if one != "word" else "" for one in types])
    text = _write([*lines, *rows], shape, delimiter, chance.choice(("\n", "\r\n")))
    if shape == "trailing delimiter":
        names = [*names, f"_c{width}"]
    return DialectFile(number, shape, delimiter, shape != "no header", names, text)


def _headings(shape: str, names: Sequence[str], delimiter: str) -> list[list[str]]:
    match shape:
        case "groups above":
            return [["2023", "", "2024", *[""] * (len(names) - 3)]]
        case "titles above":
            return [["Report of the year"], [""]]
        case "comments":
            return [["# made by a program"], ["# for tests" + delimiter]]
        case _:
            return []


def _write(lines: Sequence[Sequence[str]], shape: str, delimiter: str, newline: str) -> str:
    target = io.StringIO()
    writer = csv.writer(
        target,
        delimiter=delimiter,
        quoting=csv.QUOTE_ALL if shape in {"quoted", "single quotes"} else csv.QUOTE_MINIMAL,
        quotechar="'" if shape == "single quotes" else '"',
        lineterminator=newline,
    )
    writer.writerows([[*line, ""] for line in lines] if shape == "trailing delimiter" else lines)
    return target.getvalue()


def _types(shape: str, width: int, chance: random.Random) -> list[str]:
    if shape == "texts only":
        return ["word"] * width
    if shape == "awkward":
        return ["int", *["awkward"] * (width - 1)]
    if shape == "decimal commas":
        return ["int", *["comma"] * (width - 1)]
    known = [one for one in CELLS if one not in {"awkward", "comma"}]
    return ["int", "float", *(chance.choice(known) for _ in range(width - 2))]

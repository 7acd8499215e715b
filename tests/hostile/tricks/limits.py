"""Tricks with size, depth and time: a document, a pattern or a name that is made to be too much."""

from collections.abc import Callable

from tests.hostile.trick import COMMANDS, CUSTOMERS, SETTINGS, Answer, PullRequest, Trick
from tests.hostile.tricks.links import row

WAIVERS = "metadata/waivers/w.yaml"
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
_YAML: dict[str, tuple[Callable[[], str], str, str]] = {
    "30,000 nested lists": (lambda: "[" * 30_000, "nested", "crashed with 139"),
    "aliases of aliases": (lambda: LAUGHS, "holds more", ""),
    "seven million values": (lambda: "a: [" + "a," * 7_000_000 + "]", "holds more", "took more"),
}


def _written(path: str, text: Callable[[], str]) -> Callable[[PullRequest], object]:
    return lambda request: request.write(path, text())


def _settings(name: str) -> Trick:
    text, said, before = _YAML[name]
    answer = Answer((1, 2, 3), rf"lumos\.yaml.*{said}")
    return Trick(
        name=name,
        place=SETTINGS,
        what=f"`lumos.yaml` holds {name}.",
        plant=_written(SETTINGS, text),
        answers=dict.fromkeys(COMMANDS, answer),
        before={"gate": before} if before.startswith("crashed") else {},
    )


def _waivers(name: str) -> Trick:
    text, said, before = _YAML[name]
    found = Answer((1,), rf"waivers/w\.yaml.*{said}")
    return Trick(
        name=name,
        place=WAIVERS,
        what=f"A file of waivers holds {name}.",
        plant=_written(WAIVERS, text),
        answers={
            "diff": found,
            "gate": found,
            "check": found,
            "validate": found,
            "comment": Answer((0,), rf"waivers/w\\?\.yaml.*{said}"),
        },
        unaffected={
            "bump": "a release derives versions; waivers play no part",
            "scan --check": "compares with the lake; waivers play no part",
            "sync": "writes what the tree says; waivers play no part",
        },
        before={"gate": before} if before.startswith("crashed") else {},
    )


_JSON: dict[str, tuple[Callable[[], str], str]] = {
    "100,000 nested lists": (lambda: "[" * 100_000, "depth limit"),
    "33 million values": (lambda: '{"schema": {"fields": [' + "[]," * 33_000_000 + "[]]}}", "MiB"),
    "60,000 errors": (
        lambda: '{"schema": {"fields": [' + "[]," * 60_000 + "[]]}}",
        "60,0.. places",
    ),
}


def _snapshot(name: str) -> Trick:
    text, said = _JSON[name]
    found = Answer((1,), rf"customers\.json.*{said}")
    return Trick(
        name=name,
        place=CUSTOMERS,
        what=f"A snapshot holds {name}.",
        plant=_written(CUSTOMERS, text),
        answers={
            "diff": found,
            "gate": found,
            "check": found,
            "validate": found,
            "comment": Answer((0,), "customers"),
            "bump": Answer((1,), "customers"),
            "sync": found,
        },
        unaffected={"scan --check": "compares with the lake, which has no such dataset"},
        before={"check": "exit 0"}
        | ({"diff": "used more than 500 MB"} if name.startswith("33") else {}),
    )


def _pattern(request: PullRequest) -> None:
    """A pattern of names and a name that Python's `re` would try for ever."""
    request.settings("policy:\n  naming:\n    - of: columns\n      pattern: '(a|a)*b'\n")
    request.edit(CUSTOMERS, '"name": "marketing_consent"', f'"name": "{"a" * 34}"')


_WIDE = "metadata/snapshots/postgres/shop/public/wide.json"


def _wide(columns: int) -> str:
    """A table of so many columns."""
    names = (f'      {{"name": "c{n}", "type": "INT64", "nullable": true}}' for n in range(columns))
    head = '{\n  "lumos_version": "1.0.0",\n  "urn": "lumos://postgres/shop/public/wide",\n'
    more = '  "name": "wide",\n  "platform": "postgres",\n  "schema": {\n    "fields": [\n'
    return head + more + ",\n".join(names) + "\n    ]\n  }\n}\n"


def _many_changes(request: PullRequest) -> None:
    request.git("switch", "--quiet", "main")
    request.write(_WIDE, _wide(20_000))
    request.commit()
    request.git("switch", "--quiet", "-C", "pr")
    request.write(_WIDE, _wide(1))
    request.drop_column()


FOUND = Answer((1,), "a" * 34)

TRICKS = (
    row(
        "20,000 dropped columns",
        _WIDE,
        _many_changes,
        {},
        what="Each of 20,000 changes of a table is found, judged and placed among all others.",
        before={"gate": "took more than 30 s"},
    ),
    *map(_settings, _YAML),
    *map(_waivers, _YAML),
    *map(_snapshot, _JSON),
    Trick(
        name="a pattern that never ends",
        place=SETTINGS,
        what="A regular expression for names, and a name, that take exponential time.",
        plant=_pattern,
        answers={"diff": FOUND, "gate": FOUND, "check": FOUND, "comment": Answer((0,), "a" * 34)},
        unaffected={
            "validate": "judges documents, and the pattern is one that is supported",
            "bump": "a release derives versions; it does not judge",
            "scan --check": "compares with the lake; the trick is about another dataset",
            "sync": "writes what the tree says; it does not judge",
        },
        before={"gate": "took more than 30 s"},
    ),
)

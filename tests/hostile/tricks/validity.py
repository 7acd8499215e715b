"""Tricks with documents that `validate` rejects, or that name what is not there."""

from collections.abc import Callable

from tests.hostile.trick import CUSTOMERS, ORDERS, Answer, PullRequest, Trick, everywhere

Plant = Callable[[PullRequest], object]

_NO_SCAN = "compares with the lake, which has no such dataset"
_VALID = "the document is valid; the finding is about the change"
_ABOUT_THE_CHANGE = {
    "check": "asks what the policy requires of datasets as they stand: here, nothing",
    "validate": _VALID,
    "bump": "a release derives versions; it does not judge",
    "scan --check": _NO_SCAN,
    "sync": _VALID,
}


def _replaced(old: str, new: str, path: str = CUSTOMERS) -> Plant:
    return lambda request: request.edit(path, old, new)


def _rewritten(change: Callable[[bytes], bytes]) -> Plant:
    def plant(request: PullRequest) -> None:
        request.write(CUSTOMERS, change((request.repo / CUSTOMERS).read_bytes()))

    return plant


def _moved(request: PullRequest) -> None:
    (request.repo / CUSTOMERS).rename((request.repo / CUSTOMERS).with_name("clients.json"))


def _in_other_letters(request: PullRequest) -> None:
    request.git("mv", "metadata/snapshots", "metadata/Snapshots")


def _decimal(request: PullRequest) -> None:
    """A column of more digits than the engine reads that the contract names."""
    request.edit(CUSTOMERS, '"now()"}\n', f'"now()"}},\n      {_DECIMAL}\n')
    readers = '"stable",\n    "readers": [\n      "spark-4"\n    ]\n'
    request.edit(CUSTOMERS, '"stable"\n', readers)


def _open_conflict(raw: bytes) -> bytes:
    """Both sides of a merge, as git leaves them."""
    line = next(one for one in raw.splitlines() if b'"name": "email"' in one)
    theirs = line.replace(b"254", b"100")
    return raw.replace(line, b"<<<<<<< HEAD\n" + line + b"\n=======\n" + theirs + b"\n>>>>>>> main")


def _invalid(name: str, what: str, plant: Plant, text: str, *exits: str) -> Trick:
    """A row of a document that every command rejects; `exits` are those that let it pass."""
    found = Answer((1,), text)
    answers = everywhere(found, but={"comment": Answer((0,), text)})
    del answers["scan --check"]
    return Trick(
        name=name,
        place=CUSTOMERS,
        what=what,
        plant=plant,
        answers=answers,
        unaffected={"scan --check": _NO_SCAN},
        before=dict.fromkeys(exits, "exit 0"),
    )


_UNIQUE = '{"columns": ["email"], "name": "customers_email_key"}'
_DECIDE = ("diff", "gate", "check", "bump")
_COLUMN = '      {"name": "email", "type": "STRING", "nullable": true},\n'
_FULL_NAME = '{"path": "full_name"'
_DECIMAL = '{"name": "sum", "type": "DECIMAL", "precision": 99, "scale": 2, "nullable": true}'

_ROWS = (
    _invalid(
        "a key twice",
        "A column has two types; parsers keep the last.",
        _replaced('"type": "VARCHAR"', '"type": "INT64", "type": "VARCHAR"'),
        "stands there twice",
        *_DECIDE,
        "sync",
    ),
    _invalid(
        "a section twice",
        "A document has two sections `schema`; parsers keep the last.",
        _replaced('  "schema": {', '  "schema": {"fields": []},\n  "schema": {'),
        "stands there twice",
        *_DECIDE,
        "sync",
    ),
    _invalid(
        "line ends of Windows",
        "Every line ends in CR LF.",
        _rewritten(lambda raw: raw.replace(b"\n", b"\r\n")),
        "not in canonical form",
        *_DECIDE,
        "sync",
    ),
    _invalid(
        "a byte-order mark",
        "A document begins with a byte-order mark.",
        _rewritten(lambda raw: b"\xef\xbb\xbf" + raw),
        "not in canonical form",
        *_DECIDE,
        "sync",
    ),
    _invalid(
        "a document that is not UTF-8",
        "A description holds a byte of Latin-1.",
        _rewritten(lambda raw: raw.replace(b"Everyone", b"Every\xf6ne")),
        "UTF-8",
        "check",
    ),
    _invalid(
        "a merge that is left open",
        "A document holds the conflict markers of git.",
        _rewritten(_open_conflict),
        "unresolved merge",
        "check",
    ),
    _invalid(
        "a fraction for a number",
        "A length is 254.0, which Python holds equal to the 254 before.",
        _replaced('"length": 254', '"length": 254.0'),
        "`length` must be an integer",
        "diff",
        "gate",
        "bump",
    ),
    _invalid(
        "a number for a truth value",
        "A column has `nullable: 1`, which Python holds equal to the `true` before.",
        _replaced('"DATE", "nullable": true', '"DATE", "nullable": 1'),
        "`nullable` must be true or false",
        "diff",
        "gate",
        "bump",
    ),
    _invalid(
        "a unique key of no column",
        "A unique key names a column that is not there.",
        _replaced(_UNIQUE, _UNIQUE + ',\n      {"columns": ["nope"]}'),
        "no column `nope`",
        *_DECIDE,
    ),
    _invalid(
        "two columns of one name",
        "A table has two columns of exactly one name.",
        _replaced('      {"name": "email"', _COLUMN + '      {"name": "email"'),
        "two columns `email`",
        "validate",
        "check",
        "bump",
        "sync",
    ),
    _invalid(
        "a document at the place of another",
        "A snapshot lies where that of another dataset belongs.",
        _moved,
        "belongs at",
        "check",
        "bump",
    ),
)

TRICKS = (
    *_ROWS,
    Trick(
        name="a key twice in what was scanned",
        place=ORDERS,
        what="A column of a scanned dataset has two types; parsers keep the last.",
        plant=_replaced('"type": "INT64"', '"type": "STRING", "type": "INT64"', ORDERS),
        answers=everywhere(
            Answer((1,), "stands there twice"), but={"comment": Answer((0,), "stands there twice")}
        ),
        before=dict.fromkeys((*_DECIDE, "sync"), "exit 0"),
    ),
    Trick(
        name="a folder in other letters",
        place="metadata/snapshots",
        what="`snapshots/` is called `Snapshots/`, where nothing looks for documents.",
        plant=_in_other_letters,
        answers=everywhere(
            Answer((3,), "has `Snapshots/` where `snapshots/` is expected"),
            but={"scan --check": Answer((1,), "added  file/lake/orders")},
        ),
        before=dict.fromkeys(("check", "validate", "bump"), "exit 0"),
    ),
    Trick(
        name="a mark on a column that is not there",
        place=CUSTOMERS,
        what="The path of a PII mark is misspelt: the column that is meant stays without one.",
        plant=_replaced(_FULL_NAME, '{"path": "fone", "pii": true},\n      ' + _FULL_NAME),
        answers={
            "diff": Answer((1,), "GV025"),
            "gate": Answer((1,), "GV025"),
            "comment": Answer((0,), "GV025"),
        },
        unaffected=_ABOUT_THE_CHANGE,
        before={"diff": "exit 0", "gate": "exit 0"},
    ),
    Trick(
        name="a decimal that a declared engine cannot read",
        place=CUSTOMERS,
        what="A column of 99 digits is added, and Spark reads 38.",
        plant=_decimal,
        answers={
            "diff": Answer((1,), "SC027"),
            "gate": Answer((1,), "SC027"),
            "comment": Answer((0,), "SC027"),
        },
        unaffected=_ABOUT_THE_CHANGE,
        before={"diff": "exit 0", "gate": "exit 0"},
    ),
)

"""Where each scalar of an older document is found in what was made of it."""

import re
from collections.abc import Iterator

from lumos_snap.canonical.migrations import MigrationResult
from lumos_snap.canonical.migrations.fields import to_portable_type
from lumos_snap.canonical.migrations.values import amount, parse_legacy_urn, reference

Pointer = tuple[str | int, ...]


def leaves(value: object, at: Pointer = ()) -> Iterator[tuple[Pointer, object]]:
    """Every scalar of a JSON value, with the way to it."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield from leaves(held, (*at, key))
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield from leaves(held, (*at, index))
    elif isinstance(value, int) and abs(value) > 2**53:
        yield at, str(value)  # some readers would change such a number
    else:
        yield at, value


def missing(document: object, upgraded: MigrationResult) -> list[tuple[Pointer, object]]:
    """The scalars that are nowhere, and of which no problem tells."""
    made = [*upgraded.snapshots, *upgraded.observations]
    made += [entity for kind in upgraded.entities.values() for entity in kind]
    held = {_tagged(leaf) for one in made for _, leaf in leaves(one)}
    told = [problem.pointer for problem in upgraded.problems]
    return [
        (pointer, leaf)
        for pointer, leaf in leaves(document)
        if _tagged(leaf) not in held
        and not any(pointer[: len(_item(at))] == _item(at) for at in told)
        and not any(_tagged(form) in held for form in _forms(pointer, leaf))
        and not _is_spelled_out(pointer, leaf, held)
    ]


def _item(pointer: Pointer) -> Pointer:
    """The item of a list of datasets or entities that a problem tells of, or the lone dataset."""
    if pointer == ("urn",):
        return ()
    for end, step in enumerate(pointer):
        if step in ("datasets", "users", "groups", "glossary", "domains", "jobs"):
            return pointer[: end + 2]
    return pointer


def _tagged(leaf: object) -> tuple[str, object]:
    return type(leaf).__name__, leaf


def _forms(pointer: Pointer, leaf: object) -> Iterator[object]:
    """The other forms in which a value may lie in its own place."""
    yield amount(leaf)
    if isinstance(leaf, str):
        yield reference(leaf)
        yield leaf.removeprefix("urn:li:dataPlatform:")
        if (other := parse_legacy_urn(leaf)) is not None:
            yield other.urn
        if pointer[-1] == "type":
            yield to_portable_type(leaf, platform="any")["type"]
            yield leaf.upper()
        if pointer[-1] == "format":
            yield leaf.lower()


def _is_spelled_out(pointer: Pointer, leaf: object, held: set[tuple[str, object]]) -> bool:
    """Whether a value is a part of a longer one, or several shorter ones."""
    texts = [text for _, text in held if isinstance(text, str)]
    if not isinstance(leaf, str):
        return False
    if pointer[-1] in ("bucket", "prefix", "database", "catalog"):
        return any(leaf in text for text in texts if "://" in text)
    if pointer[-1] == "partitioning":
        tokens = re.findall(r"\{([^}]*)\}", leaf)
        known = {text.lower() for text in texts}
        return bool(tokens) and known.issuperset(token.lower() for token in tokens)
    return False
